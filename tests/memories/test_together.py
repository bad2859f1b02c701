"""Threads and processes on the same stores: nothing lost, nothing stale, the same bytes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sidecar.memories.drafts import Filters, InjectRequest
from tests.memories.conftest import BookRig

PROGRAM = """
import sys
from itertools import count
from pathlib import Path
from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, InjectRequest
from sidecar.store.memory_store import MemoryStore

folder, name, now = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
numbers = count()
book = MemoryBook(
    MemoryStore.open(folder / "workspace"),
    MemoryStore.open(folder / "user"),
    lambda: now,
    lambda at: f"{at:012x}-{name}-{next(numbers):04d}",
)
if name == "inject":
    request = InjectRequest(prompt="deploy remark", budget_tokens=400)
    sys.stdout.buffer.write(book.injector.inject(request).text.encode())
else:
    for number in range(8):
        book.recorder.record(Draft(content=f"line {number} of {name}", name="shared", tags=(f"{name}-{number}",)))
"""


def _start(rig: BookRig, name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, str(rig.folder), name, str(rig.clock.now)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def test_processes_that_record_the_same_key_lose_nothing(rig: BookRig) -> None:
    names = ["one", "two", "three"]
    children = [_start(rig, name) for name in names]
    for child in children:
        child.communicate(timeout=300)
        assert child.returncode == 0
    (found,) = rig.book.searcher.list(Filters()).items
    wanted = {f"line {number} of {name}" for name in names for number in range(8)}
    assert set(found.record.content.splitlines()) == wanted
    assert len(found.record.tags) == len(wanted)
    assert found.record.version == len(wanted)
    assert len(rig.book.searcher.history(found.record.id)) == len(wanted)


def test_threads_record_search_and_inject_at_once(rig: BookRig) -> None:
    def work(thread: int) -> None:
        for number in range(6):
            rig.record(f"deploy line {thread} {number}", name="shared")
            rig.record(f"deploy remark {thread} {number}", name=f"own {thread} {number}")
            assert rig.book.searcher.search("deploy", Filters(), 50).items
            assert rig.book.injector.inject(InjectRequest(prompt="deploy remark", session_id="s")).items

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work, thread) for thread in range(4)]:
            done.result(timeout=300)
    assert len(rig.book.searcher.search("deploy", Filters(), 100).items) == 25
    shared = next(
        found.record for found in rig.book.searcher.list(Filters(), 100).items if found.record.name == "shared"
    )
    assert len(shared.content.splitlines()) == 24


def test_another_process_renders_the_same_bytes(rig: BookRig) -> None:
    for number in range(30):
        rig.record(f"deploy remark {number} " + "more " * (number % 7), name=f"n{number}")
    for number in range(0, 30, 3):
        rig.book.editing.update(rig.book.searcher.list(Filters(), 1).items[0].record.id, {"tags": [f"t{number}"]})
    text = rig.book.injector.inject(InjectRequest(prompt="deploy remark", budget_tokens=400)).text
    child = _start(rig, "inject")
    out, _ = child.communicate(timeout=300)
    assert out.decode() == text != ""


def test_two_sessions_at_once_count_each_memory_once_per_session(rig: BookRig) -> None:
    record = rig.record("deploy", name="n").record
    other = rig.reopen()
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(book.injector.inject, InjectRequest(session_id=session))
            for session in ("a", "b")
            for book in (rig.book, other)
            for _ in range(3)
        ]
        for one in asked:
            one.result(timeout=300)
    assert rig.book.searcher.get(record.id).accesses == 2


def test_an_access_noted_by_another_process_counts_at_the_next_request(rig: BookRig) -> None:
    """Counts are kept between requests; with and without them each request weighs by what is true now."""
    ids = [rig.record(f"deploy remark {number}", name=f"n{number}").record.id for number in range(4)]
    other = rig.reopen()
    for round, id in enumerate([ids[3], ids[2], ids[2], ids[1], ids[1], ids[1]]):
        rig.opened[0].record_access([id], rig.clock.now)
        for book in (rig.book, other):
            for _ in range(1 + round % 3):
                fresh = rig.reopen()
                for request in (InjectRequest(), InjectRequest(prompt="deploy remark")):
                    assert book.injector.inject(request) == fresh.injector.inject(request)
                assert book.injector.inject(InjectRequest()).items[0].id == max(
                    ids, key=lambda id: (rig.workspace.access_counts().get(id, 0), -ids.index(id))
                )
