"""How a handler's method answers a request: anywhere, in a workspace, or in one whose memory is on.

mypy compares the method's types in the table with those of the protocol's row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

P = TypeVar("P", bound=msgspec.Struct)
Handlers = TypeVar("Handlers")
Result = msgspec.Struct | None
OpenFor = Callable[[msgspec.Struct], OpenWorkspace]
"""Opens the workspace that a request is about."""

Answer = Callable[[Handlers, msgspec.Struct, OpenFor, Call], Result]


def anywhere(kind: type[P], method: Callable[[Handlers], Callable[[P, Call], Result]]) -> Answer[Handlers]:
    def answer(handlers: Handlers, params: msgspec.Struct, _: OpenFor, call: Call) -> Result:
        assert isinstance(params, kind)
        return method(handlers)(params, call)

    return answer


def in_workspace(
    kind: type[P], method: Callable[[Handlers], Callable[[P, OpenWorkspace, Call], Result]]
) -> Answer[Handlers]:
    def answer(handlers: Handlers, params: msgspec.Struct, open_for: OpenFor, call: Call) -> Result:
        assert isinstance(params, kind)
        return method(handlers)(params, open_for(params), call)

    return answer


def in_enabled(
    kind: type[P], method: Callable[[Handlers], Callable[[P, EnabledWorkspace, Call], Result]]
) -> Answer[Handlers]:
    """Raise `MemoryDisabled` in a workspace whose memory is off."""

    def answer(handlers: Handlers, params: msgspec.Struct, open_for: OpenFor, call: Call) -> Result:
        assert isinstance(params, kind)
        return method(handlers)(params, open_for(params).require_enabled(), call)

    return answer
