"""Many processes and threads on one store: no lost update, nobody is told that the database is locked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import msgspec
import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import Changes, MemoryKey, MemoryStore
from sidecar.store.records import ContentRecord, MemoryRecord, SessionRecord
from tests.store.conftest import SpawnWorker

MakeMemory = Callable[..., MemoryRecord]
MakeContent = Callable[..., ContentRecord]

PROCESSES, TIMES = 8, 50
SHARED = MemoryKey("project", "project", None, "shared")


def run_together(processes: list[Popen[str]]) -> list[str]:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = []
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        results.append(out)
    return results


def test_no_update_of_eight_processes_is_lost(tmp_path: Path, spawn: SpawnWorker) -> None:
    run_together([spawn("merge", tmp_path, f"p{n}", TIMES) for n in range(PROCESSES)])
    store = MemoryStore.open(tmp_path)
    lines = {f"p{p}:{n}" for p in range(PROCESSES) for n in range(TIMES)}
    merged = store.find(SHARED)
    assert merged is not None
    assert sorted(merged.content.split()) == sorted(lines)
    assert merged.version == PROCESSES * TIMES == len(store.history(merged.id))
    # Each transaction changed two memories; each change has a number of its own.
    assert store.seq() == 2 * PROCESSES * TIMES
    assert set(store.changes(0).ids or ()) == {record.id for record in store.all()}
    assert len(store.all()) == PROCESSES * TIMES + 1
    assert store.access_counts() == {"shared": PROCESSES * TIMES}
    session = store.session("shared")
    assert session is not None
    assert sorted(session.shown) == sorted(lines)
    store.close()


def test_eight_processes_on_one_file_store(tmp_path: Path, spawn: SpawnWorker) -> None:
    run_together([spawn("files", tmp_path, f"p{n}", TIMES) for n in range(PROCESSES)])
    store = FileStore.open(tmp_path)
    hashes = {f"p{p}-{n}" for p in range(PROCESSES) for n in range(TIMES)} | {f"shared-{n}" for n in range(TIMES)}
    assert store.count() == len(hashes)
    assert {hash for hash, _, _, _ in store.pointers("checkout")[0].files.values()} == hashes
    assert len(store.contents((hash_, "python", 1) for hash_ in hashes)) == len(hashes)
    store.close()


def test_another_process_is_seen_by_the_next_request(tmp_path: Path, spawn: SpawnWorker) -> None:
    store = MemoryStore.open(tmp_path)
    before = store.seq()
    other = spawn("open_at", tmp_path, 0)
    out, err = other.communicate(timeout=200)
    assert other.returncode == 0, err
    assert store.changes(before) == Changes(before + 1, (f"by-{other.pid}",))
    assert store.get(f"by-{other.pid}") is not None
    assert out.startswith("opened None None")
    store.close()


def test_a_new_store_opened_by_many_at_the_same_moment(tmp_path: Path, spawn: SpawnWorker) -> None:
    for round in range(3):
        directory = tmp_path / f"new{round}" / "deep"
        moment = time.time() + 1.5
        opened = [spawn("open_at", directory, moment) for _ in range(6)]
        for process in opened:
            out, err = process.communicate(timeout=200)
            assert (process.returncode, out) == (0, "opened None None\n"), err
        store = MemoryStore.open(directory)
        assert store.seq() == len(store.all()) == 6
        store.close()


def test_opening_while_others_write(tmp_path: Path, spawn: SpawnWorker) -> None:
    writers = [spawn("write", tmp_path, f"w{n}") for n in range(3)]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    for _ in range(5):
        process = spawn("open_at", tmp_path, 0)
        out, err = process.communicate(timeout=200)
        assert (process.returncode, out) == (0, "opened None None\n"), err
        store = MemoryStore.open(tmp_path)
        assert store.get(f"by-{process.pid}") is not None
        store.close()
    assert [writer.poll() for writer in writers] == [None] * 3


def test_threads_lose_no_update(store: MemoryStore, memory: MakeMemory) -> None:
    with store.transaction() as change:
        change.put(memory("m", version=0), "created", 0)
    failures: list[BaseException] = []

    def count() -> None:
        try:
            for _ in range(25):
                with store.transaction() as change:
                    known = change.get("m")
                    assert known is not None
                    change.put(msgspec.structs.replace(known, version=known.version + 1), "updated", 1)
                store.update_session("s", lambda old: session(old))
                assert store.get("m") is not None
        except BaseException as error:
            failures.append(error)

    def session(old: SessionRecord | None) -> SessionRecord:
        return SessionRecord(id="s", started_at=1, seen_at=(old.seen_at if old else 0) + 1)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    final, seen = store.get("m"), store.session("s")
    assert final is not None
    assert seen is not None
    assert (final.version, seen.seen_at) == (200, 200)


def test_a_failed_transaction_leaves_nothing_behind(store: MemoryStore, memory: MakeMemory) -> None:
    with store.transaction() as change:
        change.put(memory("kept", name="one"), "created", 1)

    def fail() -> None:
        with store.transaction() as change:
            change.put(memory("kept", name="two"), "updated", 2)
            change.put(memory("new"), "created", 2)
            change.delete("kept", 2, purge=True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    kept = store.get("kept")
    assert kept is not None
    assert kept.name == "one"
    assert (store.get("new"), store.seq(), len(store.history("kept"))) == (None, 1, 1)
    assert store.find(MemoryKey("project", "project", None, "one")) == kept
    assert store.find(MemoryKey("project", "project", None, "two")) is None


def test_other_threads_do_not_see_a_transaction_before_it_ends(store: MemoryStore, memory: MakeMemory) -> None:
    seen: list[object] = []
    with store.transaction() as change:
        change.put(memory("m"), "created", 1)
        reader = threading.Thread(target=lambda: seen.extend((store.get("m"), store.seq(), store.all())))
        reader.start()
        reader.join()
        assert store.get("m") is not None
    assert seen == [None, 0, []]


def test_a_nested_transaction_is_refused_and_an_ended_one_is_of_no_use(store: MemoryStore, memory: MakeMemory) -> None:
    with store.transaction() as change:
        change.put(memory("m"), "created", 1)
        with pytest.raises(RuntimeError), store.transaction():
            pass
    assert store.get("m") is not None
    with pytest.raises(RuntimeError):
        change.put(memory("n"), "created", 1)


def test_a_forked_child_is_refused_and_harms_nothing(store: MemoryStore, memory: MakeMemory) -> None:
    with store.transaction() as change:
        change.put(memory("parent"), "created", 1)
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction() as change:
            change.put(memory("held"), "created", 1)
            holding.set()
            release.wait(200)

    holder = threading.Thread(target=hold)
    holder.start()
    holding.wait(200)
    # The child is born while another thread of the parent holds the lock and a transaction.
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (store.all, store.seq, lambda: store.record_access(["m"], 1), store.transaction().__enter__):
            try:
                use()
            except StoreUnavailable as error:
                refused += error.data.reason == "forked"
        store.close()
        os._exit(refused)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 4
    release.set()
    holder.join()
    with store.transaction() as change:
        change.put(memory("after"), "created", 1)
    assert {record.id for record in store.all()} == {"parent", "held", "after"}


def test_close_closes_the_connections_of_every_thread(tmp_path: Path, memory: MakeMemory, content: MakeContent) -> None:
    psutil = pytest.importorskip("psutil")
    store, derived = MemoryStore.open(tmp_path), FileStore.open(tmp_path)
    stay = threading.Event()

    def use() -> None:
        store.all()
        store.session("s")
        derived.put_contents([content("h")])
        ready.release()
        stay.wait(200)

    ready = threading.Semaphore(0)
    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in threads:
        ready.acquire()

    def held() -> list[str]:
        return [
            open_file.path for open_file in psutil.Process().open_files() if open_file.path.startswith(str(tmp_path))
        ]

    assert held()
    store.close()
    derived.close()
    assert held() == []
    stay.set()
    for thread in threads:
        thread.join()
    for use_after in (store.seq, store.all, derived.count, lambda: store.record_access(["m"], 1)):
        with pytest.raises(StoreUnavailable):
            use_after()
    assert held() == []


def test_open_files_do_not_grow_with_threads(tmp_path: Path, memory: MakeMemory) -> None:
    psutil = pytest.importorskip("psutil")
    store = MemoryStore.open(tmp_path)
    done, stay = threading.Semaphore(0), threading.Event()

    def use(number: int) -> None:
        with store.transaction() as change:
            change.put(memory(f"m{number}"), "created", 1)
        store.all()
        store.session("s")
        done.release()
        stay.wait(200)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
        done.acquire()
    # On macOS a process may have 256 files open unless it asks for more, and it may serve many folders.
    held = [open_file.path for open_file in psutil.Process().open_files() if open_file.path.startswith(str(tmp_path))]
    assert len(held) <= 12, held
    stay.set()
    for thread in threads:
        thread.join()
    assert len(store.all()) == 30
    store.close()


def test_close_waits_for_no_one_for_ever(tmp_path: Path, memory: MakeMemory) -> None:
    store = MemoryStore.open(tmp_path)
    inside, release = threading.Event(), threading.Event()

    def write() -> None:
        with store.transaction() as change:
            change.put(memory("m"), "created", 1)
            inside.set()
            release.wait(200)

    writer = threading.Thread(target=write)
    writer.start()
    inside.wait(200)
    store.close()
    release.set()
    writer.join()
    again = MemoryStore.open(tmp_path)
    assert again.get("m") is not None
    again.close()
