"""Long operations: one of a kind at a time, and what is started meanwhile."""

from __future__ import annotations

import threading

from sidecar.runtime.operations import Operation, Operations, Work
from sidecar.runtime.priority import Priority


def test_an_operation_started_meanwhile_runs_its_own_work_afterwards() -> None:
    operations, entered, go_on = Operations(Priority()), threading.Event(), threading.Event()
    ran: list[tuple[str, str | None]] = []

    def first(operation: Operation) -> None:
        entered.set()
        assert go_on.wait(60)
        ran.append(("first", operation.cause))

    def work(name: str) -> Work:
        return lambda operation: ran.append((name, operation.cause))

    thread = operations.start("read", "opened", first)
    assert entered.wait(60)
    assert thread is not None
    for name in ("second", "third"):
        assert operations.start("read", name, work(name)) is thread
    go_on.set()
    thread.join(60)
    assert ran == [("first", "opened"), ("third", "third")]


def test_a_run_that_was_queued_begins_without_the_progress_of_the_one_before() -> None:
    operations, entered, go_on = Operations(Priority()), threading.Event(), threading.Event()
    progress: list[tuple[int, int]] = []

    def first(operation: Operation) -> None:
        operation.step(7, 9)
        entered.set()
        assert go_on.wait(60)

    thread = operations.start("read", "opened", first)
    assert entered.wait(60)
    assert thread is not None
    operations.start("read", "again", lambda operation: progress.append((operation.done, operation.total)))
    go_on.set()
    thread.join(60)
    assert progress == [(0, 0)]
