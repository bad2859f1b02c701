"""The types of handlers' methods, which mypy compares in the table with those of the protocol's rows.

Each function returns `method` as it is; `Engine.call` calls it with what the method's row asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

if TYPE_CHECKING:
    from sidecar.engine.handlers.table import EngineHandlers

P = TypeVar("P", bound=msgspec.Struct)
Result = msgspec.Struct | None
Answer = Callable[["EngineHandlers"], Callable[..., Result]]


def anywhere(_: type[P], method: Callable[[EngineHandlers], Callable[[P, Call], Result]]) -> Answer:
    """Answer without a workspace."""
    return method


def in_workspace(_: type[P], method: Callable[[EngineHandlers], Callable[[P, OpenWorkspace, Call], Result]]) -> Answer:
    return method


def in_enabled(_: type[P], method: Callable[[EngineHandlers], Callable[[P, EnabledWorkspace, Call], Result]]) -> Answer:
    """Answer in a workspace whose memory is on."""
    return method
