"""The lock in front of every write."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from sidecar.errors import StoreUnavailable
from sidecar.store.lock import FolderLock


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


def test_it_is_held_until_the_outermost_block_ends(tmp_path: Path) -> None:
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
