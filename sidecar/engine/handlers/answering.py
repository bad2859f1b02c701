"""The types of handlers' methods, which mypy compares in the table with those of the protocol's rows.

Each function returns `method` as it is; `Engine.call` calls it with what the method's row asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from sidecar.engine.enabled_workspace import EnabledWorkspace
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Call

if TYPE_CHECKING:
    from sidecar.engine.handlers.table import EngineHandlers

P = TypeVar("P", bound=msgspec.Struct)
Result = msgspec.Struct | None
Outcome = Result | BaseException
Answer = Callable[["EngineHandlers"], Callable[..., Result]]
BatchMethod = Callable[[Sequence[tuple[P, Call]], Callable[[P], EnabledWorkspace]], Sequence[Outcome]]
BatchAnswer = Callable[["EngineHandlers"], Callable[..., Sequence[Outcome]]]


def anywhere(_: type[P], method: Callable[[EngineHandlers], Callable[[P, Call], Result]]) -> Answer:
    """Answer without a workspace."""
    return method


def in_workspace(_: type[P], method: Callable[[EngineHandlers], Callable[[P, OpenWorkspace, Call], Result]]) -> Answer:
    return method


def in_enabled(_: type[P], method: Callable[[EngineHandlers], Callable[[P, EnabledWorkspace, Call], Result]]) -> Answer:
    """Answer in a workspace whose memory is on."""
    return method


def in_batch(_: type[P], method: Callable[[EngineHandlers], BatchMethod[P]]) -> BatchAnswer:
    """Answer consecutive requests together, each in its own workspace whose memory is on."""
    return method
