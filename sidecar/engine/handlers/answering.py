"""The types of handlers' methods, which mypy compares in the table with those of the protocol's rows.

Each function returns `method` as it is; `Engine.call` calls it with what the method's row asks for.
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
Answer = Callable[[Handlers], Callable[..., Result]]


def anywhere(_: type[P], method: Callable[[Handlers], Callable[[P, Call], Result]]) -> Answer[Handlers]:
    """Answer without a workspace."""
    return method


def in_workspace(
    _: type[P], method: Callable[[Handlers], Callable[[P, OpenWorkspace, Call], Result]]
) -> Answer[Handlers]:
    return method


def in_enabled(
    _: type[P], method: Callable[[Handlers], Callable[[P, EnabledWorkspace, Call], Result]]
) -> Answer[Handlers]:
    """Answer in a workspace whose memory is on."""
    return method
