"""How a row of the table calls its handler's method: with typed parameters, in a workspace of the right kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

E = TypeVar("E")  # the engine's parts, with its handlers
P = TypeVar("P", bound=msgspec.Struct)
Result = msgspec.Struct | None
Outcome = Result | BaseException
OpenFor = Callable[[msgspec.Struct], OpenWorkspace]
BatchMethod = Callable[[Sequence[tuple[P, Call]], Callable[[P], EnabledWorkspace]], Sequence[Outcome]]
Answer = Callable[[E, msgspec.Struct, OpenFor, Call], Result]
BatchAnswer = Callable[[E, Sequence[tuple[msgspec.Struct, Call]], OpenFor], Sequence[Outcome]]


def anywhere(kind: type[P], method: Callable[[E], Callable[[P, Call], Result]]) -> Answer[E]:
    """Answer without a workspace."""
    return lambda engine, params, _, call: method(engine)(_narrow(kind, params), call)


def in_workspace(kind: type[P], method: Callable[[E], Callable[[P, OpenWorkspace, Call], Result]]) -> Answer[E]:
    return lambda engine, params, open_for, call: method(engine)(_narrow(kind, params), open_for(params), call)


def in_enabled(kind: type[P], method: Callable[[E], Callable[[P, EnabledWorkspace, Call], Result]]) -> Answer[E]:
    """Answer in a workspace whose memory is on; raise `MemoryDisabled` in any other."""

    def answer(engine: E, params: msgspec.Struct, open_for: OpenFor, call: Call) -> Result:
        return method(engine)(_narrow(kind, params), open_for(params).require_enabled(), call)

    return answer


def in_batch(kind: type[P], method: Callable[[E], BatchMethod[P]]) -> BatchAnswer[E]:
    """Answer consecutive requests together, each in its own workspace whose memory is on."""

    def answer(engine: E, requests: Sequence[tuple[msgspec.Struct, Call]], open_for: OpenFor) -> Sequence[Outcome]:
        typed = [(_narrow(kind, params), call) for params, call in requests]
        return method(engine)(typed, lambda params: open_for(params).require_enabled())

    return answer


def _narrow(kind: type[P], params: msgspec.Struct) -> P:
    """Return the parameters as the method's own type. Raises TypeError for those of another method."""
    if not isinstance(params, kind):
        raise TypeError(f"The method takes {kind.__name__}, not {type(params).__name__}.")
    return params
