"""The lock in front of every write."""

from __future__ import annotations

import fcntl
import sqlite3
import threading
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import keys
from sidecar.store.lock import FolderLock
from sidecar.store.opening import open_database
from sidecar.store.schema import MEMORIES


def test_another_holder_is_waited_for_only_so_long(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    mine, other = FolderLock(path, timeout=0.1), FolderLock(path)
    with other.held():
        with pytest.raises(StoreUnavailable) as raised, mine.held():
            pass
        assert raised.value.data.reason == "busy"
    with mine.held():
        pass
    mine.close()
    other.close()


def test_a_thread_is_waited_for_only_so_long(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock", timeout=0.1)
    reasons: list[str | None] = []

    def want() -> None:
        try:
            with lock.held():
                reasons.append("held")
        except StoreUnavailable as error:
            reasons.append(error.data.reason)

    with lock.held():
        thread = threading.Thread(target=want)
        thread.start()
        thread.join()
    want()
    assert reasons == ["busy", "held"]
    lock.close()


def test_lock_is_held_until_the_outermost_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FolderLock(path)

    def is_free() -> bool:
        with path.open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    with lock.held():
        with lock.held():
            assert not is_free()
        assert not is_free()
        lock.close()
        assert not is_free()
    assert is_free()
    with pytest.raises(StoreUnavailable), lock.held():
        pass


def test_a_store_that_was_held_is_looked_at_before_it_is_written(tmp_path: Path) -> None:
    open_database(tmp_path, MEMORIES).close()
    holder = FolderLock(tmp_path / "memories.lock")
    with holder.held():
        database = open_database(tmp_path, MEMORIES)
        with database.reading() as rows:
            assert rows.get(keys.VERSION) == 1
    with sqlite3.connect(tmp_path / "memories" / "cache.db") as sql:
        sql.execute("INSERT INTO Cache (key, raw, mode, value) VALUES ('m:x', 1, 1, 'no memory')")
    sql.close()
    (tmp_path / "memories" / "sound.note").unlink()
    with database.writing() as rows:
        rows.set("x:new", 1)
    assert len(list(tmp_path.glob("memories.damaged-*"))) == 1
    with database.reading() as rows:
        assert (rows.get("x:new"), rows.get("m:x")) == (1, None)
    database.close()
    holder.close()
