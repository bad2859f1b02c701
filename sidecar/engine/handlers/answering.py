"""How a handler's method is called: with parameters of its own type, and with the workspace in which it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

H = TypeVar("H")
P = TypeVar("P", bound=msgspec.Struct)
Result = msgspec.Struct | None
OpenOne = Callable[[], OpenWorkspace]
OpenFor = Callable[[msgspec.Struct], OpenWorkspace]
Answer = Callable[[H, msgspec.Struct, OpenOne, Call], Result]
BatchAnswer = Callable[[H, Sequence[tuple[msgspec.Struct, Call]], OpenFor], Sequence[Result | BaseException]]


def alone(kind: type[P], method: Callable[[H], Callable[[P, Call], Result]]) -> Answer[H]:
    """Answer without a workspace."""
    return lambda handlers, params, _, call: method(handlers)(narrowed(kind, params), call)


def in_workspace(kind: type[P], method: Callable[[H], Callable[[P, OpenWorkspace, Call], Result]]) -> Answer[H]:
    return lambda handlers, params, opened, call: method(handlers)(narrowed(kind, params), opened(), call)


def in_enabled(kind: type[P], method: Callable[[H], Callable[[P, EnabledWorkspace, Call], Result]]) -> Answer[H]:
    """Answer in a workspace whose memory is on. The answer raises `MemoryDisabled` for any other."""

    def answer(handlers: H, params: msgspec.Struct, opened: OpenOne, call: Call) -> Result:
        return method(handlers)(narrowed(kind, params), opened().require_enabled(), call)

    return answer


def together(
    kind: type[P],
    method: Callable[
        [H], Callable[[Sequence[tuple[P, Call]], Callable[[P], EnabledWorkspace]], Sequence[Result | BaseException]]
    ],
) -> BatchAnswer[H]:
    """Answer consecutive requests together, each in its own workspace whose memory is on."""

    def answer(
        handlers: H, requests: Sequence[tuple[msgspec.Struct, Call]], open_for: OpenFor
    ) -> Sequence[Result | BaseException]:
        typed = [(narrowed(kind, params), call) for params, call in requests]
        return method(handlers)(typed, lambda params: open_for(params).require_enabled())

    return answer


def narrowed(kind: type[P], params: msgspec.Struct) -> P:
    """Return the parameters as the method's own type. Raises TypeError for those of another method."""
    if not isinstance(params, kind):
        raise TypeError(f"The method takes {kind.__name__}, not {type(params).__name__}.")
    return params
