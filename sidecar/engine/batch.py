"""Answer write requests that arrive together, so that one commit makes all of them durable."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

import msgspec

from sidecar.engine.request_counts import RequestCounts
from sidecar.runtime.cancellation import Call
from sidecar.store.memory_store import SharedCommit

Steps: TypeAlias = Generator[None, None, msgspec.Struct]
"""Answers a request in three steps: the part without a transaction, the part that joins a commit, and the rest."""

Answered = TypeVar("Answered", bound=msgspec.Struct)
Asked: TypeAlias = tuple[msgspec.Struct, Call]
StepsHandler: TypeAlias = Callable[[Any, Call, SharedCommit], Steps]
OnAnswered: TypeAlias = Callable[[int, msgspec.Struct | BaseException], None]


def answer_together(
    method: str,
    begin: StepsHandler,
    alone: Callable[[msgspec.Struct, Call], msgspec.Struct],
    counts: RequestCounts,
    asked: Sequence[Asked],
    answer: OnAnswered,
) -> None:
    """Call `answer` with the place and the result or exception of each request, in order, once it is durable.

    `begin` returns the steps of one request. A request whose commit failed is answered `alone`, so that it fails by
    itself or not at all.
    """
    began, shared = time.monotonic(), SharedCommit()
    steps = {place: begin(params, call, shared) for place, (params, call) in enumerate(asked)}
    ended: dict[int, BaseException] = {}

    def advance(place: int, *, stored: bool = False) -> msgspec.Struct | None:
        try:
            if not stored:  # stored memories are also linked and announced
                asked[place][1].check()
            next(steps[place])
        except StopIteration as stop:
            result: msgspec.Struct = stop.value
            return result
        except BaseException as error:  # noqa: BLE001 - each of them is owed an answer
            ended[place] = error
        return None

    for place in steps:
        advance(place)
    try:
        for place in steps:
            if place not in ended:
                shared.member = place
                advance(place)
    finally:
        shared.commit()
    for place, (params, call) in enumerate(asked):
        outcome: msgspec.Struct | BaseException | None
        if place in shared.failed:
            try:
                outcome = alone(params, call)
            except BaseException as error:  # noqa: BLE001 - likewise
                outcome = error
        else:
            result = None if place in ended else advance(place, stored=True)
            outcome = ended.get(place, result)
            counts.add(method, ended.get(place), time.monotonic() - began)
        assert outcome is not None
        answer(place, outcome)


def in_one_go(steps: Generator[None, None, Answered]) -> Answered:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return cast(Answered, stop.value)
