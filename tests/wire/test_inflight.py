"""A request in flight is answered once, whatever comes first, and by the rules of its client's protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sidecar.lsp import failures as lsp
from sidecar.mcp import failures as mcp
from sidecar.runtime.errors import Cancelled, MemoryNotFound
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import response

ANSWERS: dict[str, Callable[[InFlight, Pending], object]] = {
    "result": lambda requests, pending: requests.answer(pending, response(pending.id, b"1")),
    "error": lambda requests, pending: requests.fail(pending, MemoryNotFound("It is gone.")),
    "cancellation": lambda requests, pending: requests.cancel(pending),
}


def body(frame: bytes) -> Any:
    return json.loads(frame[frame.index(b"{") :])


@pytest.mark.parametrize("first", ANSWERS)
@pytest.mark.parametrize("second", ANSWERS)
def test_a_request_gets_its_first_answer_alone(first: str, second: str) -> None:
    sent: list[bytes] = []
    requests, pending = InFlight(sent.append, lsp), Pending(1, "memory/get")
    assert requests.accept(pending)
    ANSWERS[first](requests, pending)
    ANSWERS[second](requests, pending)
    assert len(sent) == 1
    assert ("result" in body(sent[0])) == (first == "result")
    assert not requests.all()


def test_an_id_is_refused_while_it_is_in_use_and_free_afterwards() -> None:
    sent: list[bytes] = []
    requests, first, again = InFlight(sent.append, lsp), Pending(1, "memory/get"), Pending(1, "memory/list")
    assert requests.accept(first)
    assert not requests.accept(again)
    assert body(sent[0])["error"]["message"] == "A request with the id 1 is still in flight."
    assert requests.get(1) is first
    requests.fail(first, MemoryNotFound("It is gone."))
    assert requests.accept(again)


def test_a_cancelled_request_stops_its_work_and_is_answered_in_lsp_alone() -> None:
    for frames, answers in ((lsp, 1), (mcp, 0)):
        sent: list[bytes] = []
        stopped: list[str] = []
        requests = InFlight(sent.append, frames)
        pending = Pending(1, "tools/call", on_cancel=partial(stopped.append, "once"))
        requests.accept(pending)
        requests.cancel(pending)
        requests.cancel(pending)
        assert (len(sent), stopped) == (answers, ["once"])
        with pytest.raises(Cancelled):
            pending.check()
