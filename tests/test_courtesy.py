from __future__ import annotations

import threading
import time

import pytest

from sidecar.background import Operation, Operations
from sidecar.courtesy import Courtesy
from sidecar.errors import Cancelled


def test_a_step_of_the_background_waits_for_the_requests_being_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sidecar.courtesy.LONGEST_REST", 60.0)
    courtesy = Courtesy()
    order: list[str] = []
    asked, going = threading.Event(), threading.Event()

    def work(operation: Operation) -> None:
        going.set()
        asked.wait(10)
        operation.step(1, 2)
        order.append("step")

    operations = Operations(courtesy)
    thread = operations.start("work", "a test", work)
    assert thread is not None
    assert going.wait(10)
    with courtesy.answering(), courtesy.answering():
        asked.set()
        time.sleep(0.05)  # in which an impatient step would have gone on
        order.append("answered")
    thread.join(10)
    assert order == ["answered", "step"]
    assert operations.get("work").state == "done"


def test_constant_asking_stops_no_background_work() -> None:
    courtesy = Courtesy()
    with courtesy.answering():
        courtesy.give_way()  # returns, or the test hangs


def test_a_cancelled_operation_ends_at_its_next_step() -> None:
    operation = Operation("work")
    operation.call.cancel()
    with pytest.raises(Cancelled):
        operation.check()
