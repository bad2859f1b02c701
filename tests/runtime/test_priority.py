"""Background work gives way to requests, and still gets done."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from sidecar.runtime.errors import Cancelled
from sidecar.runtime.operations import Operation, Operations
from sidecar.runtime.priority import Priority, serve_attentively


def test_a_step_of_the_background_waits_for_the_requests_being_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.runtime.priority.MAX_STEP_WAIT_SECONDS", 60.0)
    priority = Priority()
    order: list[str] = []
    asked, going = threading.Event(), threading.Event()

    def work(operation: Operation) -> None:
        going.set()
        asked.wait(60)
        operation.step(1, 2)
        order.append("step")

    operations = Operations(priority)
    thread = operations.start("work", "a test", work)
    assert thread is not None
    assert going.wait(60)
    with priority.answering(), priority.answering():
        asked.set()
        time.sleep(0.05)  # long enough for an early step to go on
        order.append("answered")
    thread.join(60)
    assert order == ["answered", "step"]
    assert operations.get("work").state == "done"


def test_constant_asking_stops_no_background_work() -> None:
    priority = Priority()
    with priority.answering():
        priority.give_way()  # returns, or the test hangs


def test_a_cancelled_operation_ends_at_its_next_step() -> None:
    operation = Operation("work", Priority())
    operation.context.cancel()
    with pytest.raises(Cancelled):
        operation.check()


class Ring:
    """Refers to itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def collector() -> Iterator[None]:
    before, pause = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.set_threshold(*before)
    sys.setswitchinterval(pause)
    gc.unfreeze()
    gc.collect()


@pytest.mark.usefixtures("collector")
def test_everything_is_looked_through_when_it_is_quiet_and_only_then() -> None:
    serve_attentively()
    priority = Priority()
    gc.collect()
    ring = Ring()
    gone = weakref.ref(ring)
    gc.collect(1)  # it is in the oldest generation now
    del ring
    kept = [[number] for number in range(300_000)]  # would otherwise trigger a full collection
    assert gone() is not None
    priority.collect_garbage()
    assert gone() is None
    frozen = gc.get_freeze_count()
    assert frozen > len(kept)


@pytest.mark.usefixtures("collector")
def test_frozen_objects_are_collected_after_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    priority = Priority()
    ring = Ring()
    gone = weakref.ref(ring)
    priority.freeze_heap()
    del ring
    gc.collect()
    priority.collect_garbage()
    assert gone() is not None
    monkeypatch.setattr("sidecar.runtime.priority.THOROUGH_COLLECTION_SECONDS", 0.0)
    priority.collect_garbage()
    assert gone() is None


@pytest.mark.usefixtures("collector")
def test_frozen_objects_are_collected_when_a_workspace_was_closed() -> None:
    priority = Priority()
    ring = Ring()
    gone = weakref.ref(ring)
    priority.freeze_heap()
    del ring
    gc.collect()
    assert gone() is not None
    priority.unfreeze_heap()
    gc.collect()
    assert gone() is None


_HEAPS = """
import ctypes, os, sys, threading
from sidecar.runtime.priority import serve_attentively
libc = ctypes.CDLL(None)
if not hasattr(libc, "malloc_info"):
    sys.exit(77)
serve_attentively()
together = threading.Barrier(12)
def work():
    kept = [bytearray(20_000) for _ in range(50)]
    together.wait(30)
    del kept
threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fdopen.restype = ctypes.c_void_p
stream = ctypes.c_void_p(libc.fdopen(os.dup(1), b"w"))
libc.malloc_info(0, stream)
libc.fclose(stream)
"""


def test_threads_share_what_memory_is_free() -> None:
    done = subprocess.run([sys.executable, "-c", _HEAPS], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("no glibc")
    assert done.returncode == 0, done.stderr
    assert 1 <= done.stdout.count("<heap nr=") <= 2


def at_once(priority: Priority, pieces: int) -> int:
    """Return how many of these pieces of work run at the same time."""
    lock, busy, most = threading.Lock(), 0, 0
    everybody = threading.Barrier(pieces)

    def work() -> None:
        nonlocal busy, most
        everybody.wait(60)
        with priority.turn():
            with lock:
                busy += 1
                most = max(most, busy)
            time.sleep(0.05)
            with lock:
                busy -= 1

    threads = [threading.Thread(target=work) for _ in range(pieces)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return most


def test_longer_pieces_take_turns_while_requests_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("sidecar.runtime.priority.RECENT_REQUEST_SECONDS", 600.0)
    monkeypatch.setattr("sidecar.runtime.priority.MAX_TURN_WAIT_SECONDS", 600.0)
    priority = Priority()
    with priority.answering():
        pass
    assert at_once(priority, 4) == 1


def test_nothing_takes_turns_while_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.runtime.priority.RECENT_REQUEST_SECONDS", 0.0)
    priority = Priority()
    with priority.answering():
        pass
    both = threading.Barrier(2)

    def work() -> None:
        with priority.turn():
            both.wait(60)  # breaks unless the other one arrives too

    thread = threading.Thread(target=work)
    thread.start()
    work()
    thread.join(60)
    assert not both.broken


def in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(100)
    assert not thread.is_alive()


def one_turn(priority: Priority) -> None:
    with priority.turn():
        pass


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Priority:
    """Make a request recent, and allow only one piece of work at a time."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("sidecar.runtime.priority.RECENT_REQUEST_SECONDS", 600.0)
    monkeypatch.setattr("sidecar.runtime.priority.MAX_TURN_WAIT_SECONDS", 600.0)
    priority = Priority()
    with priority.answering():
        pass
    return priority


def test_a_piece_that_takes_for_ever_stops_no_other(asked: Priority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.runtime.priority.MAX_TURN_WAIT_SECONDS", 0.01)
    with asked.turn():
        in_a_thread(lambda: one_turn(asked))
    monkeypatch.setattr("sidecar.runtime.priority.MAX_TURN_WAIT_SECONDS", 600.0)
    in_a_thread(lambda: one_turn(asked))  # nothing is frozen any more


def test_a_turn_that_fails_is_given_back(asked: Priority) -> None:
    with pytest.raises(ValueError, match="no"), asked.turn():
        raise ValueError("no")
    in_a_thread(lambda: one_turn(asked))


def test_after_a_piece_the_processors_rest_for_as_long(asked: Priority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.runtime.priority.MAX_TURN_PAUSE_SECONDS", 600.0)
    began = time.monotonic()
    with asked.turn():
        time.sleep(0.1)
        took = time.monotonic() - began
    in_a_thread(lambda: one_turn(asked))
    assert time.monotonic() - began >= 0.1 + took
