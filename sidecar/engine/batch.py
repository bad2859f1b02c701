"""Answer write requests that arrive together, so that one commit makes all of them durable."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

import msgspec

from sidecar.engine.request_counts import RequestCounts
from sidecar.runtime.cancellation import Call
from sidecar.store.memory_store import SharedCommit

Steps: TypeAlias = Generator[None, None, msgspec.Struct]
"""Answers a request in three steps: the part without a transaction, the part that joins a commit, and the rest."""

Asked: TypeAlias = tuple[msgspec.Struct, Call]
StepsHandler: TypeAlias = Callable[[Any, Call, SharedCommit], Steps]
OnAnswered: TypeAlias = Callable[[int, msgspec.Struct | BaseException], None]


def answer_together(
    method: str,
    begin: StepsHandler,
    alone: Callable[[msgspec.Struct, Call], msgspec.Struct],
    counts: RequestCounts,
    requests: Sequence[Asked],
    answer: OnAnswered,
) -> None:
    """Call `answer` with the place and the result or exception of each request, in order, once it is durable.

    `begin` returns the steps of one request. A request whose commit failed is answered `alone`, so that it fails by
    itself or not at all.
    """
    began, shared = time.monotonic(), SharedCommit()
    steps = {index: begin(params, call, shared) for index, (params, call) in enumerate(requests)}
    ended: dict[int, BaseException] = {}

    def advance(index: int, *, stored: bool = False) -> msgspec.Struct | None:
        try:
            if not stored:  # stored memories are also linked and announced
                requests[index][1].check()
            next(steps[index])
        except StopIteration as stop:
            result: msgspec.Struct = stop.value
            return result
        except BaseException as error:  # noqa: BLE001 - each of them is owed an answer
            ended[index] = error
        return None

    for index in steps:
        advance(index)
    try:
        for index in steps:
            if index not in ended:
                shared.member = index
                advance(index)
    finally:
        shared.commit()
    for index, (params, call) in enumerate(requests):
        outcome: msgspec.Struct | BaseException | None
        if index in shared.failed:
            try:
                outcome = alone(params, call)
            except BaseException as error:  # noqa: BLE001 - likewise
                outcome = error
        else:
            result = None if index in ended else advance(index, stored=True)
            outcome = ended.get(index, result)
            counts.add(method, ended.get(index), time.monotonic() - began)
        assert outcome is not None
        answer(index, outcome)
