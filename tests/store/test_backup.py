"""The backup beside a database: what the database lost is in it, and what was removed for good is not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.backup import Backup
from sidecar.store.database import Database, Opening
from sidecar.store.memory_store import MemoryStore
from sidecar.store.mending import SalvagedRow
from sidecar.store.opening import open_database
from sidecar.store.records import MemoryRecord
from sidecar.store.schema import ACTIVITY, MEMORIES
from tests.reliability import flips

MakeMemory = Callable[..., MemoryRecord]
COUNT = 40


@pytest.fixture
def killed(tmp_path: Path, memory: MakeMemory) -> Path:
    """A store as `kill -9` leaves it, all of it in the pending log."""
    store = MemoryStore.open(tmp_path / "alive")
    for number in range(COUNT):
        with store.transaction() as change:
            change.put(memory(f"m{number:02d}", content=f"words of {number:02d}"), "created", 1)
            if number == 20:
                change.delete("m03", 2, purge=False)
                change.delete("m04", 2, purge=True)
    shutil.copytree(tmp_path / "alive", tmp_path / "killed")
    store.close()
    return tmp_path / "killed"


def is_whole(directory: Path) -> str | None:
    """The notice of a store that has lost nothing and brought nothing back."""
    store = MemoryStore.open(directory)
    assert {record.id for record in store.all()} == {f"m{n:02d}" for n in range(COUNT)} - {"m03", "m04"}
    assert (len(store.history("m03")), store.history("m04")) == (2, [])
    store.close()
    again = MemoryStore.open(directory)
    assert again.repair_message is None
    again.close()
    return store.repair_message


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("part", [0.0, 0.001, 0.3, 0.6, 0.99])
def test_a_bit_flipped_in_the_log_loses_nothing_and_is_told(killed: Path, part: float) -> None:
    log = killed / "memories" / "cache.db-wal"
    flip(log, int(log.stat().st_size * part))
    damaged = log.read_bytes()
    notice = is_whole(killed)
    if notice is not None:  # the last transaction alone is done once more without a word
        assert "changes were missing" in notice
        assert "nothing is missing" in notice
        (aside,) = killed.glob("memories.damaged-*")
        assert (aside / "cache.db-wal").read_bytes() == damaged
    assert (notice is None) == (part == 0.99)


@pytest.mark.parametrize("name", ["cache.db", "cache.db-wal", "cache.db-shm", "rows.backup"])
def test_a_deleted_file_loses_nothing(killed: Path, name: str) -> None:
    (killed / "memories" / name).unlink()
    notice = is_whole(killed)
    assert (notice is None) == (name in ("cache.db-shm", "rows.backup"))


def test_a_damaged_backup_is_made_anew(killed: Path) -> None:
    backup = killed / "memories" / "rows.backup"
    for at in (2, 6, 12, 200, 3000, -1):
        flip(backup, at)
        assert is_whole(killed) is None
        extent = Backup(killed / "memories").extent()
        assert extent is not None
        assert extent.whole
        (killed / "memories" / "cache.db").write_bytes(b"")
        assert is_whole(killed) is not None
        for aside in killed.glob("memories.damaged-*"):
            shutil.rmtree(aside)


def test_purged_memory_is_in_no_backup(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    for id in ("kept", "purged"):
        with store.transaction() as change:
            change.put(memory(id, content=f"the words of {id}"), "created", 1)
    path = tmp_path / "memories" / "rows.backup"
    assert b"words of purged" in path.read_bytes()
    with store.transaction() as change:
        change.delete("purged", 2, purge=True)
    assert b"words of purged" not in path.read_bytes()
    assert b"words of kept" in path.read_bytes()
    store.close()


def test_backup_is_private_and_bounded(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    path, largest = tmp_path / "memories" / "rows.backup", 0
    for number in range(80):
        store.update_maintenance(lambda old: old)
        with store.transaction() as change:
            change.put(memory("m", content="x" * 15_000), "updated", number)
            change.delete("m", 1, purge=True)
            change.put(memory("m", content="y" * 15_000), "updated", number)
        with store.reminders.changing():
            pass
        largest = max(largest, path.stat().st_size)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert largest < 3 << 20
    store.close()


def test_a_transaction_that_is_refused_leaves_no_trace(tmp_path: Path, memory: MakeMemory) -> None:
    memories = open_database(tmp_path, MEMORIES)
    store = MemoryStore(tmp_path, memories, open_database(tmp_path, ACTIVITY))

    def refuse() -> None:
        with store.transaction() as change:
            change.put(memory("refused"), "created", 1)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        refuse()
    with memories.cache.connection() as sql:
        ((pages,),) = sql.execute("PRAGMA page_count").fetchall()
        sql.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    with pytest.raises(StoreUnavailable), store.transaction() as change:
        change.put(memory("refused", content="x" * 14_000), "created", 1)
    assert b"refused" not in (tmp_path / "memories" / "rows.backup").read_bytes()
    store.close()


def die_before_commit(directory: Path) -> None:
    """What a process leaves that was killed after it told the backup, and before SQLite committed."""
    backup = Backup(directory / "memories")
    extent = backup.extent()
    assert extent is not None
    assert backup.append(extent.number + 1, {"x:half": SalvagedRow(b"done", None)})


def test_a_writer_that_died_before_it_committed(
    tmp_path: Path, memory: MakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore.open(tmp_path)
    die_before_commit(tmp_path)
    with store.transaction() as change:  # a running process knows that it was not committed
        change.put(memory("m"), "created", 1)
    assert "x:half" not in Backup(tmp_path / "memories").rows()
    store.close()
    die_before_commit(tmp_path)
    with monkeypatch.context() as patched:  # should the opening die, too, it is still there
        patched.delattr(os, "ftruncate")
        database = open_database(tmp_path, MEMORIES)  # nobody runs: it may have been, and all of it is done
    assert database.repair_message is None
    with database.reading() as rows:
        assert (rows.get("x:half"), rows.get("m:m") is not None) == (b"done", True)
    database.close()


def test_writes_of_an_older_program_are_kept(tmp_path: Path, memory: MakeMemory) -> None:
    memories = open_database(tmp_path, MEMORIES)
    store = MemoryStore(tmp_path, memories, open_database(tmp_path, ACTIVITY))
    with store.transaction() as change:
        change.put(memory("ours"), "created", 1)
    older = Database(memories.cache, memories.lock, 1, Opening())
    with older.writing() as rows:
        rows.set("x:theirs", "kept")
    store.close()
    with sqlite3.connect(tmp_path / "memories" / "cache.db") as sql:
        sql.execute("UPDATE Cache SET value = ? WHERE key = 'm:ours'", (b"garbage",))
    sql.close()
    database = open_database(tmp_path, MEMORIES)
    assert database.repair_message is not None
    with database.reading() as rows:
        assert (rows.get("x:theirs"), rows.get("m:ours") is not None) == ("kept", True)
    database.close()


def test_nothing_is_lost_silently_by_flips_cuts_and_deletions() -> None:
    found = flips.main(25, seed=7)
    assert found.keys() & {"lost silently", "defect", "brought back what was deleted"} == set()
    assert found["lost and told"] == 0
