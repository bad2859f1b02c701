"""Values derived from a memory store: kept with it, dropped by a purge, never believed when damaged or stale."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.soundness import state_of


def record(id: str, **fields: object) -> MemoryRecord:
    plain = {"scope": "project", "type": "project", "name": f"name of {id}", "content": f"content of {id}"}
    return MemoryRecord(id=id, **{**plain, "source": "agent", "created_at": 1, "updated_at": 1, **fields})  # type: ignore[arg-type]


def put(store: MemoryStore, id: str) -> None:
    with store.transaction() as transaction:
        transaction.put(record(id), "created", 1)


def purge(store: MemoryStore, id: str) -> None:
    with store.transaction() as transaction:
        transaction.delete(id, 2, purge=True)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_value_is_given_back_private_and_counted(store: MemoryStore) -> None:
    assert store.derived.get("index") is None
    assert not store.derived.has("index")
    before = store.size()
    assert store.derived.put("index", b"x" * 10_000, store.derived.purge_state())
    assert store.derived.put("index", b"y" * 10_000, store.derived.purge_state())
    kept = store.derived.get("index")
    assert kept is not None
    assert bytes(kept) == b"y" * 10_000
    assert store.derived.has("index")
    assert store.size() >= before + 10_000
    places = list(store.directory.rglob("index*"))
    assert {place.suffix: stat.S_IMODE(place.stat().st_mode) for place in places} == {
        ".derived": 0o600,
        ".sound": 0o600,
    }


def test_a_value_of_an_earlier_state_is_stored_unless_a_memory_was_purged(store: MemoryStore) -> None:
    put(store, "a")
    purges = store.derived.purge_state()
    put(store, "b")
    assert store.derived.put("index", b"word-of-a", purges)
    memory = store.get("a")
    assert memory is not None
    purge(store, "a")
    with store.transaction() as transaction:  # the memory is back, yet with other words
        transaction.put(memory, "restored", 3)
    assert not store.derived.put("index", b"word-of-a", purges)
    assert not store.derived.has("index")


def test_a_value_made_before_another_process_purged_is_refused(store: MemoryStore) -> None:
    put(store, "a")
    purges = store.derived.purge_state()
    other = MemoryStore.open(store.directory)
    purge(other, "a")
    other.close()
    assert not store.derived.put("index", b"word-of-a", purges)
    store.close()
    assert b"word-of-a" not in everything(store.directory)


def test_a_purge_drops_every_value_and_what_a_killed_writer_left(store: MemoryStore) -> None:
    put(store, "a")
    put(store, "b")
    store.derived.put("index", b"word-of-a", store.derived.purge_state())
    left = next(store.directory.rglob("index.derived")).with_name("index.making")
    left.write_bytes(b"word-of-a")
    with store.transaction() as transaction:
        transaction.delete("b", 2, purge=False)
    assert store.derived.has("index")
    purge(store, "a")
    assert not store.derived.has("index")
    assert b"word-of-a" not in everything(store.directory)


def test_a_purge_of_what_was_deleted_before_drops_them_too(store: MemoryStore) -> None:
    put(store, "a")
    with store.transaction() as transaction:
        transaction.delete("a", 2, purge=False)
    store.derived.put("index", b"word-of-a", store.derived.purge_state())
    purge(store, "a")
    assert not store.derived.has("index")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_purge_that_cannot_drop_them_fails_as_a_whole(store: MemoryStore) -> None:
    put(store, "a")
    store.derived.put("index", b"word-of-a", store.derived.purge_state())
    folder = next(store.directory.rglob("index.derived")).parent
    folder.chmod(0o500)
    try:
        with pytest.raises(StoreUnavailable):
            purge(store, "a")
    finally:
        folder.chmod(0o700)
    assert store.get("a") is not None


def test_a_purge_that_cannot_drop_them_fails_even_for_root(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "a")
    store.derived.put("index", b"word-of-a", store.derived.purge_state())

    def refuse(self: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(StoreUnavailable):
            purge(store, "a")
    assert store.get("a") is not None
    purge(store, "a")
    assert store.get("a") is None


def test_a_damaged_value_counts_as_absent(store: MemoryStore) -> None:
    store.derived.put("index", b"value" * 100, store.derived.purge_state())
    place = next(store.directory.rglob("index.derived"))
    whole = place.read_bytes()
    for damaged in (b"", whole[:5], whole[:-1], whole[:50] + b"!" + whole[51:]):
        place.write_bytes(damaged)
        assert store.derived.get("index") is None
    place.unlink()
    place.mkdir()
    assert store.derived.get("index") is None


def test_a_value_found_whole_is_checked_again_once_touched_or_after_a_week(store: MemoryStore) -> None:
    store.derived.put("index", b"value" * 100, store.derived.purge_state())
    place = next(store.directory.rglob("index.derived"))
    assert store.derived.get("index") is not None
    whole, note = place.read_bytes(), place.with_suffix(".sound")
    place.write_bytes(whole[:50] + b"!" + whole[51:])
    assert store.derived.get("index") is None
    note.write_bytes(repr(state_of(place.stat())).encode())
    assert store.derived.get("index") is not None, "the note is not believed"
    os.utime(note, (0, 0))
    assert store.derived.get("index") is None


def test_a_store_that_was_set_aside_takes_its_values_along(tmp_path: Path) -> None:
    store = MemoryStore.open(tmp_path / "store")
    put(store, "a")
    store.derived.put("index", b"value", store.derived.purge_state())
    store.close()
    database = next((tmp_path / "store").glob("memories/cache.db"))
    database.write_bytes(b"damage" * 1_000)
    salvaged = MemoryStore.open(tmp_path / "store")
    try:
        assert salvaged.repair_message is not None
        assert not salvaged.derived.has("index")
        assert list((tmp_path / "store").glob("memories.damaged-*/index.derived"))
    finally:
        salvaged.close()
