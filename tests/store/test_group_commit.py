"""Transactions that share a commit: durable together, failing alone, and in nobody's way."""

from __future__ import annotations

import contextlib
import resource
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import group_commit
from sidecar.store.lock import FolderLock
from sidecar.store.memory_store import GroupCommit, MemoryKey, MemoryStore
from sidecar.store.records import MemoryRecord
from tests.store.conftest import SpawnWorker
from tests.store.test_kill import acknowledged, check_whole

MakeMemory = Callable[..., MemoryRecord]


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """Lets no file of this process grow beyond so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


def commits(store: MemoryStore) -> int:
    """Return the number of the last transaction of a store that changed something."""
    store.seq()  # the first read completes the opening
    with contextlib.closing(sqlite3.connect(store.memories_folder / "cache.db")) as sql:
        return int(sql.execute("PRAGMA user_version").fetchone()[0])


def test_many_share_one_commit(store: MemoryStore, memory: MakeMemory) -> None:
    before = commits(store)
    group = GroupCommit()
    for number in range(20):
        with store.transaction(group) as change:
            change.put(memory(f"m{number}"), "created", number)
    group.commit()
    assert commits(store) == before + 1
    assert len(store.all()) == 20
    check_whole_numbers(store, 20)


def check_whole_numbers(store: MemoryStore, count: int) -> None:
    assert store.seq() == count
    assert len(store.changes(0).ids or ()) == count


def test_nobody_else_sees_it_before_it_is_committed(tmp_path: Path, memory: MakeMemory) -> None:
    store, other = MemoryStore.open(tmp_path), MemoryStore.open(tmp_path)
    group = GroupCommit()
    with store.transaction(group) as change:
        change.put(memory("a"), "created", 1)
    seen: list[MemoryRecord | None] = []
    thread = threading.Thread(target=lambda: seen.append(store.get("a")))
    thread.start()
    thread.join()
    assert (seen, other.get("a")) == ([None], None)
    group.commit()
    assert store.get("a") == other.get("a") == memory("a")
    store.close()
    other.close()


def test_a_later_one_sees_what_an_earlier_one_did(store: MemoryStore, memory: MakeMemory) -> None:
    group = GroupCommit()
    with store.transaction(group) as change:
        change.put(memory("a", name="one"), "created", 1)
    with store.transaction(group) as change:
        assert change.get("a") == memory("a", name="one")
        assert change.find(MemoryKey("project", "project", None, "one")) is not None
        change.put(memory("a", name="two", version=2), "updated", 2)
    group.commit()
    assert [each.version for each in store.history("a")] == [2, 1]


def test_failing_member_is_rolled_back_alone(store: MemoryStore, memory: MakeMemory) -> None:
    group = GroupCommit()
    for number in range(5):
        with pytest.raises(KeyError) if number == 2 else contextlib.nullcontext(), store.transaction(group) as change:
            change.put(memory(f"m{number}"), "created", number)
            if number == 2:
                raise KeyError
    group.commit()
    assert [record.id for record in store.all()] == ["m0", "m1", "m3", "m4"]
    check_whole_numbers(store, 4)
    assert b"m:m2" not in (store.memories_folder / "rows.backup").read_bytes()


def test_a_disk_that_is_full_at_the_commit_fails_each_of_them(
    store: MemoryStore, memory: MakeMemory, small_files: Callable[[int], None]
) -> None:
    with store.transaction() as change:
        change.put(memory("before"), "created", 1)
    small_files(100_000)
    group = GroupCommit()
    members = []
    for number in range(6):
        with store.transaction(group) as change:
            change.put(memory(f"m{number}", content="x" * 15_000), "created", number)
        members.append(change)
    group.commit()
    small_files(resource.RLIM_INFINITY)
    assert {member.failure.data.reason for member in members if member.failure is not None} <= {"full", "io"}
    assert None not in [member.failure for member in members]
    assert [record.id for record in store.all()] == ["before"]
    with store.transaction() as change:
        change.put(memory("after"), "created", 1)
    assert len(store.all()) == 2
    check_whole_numbers(store, 2)


def test_a_disk_that_is_full_within_one_of_them_fails_that_and_those_before(
    store: MemoryStore, memory: MakeMemory, small_files: Callable[[int], None]
) -> None:
    group = GroupCommit()
    with store.transaction(group) as first:
        first.put(memory("first"), "created", 1)
    small_files(50_000)

    def put_much() -> None:
        with store.transaction(group) as change:
            for number in range(400):  # more than the cache of a connection holds
                change.put(memory(f"m{number}", content="y" * 15_000), "created", number)

    with pytest.raises(StoreUnavailable):
        put_much()
    small_files(resource.RLIM_INFINITY)
    with store.transaction(group) as last:
        last.put(memory("last"), "created", 3)
    group.commit()
    stored = {record.id for record in store.all()}
    assert stored == ({"first", "last"} if first.failure is None else {"last"})
    assert last.failure is None
    check_whole_numbers(store, len(stored))


def test_lock_timeout_fails_all_members_at_once(
    store: MemoryStore, memory: MakeMemory, spawn: SpawnWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = store._memories.lock
    lock._timeout = 0.3
    tries = []

    def acquire(until: float, timeout: float) -> None:
        tries.append(until)
        FolderLock._acquire(lock, until, timeout)

    monkeypatch.setattr(lock, "_acquire", acquire)
    holder = spawn("hold", store.directory)
    assert holder.stdout is not None
    holder.stdout.readline()
    group = GroupCommit()
    told = []
    for number in range(8):
        with pytest.raises(StoreUnavailable) as raised, store.transaction(group) as change:
            change.put(memory(f"m{number}"), "created", number)
        told.append(raised.value.data.reason)
    group.commit()
    assert told == ["busy"] * 8
    assert len(tries) == 1
    assert store.all() == []


def test_only_one_database_is_held_at_a_time(tmp_path: Path, memory: MakeMemory) -> None:
    one, other = MemoryStore.open(tmp_path / "one"), MemoryStore.open(tmp_path / "other")
    group = GroupCommit()
    with one.transaction(group) as change:
        change.put(memory("a"), "created", 1)
    with other.transaction(group) as change:
        change.put(memory("b"), "created", 1)
        sql = sqlite3.connect(one.memories_folder / "cache.db", timeout=0)
        sql.execute("BEGIN IMMEDIATE")  # nobody has it
        sql.close()
    group.commit()
    assert one.get("a") is not None
    assert other.get("b") is not None
    one.close()
    other.close()


def test_long_batch_is_committed_in_between(
    store: MemoryStore, memory: MakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_SECONDS", -1.0)
    before, group = commits(store), GroupCommit()
    for number in range(4):
        with store.transaction(group) as change:
            change.put(memory(f"m{number}"), "created", number)
    assert commits(store) == before + 3
    group.commit()
    assert commits(store) == before + 4


def test_abandoned_member_is_not_stored(store: MemoryStore, memory: MakeMemory) -> None:
    group = GroupCommit()
    with store.transaction(group) as mine:
        mine.put(memory("a"), "created", 1)
    group.abandon(KeyboardInterrupt())
    group.commit()
    assert mine.failure is not None
    assert store.all() == []
    with store.transaction() as change:
        change.put(memory("b"), "created", 1)
    check_whole_numbers(store, 1)


def test_a_purge_has_a_commit_of_its_own(store: MemoryStore, memory: MakeMemory) -> None:
    with store.transaction() as change:
        change.put(memory("a"), "created", 1)
    group = GroupCommit()
    with pytest.raises(RuntimeError), store.transaction(group) as change:
        change.delete("a", 2, purge=True)
    group.commit()
    assert store.get("a") is not None


def test_killed_at_random_moments_nothing_acknowledged_is_lost(tmp_path: Path, spawn: SpawnWorker) -> None:
    expected: set[str] = set()
    for number in range(6):
        writer = spawn("write_together", tmp_path, f"r{number:02d}")
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(20 + 13 * number)]
        writer.kill()
        rest = writer.stdout.read()
        writer.wait()
        expected.update(acknowledged("".join(lines) + rest))
        store = MemoryStore.open(tmp_path)
        assert store.repair_message is None
        stored = [record.id for record in store.all()]
        assert len(stored) == len(set(stored))
        assert expected <= set(stored)
        check_whole(store)
        store.close()
    assert len(expected) > 100


def test_eight_processes_share_commits_among_their_own(tmp_path: Path, spawn: SpawnWorker) -> None:
    writers = [spawn("write_together", tmp_path, f"p{number}", 200) for number in range(8)]
    for writer in writers:
        out, err = writer.communicate(timeout=300)
        assert writer.returncode == 0, err
        assert len(acknowledged(out)) == 200
    store = MemoryStore.open(tmp_path)
    assert {record.id for record in store.all()} == {f"p{p}-{n:06d}" for p in range(8) for n in range(200)}
    assert store.seq() == 1_600
    check_whole(store)
    store.close()
