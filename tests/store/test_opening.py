"""Creating, refusing and migrating; permissions; folders and disks that cannot be used."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import diskcache
import msgspec
import pytest

from sidecar.runtime.errors import StoreTooNew, StoreUnavailable
from sidecar.store import schema
from sidecar.store.codec import encode
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.opening import open_database
from sidecar.store.records import MemoryRecord
from sidecar.store.rows import Rows
from tests.store.conftest import SpawnWorker, put

MakeMemory = Callable[..., MemoryRecord]
ROOT = Path(__file__).parents[2]


def with_steps(*steps: schema.Migration) -> schema.DatabaseKind:
    return msgspec.structs.replace(schema.MEMORIES, migrations=steps)


def nothing(rows: Rows) -> None:
    """A step that changes no row."""


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refusal(store: MemoryStore, memory: MakeMemory) -> StoreUnavailable:
    """What a write is answered with."""
    with pytest.raises(StoreUnavailable) as raised:
        put(store, memory("n"))
    assert store.get("n") is None
    return raised.value


def test_a_newer_store_is_read_and_left_untouched(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    store.close()
    open_database(tmp_path, with_steps(nothing, nothing)).close()
    before = hashes(tmp_path)
    for _ in range(2):
        store = MemoryStore.open(tmp_path)
        assert [record.id for record in store.all()] == ["m"]
        assert "It can be read" in (store.repair_message or "")
        refused = refusal(store, memory)
        assert isinstance(refused, StoreTooNew)
        assert "version 3" in refused.message
        assert "up to 1" in refused.message
        assert "Update memory-sidecar" in (refused.data.hint or "")
        store.close()
    assert hashes(tmp_path) == before
    newer = open_database(tmp_path, with_steps(nothing, nothing))
    with newer.reading() as rows:
        assert rows.get("m:m") is not None
    newer.close()


def test_writes_of_a_newer_program_reopen_the_store(tmp_path: Path, memory: MakeMemory) -> None:
    newer = open_database(tmp_path, with_steps(nothing))
    older = MemoryStore.open(tmp_path)
    gone = [older.is_gone]
    with newer.writing() as rows:
        rows.set("m:m", encode(memory("m")))
    gone.append(older.is_gone)
    assert gone == [False, True]
    older.close()
    again = MemoryStore.open(tmp_path)
    assert again.get("m") == memory("m")
    again.close()
    newer.close()


def test_a_newer_version_that_is_only_in_the_pending_log_is_seen(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, memory: MakeMemory
) -> None:
    older = MemoryStore.open(tmp_path)
    newer = open_database(tmp_path, with_steps(nothing))
    killed = tmp_path_factory.mktemp("killed")
    shutil.copytree(tmp_path, killed, dirs_exist_ok=True)
    newer.close()
    older.close()
    assert (killed / "memories" / "cache.db-wal").stat().st_size > 0
    content = ("memories/cache.db", "memories/cache.db-wal")
    before = hashes(killed)
    found = MemoryStore.open(killed)
    assert isinstance(refusal(found, memory), StoreTooNew)
    found.close()
    after = hashes(killed)
    assert [before[name] for name in content] == [after[name] for name in content]


def test_a_newer_file_store_is_left_alone_and_one_of_this_process_used(tmp_path: Path) -> None:
    FileStore.open(tmp_path).close()
    open_database(tmp_path, msgspec.structs.replace(schema.FILES, migrations=(nothing,))).close()
    before = hashes(tmp_path)
    store = FileStore.open(tmp_path)
    assert "layout version 2" in (store.repair_message or "")
    store.put_blob("b", b"kept for now")
    assert store.get_blob("b") == b"kept for now"
    store.close()
    assert hashes(tmp_path) == before


def test_a_process_that_was_open_when_a_newer_one_migrated_writes_no_more(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    newer = open_database(tmp_path, with_steps(nothing))
    with pytest.raises(StoreTooNew):
        put(store, memory("n"))
    with newer.reading() as rows:
        assert rows.get("m:n") is None
    newer.close()
    store.close()


def test_steps_run_in_order_and_once_and_a_copy_is_kept(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    store.close()
    ran: list[int] = []

    def step(number: int) -> schema.Migration:
        def run(rows: Rows) -> None:
            ran.append(number)
            rows.set("x:steps", str(rows.get("x:steps") or "") + str(number))

        return run

    database = open_database(tmp_path, with_steps(step(1)))
    assert ran == [1]
    assert database.repair_message is not None
    assert "from layout version 1 to 2" in database.repair_message
    database.close()
    database = open_database(tmp_path, with_steps(step(1), step(2), step(3)))
    assert ran == [1, 2, 3]
    with database.reading() as rows:
        assert (rows.get("x:steps"), rows.get("meta:version")) == ("123", 4)
        assert rows.get("m:m") is not None
    database.close()
    database = open_database(tmp_path, with_steps(step(1), step(2), step(3)))
    assert (ran, database.repair_message) == ([1, 2, 3], None)
    database.close()
    (copy,) = tmp_path.glob("memories.v1-*")
    shutil.move(tmp_path / "memories", tmp_path / "migrated")
    shutil.move(copy, tmp_path / "memories")
    earlier = MemoryStore.open(tmp_path)
    assert (earlier.get("m"), earlier.repair_message) == (memory("m"), None)
    earlier.close()


def test_a_step_that_fails_leaves_everything_as_it_was(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    store.close()

    def destroy(rows: Rows) -> None:
        rows.delete_range("m:", "m;")

    def fail(rows: Rows) -> None:
        raise KeyError("a bug in the step")

    with pytest.raises(StoreUnavailable) as raised:
        open_database(tmp_path, with_steps(destroy, fail))
    assert "from layout version 1 to 3" in raised.value.message
    assert "memories.v1-" in (raised.value.data.hint or "")
    store = MemoryStore.open(tmp_path)
    assert store.get("m") == memory("m")
    store.close()


def test_of_two_processes_one_migrates(tmp_path: Path, spawn: SpawnWorker) -> None:
    MemoryStore.open(tmp_path).close()
    moment = time.time() + 1.5
    both = [spawn("migrate", tmp_path, moment) for _ in range(3)]
    said = sorted(process.communicate(timeout=200)[0] for process in both)
    assert said == ["ran 1 False\n", "ran 1 False\n", "ran 1 True\n"]


def test_a_damaged_older_store_is_salvaged_and_then_migrated(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    for number in range(20):
        put(store, memory(f"m{number}"))
    store.close()
    with sqlite3.connect(tmp_path / "memories" / "cache.db") as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:m7'", (b"garbage" * 20,))
    sql.close()

    def step(rows: Rows) -> None:
        rows.set("x:seen", len(rows.keys("m:")))

    database = open_database(tmp_path, with_steps(step))
    with database.reading() as rows:
        assert rows.get("x:seen") == 20
    assert database.repair_message is not None
    assert "was damaged" in database.repair_message
    assert "was migrated" in database.repair_message
    database.close()


def test_everything_is_private_under_any_umask(tmp_path: Path, memory: MakeMemory) -> None:
    before = os.umask(0)
    try:
        store = MemoryStore.open(tmp_path / "deep" / "store")
        derived = FileStore.open(tmp_path / "deep" / "store")
        put(store, memory("m"))
        derived.put_blob("b", b"x")
        paths = list((tmp_path / "deep").rglob("*"))
        assert any(path.name == "cache.db-wal" for path in paths)
        assert any(path.name == "memories.lock" for path in paths)
        for path in [tmp_path / "deep", *paths]:
            wanted = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == wanted, path
        store.close()
        derived.close()
    finally:
        os.umask(before)


def test_open_permissions_are_closed(tmp_path: Path) -> None:
    MemoryStore.open(tmp_path).close()
    (tmp_path / "memories").chmod(0o777)
    (tmp_path / "memories" / "cache.db").chmod(0o666)
    MemoryStore.open(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "memories").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "memories" / "cache.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["", "memories", "activity", "below/a/file"])
def test_a_file_where_a_folder_should_be(tmp_path: Path, place: str) -> None:
    directory = tmp_path / "store"
    if place == "memories" or place == "activity":
        directory.mkdir()
        (directory / place).write_text("in the way")
    else:
        directory.write_text("in the way")
        directory = directory / place if place else directory
    with pytest.raises(StoreUnavailable) as raised:
        MemoryStore.open(directory)
    assert str(directory) in raised.value.message
    assert raised.value.data.hint
    assert "in the way" in {path.read_text() for path in [tmp_path / "store", directory / place] if path.is_file()}


def test_a_read_only_folder(spawn: SpawnWorker, tmp_path: Path, memory: MakeMemory) -> None:
    place = tmp_path / "home"
    store = MemoryStore.open(place / "store")
    put(store, memory("m"))
    store.close()
    root = os.geteuid() == 0
    for path in [tmp_path, *tmp_path.parents]:
        if path.stat().st_uid == os.geteuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o555)
    for path in [place, *place.rglob("*")]:
        if root:
            os.chown(path, 65534, 65534)
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        for directory, found in ((place / "store", "opened ['m']"), (place / "new", "")):
            out, err = spawn("refused", directory).communicate(timeout=200)
            assert out.startswith(found), (out, err)
            assert "StoreUnavailable" in out
            assert str(directory) in out
            assert "permission" in out.lower()
    finally:
        for path in [place, *place.rglob("*")]:
            path.chmod(0o700 if path.is_dir() else 0o600)
    store = MemoryStore.open(place / "store")
    assert store.get("m") == memory("m")
    store.close()


def test_a_full_disk_refuses_and_keeps_what_was_acknowledged(spawn: SpawnWorker, tmp_path: Path) -> None:
    out, err = spawn("full_disk", tmp_path).communicate(timeout=200)
    refused, kept, after = out.splitlines() or [err, "", ""]
    assert refused.startswith("refused StoreUnavailable"), (out, err)
    assert str(tmp_path) in refused
    _, number, found, seq = kept.split()
    assert int(number) == int(found) == int(seq) > 0
    assert after == f"after {int(number) + 1} {int(number) + 1} None"


def test_a_derived_store_is_refused_where_no_folder_has_room(tmp_path: Path) -> None:
    script = (
        "import resource, sys; from pathlib import Path; from sidecar.runtime.errors import StoreUnavailable\n"
        "from sidecar.store.file_store import FileStore\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))\n"
        "try: FileStore.open(Path(sys.argv[1]))\n"
        "except StoreUnavailable as error: print(error.data.reason)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", script, str(tmp_path / "store")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("full", "io")
    assert not list(tmp_path.glob("memory-sidecar-read-only-*"))


def test_a_full_database_is_reported_as_a_full_disk(tmp_path: Path, memory: MakeMemory) -> None:
    memories = open_database(tmp_path, schema.MEMORIES)
    store = MemoryStore(tmp_path, memories, open_database(tmp_path, schema.ACTIVITY))
    with memories.reading(), memories.cache.connection() as sql:
        ((pages,),) = sql.execute("PRAGMA page_count").fetchall()
        sql.execute(f"PRAGMA max_page_count = {pages + 5}").fetchall()
    with pytest.raises(StoreUnavailable) as raised:
        put(store, memory("m", content="x" * 100_000))
    assert raised.value.data.reason == "full"
    assert "the disk is full" in raised.value.message
    put(store, memory("small"))
    assert [record.id for record in store.all()] == ["small"]
    store.close()


def kept_settings(directory: Path) -> dict[str, object]:
    with sqlite3.connect(directory / "memories" / "cache.db") as sql:
        kept = dict(sql.execute("SELECT key, value FROM Settings").fetchall())
    sql.close()
    return kept


def test_settings_that_were_changed_are_put_right(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    store.close()
    before = kept_settings(tmp_path)
    with sqlite3.connect(tmp_path / "memories" / "cache.db") as sql:
        sql.execute("UPDATE Settings SET value = 0 WHERE key = 'sqlite_synchronous'")
        sql.execute("UPDATE Settings SET value = 10 WHERE key = 'cull_limit'")
    sql.close()
    store = MemoryStore.open(tmp_path)
    assert store.repair_message is None
    assert store.get("m") == memory("m")
    store.close()
    assert kept_settings(tmp_path) == before
    assert (before["eviction_policy"], before["cull_limit"], before["sqlite_synchronous"]) == ("none", 0, 2)


def test_a_store_that_stock_diskcache_opened_is_put_right(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    put(store, memory("m"))
    store.close()
    before = kept_settings(tmp_path)
    diskcache.Cache(str(tmp_path / "memories"), eviction_policy="least-recently-stored", size_limit=1).close()
    store = MemoryStore.open(tmp_path)
    assert store.repair_message is not None
    assert "its tables are not those of a store" in store.repair_message
    assert store.get("m") == memory("m")
    store.close()
    assert {**kept_settings(tmp_path), "count": 0} == {**before, "count": 0}


def test_memories_wait_for_the_disk_and_derived_data_do_not(tmp_path: Path) -> None:
    for kind, synchronous in ((schema.MEMORIES, 2), (schema.ACTIVITY, 1), (schema.FILES, 1)):
        database = open_database(tmp_path, kind)
        with database.cache.connection() as sql:
            assert sql.execute("PRAGMA synchronous").fetchall() == [(synchronous,)]
            assert sql.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
        database.close()
