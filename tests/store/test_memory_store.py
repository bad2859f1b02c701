"""One process's view of the memory store."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sidecar.runtime.errors import InvalidField
from sidecar.store import changelog
from sidecar.store.memory_store import Changes, MemoryKey, MemoryStore
from sidecar.store.records import MemoryRecord, ReferenceRecord, VersionRecord
from tests.store.conftest import put

MakeMemory = Callable[..., MemoryRecord]


def key(record: MemoryRecord) -> MemoryKey:
    return MemoryKey(record.scope, record.type, record.agent, record.name)


def test_a_record_comes_back_as_it_was(store: MemoryStore, memory: MakeMemory) -> None:
    record = memory(
        "m",
        agent="reviewer",
        name="naïve 名前 \x00 ' \" ;",
        tags=("a", "b"),
        references=(ReferenceRecord(kind="path", text="a.py", path="a.py", hash="00"),),
        relevance=0.123456789,
        expires_at=2**53,
        content="x" * 100_000,
    )
    put(store, record)
    assert store.get("m") == record
    assert store.find(key(record)) == record
    assert store.all() == [record]
    assert store.get_many(["m", "none"]) == {"m": record}
    assert store.history("m") == [VersionRecord(version=1, change="created", at=1, memory=record)]


def test_unknown_ids_are_absent(store: MemoryStore) -> None:
    assert store.get("none") is None
    assert store.find(MemoryKey("project", "project", None, "none")) is None
    assert store.history("none") == []
    assert store.get_many([]) == {}
    assert store.all() == []
    assert store.count() == {}
    assert (store.seq(), store.changes(0)) == (0, Changes(0, ()))


def test_keys_that_look_alike_stay_apart(store: MemoryStore, memory: MakeMemory) -> None:
    alike = [
        memory("1", agent=None, name="n"),
        memory("2", agent="", name="n"),
        memory("3", agent="null", name="n"),
        memory("4", agent="n", name=""),
        memory("5", scope="project,project", type="", name="n"),
        memory("6", name='n","x'),
    ]
    for record in alike:
        put(store, record)
    assert [store.find(key(record)) for record in alike] == alike


def test_a_rename_frees_the_earlier_key(store: MemoryStore, memory: MakeMemory) -> None:
    first, second = memory("m", name="first"), memory("m", name="second", version=2)
    put(store, first)
    put(store, second, "updated", 2)
    assert store.find(key(first)) is None
    assert store.find(key(second)) == second
    assert [version.change for version in store.history("m")] == ["updated", "created"]


def test_a_key_belongs_to_the_last_memory_that_was_put(store: MemoryStore, memory: MakeMemory) -> None:
    older, newer = memory("older", name="n"), memory("newer", name="n")
    put(store, older)
    put(store, newer)
    assert store.find(key(older)) == newer
    # The memory that lost the key does not take it away from its owner when it goes.
    with store.transaction() as transaction:
        transaction.delete("older", 2, purge=True)
    assert store.find(key(older)) == newer


def test_a_deleted_memory_keeps_its_versions_and_can_come_back(store: MemoryStore, memory: MakeMemory) -> None:
    record = memory("m", version=3)
    put(store, record)
    with store.transaction() as transaction:
        transaction.delete("m", 9, purge=False)
        assert transaction.get("m") is None
        assert transaction.find(key(record)) is None
        assert transaction.history("m")[0] == VersionRecord(version=4, change="deleted", at=9)
    assert (store.get("m"), store.find(key(record)), store.all()) == (None, None, [])
    put(store, msgspec.structs.replace(record, version=5), "restored", 10)
    assert [version.version for version in store.history("m")] == [5, 4, 3]
    assert store.find(key(record)) is not None


def test_a_purge_leaves_no_trace_in_the_files(store: MemoryStore, memory: MakeMemory) -> None:
    put(store, memory("m", content="the-secret-that-must-go " * 3000))
    put(store, memory("m", content="the-secret-that-must-go, once more", version=2))
    put(store, memory("other"))
    with store.transaction() as transaction:
        transaction.delete("m", 9, purge=True)
    assert (store.get("m"), store.history("m")) == (None, [])
    assert store.changes(3).ids == ("m",)
    folder = store.memories_folder
    store.close()
    assert folder.joinpath("cache.db").stat().st_size > 0
    for path in folder.iterdir():
        assert b"the-secret-that-must-go" not in path.read_bytes()


def test_a_purge_after_a_deletion_drops_the_versions(store: MemoryStore, memory: MakeMemory) -> None:
    put(store, memory("m"))
    with store.transaction() as transaction:
        transaction.delete("m", 2, purge=False)
    with store.transaction() as transaction:
        transaction.delete("m", 3, purge=True)
    assert (store.history("m"), store.seq()) == ([], 3)


def test_deleting_what_is_not_there_changes_nothing(store: MemoryStore) -> None:
    with store.transaction() as transaction:
        transaction.delete("none", 1, purge=False)
        transaction.delete("none", 1, purge=True)
    assert (store.seq(), store.history("none")) == (0, [])


def test_versions_of_ids_with_a_common_beginning_stay_apart(store: MemoryStore, memory: MakeMemory) -> None:
    put(store, memory("m"))
    put(store, memory("m:1"))
    put(store, memory("m1"))
    with store.transaction() as transaction:
        transaction.delete("m", 2, purge=True)
    assert len(store.history("m:1")) == len(store.history("m1")) == 1


def test_more_than_ten_versions_stay_in_order(store: MemoryStore, memory: MakeMemory) -> None:
    for number in range(1, 13):
        put(store, memory("m", version=number), at=number)
    assert [version.at for version in store.history("m")] == list(range(12, 0, -1))


def test_counts_by_scope_leave_archived_ones_out(store: MemoryStore, memory: MakeMemory) -> None:
    put(store, memory("1"))
    put(store, memory("2", status="suspect"))
    put(store, memory("3", status="archived"))
    put(store, memory("4", scope="a scope of words"))
    assert store.count() == {"project": 2, "a scope of words": 1}
    put(store, memory("1", status="archived"))
    assert store.count() == {"project": 1, "a scope of words": 1}


def test_changes_name_each_id_once_in_order(store: MemoryStore, memory: MakeMemory) -> None:
    for id in ("b", "a", "b"):
        put(store, memory(id))
    assert store.changes(0) == Changes(3, ("b", "a"))
    assert store.changes(1) == Changes(3, ("a", "b"))
    assert store.changes(3) == Changes(3, ())


def test_a_transaction_that_only_reads_is_no_change(store: MemoryStore) -> None:
    with store.transaction() as transaction:
        transaction.get("m")
    assert store.seq() == 0


@pytest.mark.parametrize("since", [-1, 4, 10**15])
def test_a_seq_that_the_store_never_had_means_reload(store: MemoryStore, memory: MakeMemory, since: int) -> None:
    for id in ("a", "b", "c"):
        put(store, memory(id))
    assert store.changes(since) == Changes(3, None)


def test_the_log_is_bounded(store: MemoryStore, memory: MakeMemory) -> None:
    total = changelog.MAX_CHANGES + 50
    with store.transaction() as transaction:
        for number in range(total):
            transaction.put(memory(str(number % 7)), "updated", number)
    assert store.seq() == total
    reach = total - changelog.MAX_CHANGES
    assert store.changes(reach - 1) == Changes(total, None)
    assert set(store.changes(reach).ids or ()) == {str(n) for n in range(7)}
    with contextlib.closing(sqlite3.connect(store.memories_folder / "cache.db")) as sql:
        (count,) = sql.execute("SELECT count(*) FROM Cache WHERE key LIKE 'c:%'").fetchone()
    assert count == changelog.MAX_CHANGES + 1


@pytest.mark.parametrize("field", ["id", "name", "content"])
def test_half_a_surrogate_pair_is_refused_and_nothing_written(
    store: MemoryStore, memory: MakeMemory, field: str
) -> None:
    record = msgspec.structs.replace(memory("m"), **{field: "bad \ud800"})
    with pytest.raises(InvalidField):
        put(store, record)
    assert (store.seq(), store.all()) == (0, [])


def test_a_separator_in_an_id_is_refused(store: MemoryStore, memory: MakeMemory) -> None:
    with pytest.raises(InvalidField):
        put(store, memory("a\x1fb"))


def test_size_is_what_lies_on_disk(store: MemoryStore, memory: MakeMemory) -> None:
    before = store.size()
    put(store, memory("m", content="x" * 500_000))
    assert store.size() >= before + 500_000


def test_purged_memory_is_in_no_file_while_the_store_is_open(tmp_path: Path, memory: MakeMemory) -> None:
    opened, other = MemoryStore.open(tmp_path / "purged"), MemoryStore.open(tmp_path / "purged")
    try:
        put(opened, memory("m", content="zanzibarquux at noon"))
        assert other.get("m") is not None
        assert holding(tmp_path, b"zanzibarquux")
        with opened.transaction() as transaction:
            transaction.delete("m", 2, purge=True)
        assert holding(tmp_path, b"zanzibarquux") == []
    finally:
        opened.close()
        other.close()


def holding(folder: Path, words: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]
