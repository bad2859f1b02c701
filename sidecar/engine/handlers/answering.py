"""How a handler's method answers a request: anywhere, in a workspace, or in one whose memory is on.

A method may also answer consecutive requests together. mypy compares the method's types in the table with those of
the protocol's row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

P = TypeVar("P", bound=msgspec.Struct)
Handlers = TypeVar("Handlers")
Result = msgspec.Struct | None
OpenFor = Callable[[msgspec.Struct], OpenWorkspace]
"""Opens the workspace that a request is about."""

Batch = Sequence[tuple[P, Call]]
Outcomes = Sequence[Result | BaseException]


@dataclass(frozen=True)
class Answer(Generic[Handlers]):
    """How one request of a method is answered, and how consecutive ones that share a commit are answered together.

    `one` gets the open workspace that the request is about, or None if the method's row names no workspace.
    """

    one: Callable[[Handlers, msgspec.Struct, OpenWorkspace | None, Call], Result]
    together: Callable[[Handlers, Batch[msgspec.Struct], OpenFor], Outcomes] | None = None


def anywhere(kind: type[P], method: Callable[[Handlers], Callable[[P, Call], Result]]) -> Answer[Handlers]:
    def answer(handlers: Handlers, params: msgspec.Struct, _: OpenWorkspace | None, call: Call) -> Result:
        assert isinstance(params, kind)
        return method(handlers)(params, call)

    return Answer(answer)


def in_workspace(
    kind: type[P], method: Callable[[Handlers], Callable[[P, OpenWorkspace, Call], Result]]
) -> Answer[Handlers]:
    def answer(handlers: Handlers, params: msgspec.Struct, workspace: OpenWorkspace | None, call: Call) -> Result:
        assert isinstance(params, kind)
        assert workspace is not None
        return method(handlers)(params, workspace, call)

    return Answer(answer)


def in_enabled(
    kind: type[P],
    method: Callable[[Handlers], Callable[[P, EnabledWorkspace, Call], Result]],
    together: Callable[[Handlers], Callable[[Batch[P], EnabledWorkspace], Outcomes]] | None = None,
) -> Answer[Handlers]:
    """Raise `MemoryDisabled` in a workspace whose memory is off."""

    def answer(handlers: Handlers, params: msgspec.Struct, workspace: OpenWorkspace | None, call: Call) -> Result:
        assert isinstance(params, kind)
        assert workspace is not None
        return method(handlers)(params, workspace.require_enabled(), call)

    def answer_together(handlers: Handlers, requests: Batch[msgspec.Struct], open_for: OpenFor) -> Outcomes:
        assert together is not None
        typed = [(params, call) for params, call in requests if isinstance(params, kind)]
        outcomes: list[Result | BaseException] = []
        for workspace, group in groupby(typed, lambda request: _enabled_or_error(open_for, request[0])):
            batch = list(group)
            if isinstance(workspace, BaseException):
                outcomes += [workspace] * len(batch)
            else:
                outcomes += together(handlers)(batch, workspace)
        return outcomes

    return Answer(answer, answer_together if together is not None else None)


def _enabled_or_error(open_for: OpenFor, params: msgspec.Struct) -> EnabledWorkspace | BaseException:
    try:
        return open_for(params).require_enabled()
    except BaseException as error:  # noqa: BLE001 - each request is owed an answer
        return error
