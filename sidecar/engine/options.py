"""How an engine and its workspaces run, as decided when they are created."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock, epoch_ms
from sidecar.runtime.ids import TimeOrderedIds
from sidecar.settings import Settings

if TYPE_CHECKING:
    from sidecar.models.chat_models import ChatPort

Source = Literal["agent", "user"]
SourceOf = Callable[[Context], Source]
"""Returns who records in a request."""


class EngineOptions(msgspec.Struct, frozen=True):
    """How an engine runs; the defaults are those of a server that nobody else may query.

    `clock` returns epoch milliseconds. `source` says who records through this engine. The sessions started here end
    with `process`.
    """

    clock: Clock = epoch_ms
    new_id: Callable[[int], str] = msgspec.field(default_factory=TimeOrderedIds)
    source: Source = "agent"
    process: str | None = None
    settings_problems: Sequence[str] = ()
    short_lived: bool = False
    """The process answers a call or two: nothing is watched, read ahead or prepared in the background."""
    starts_sessions: bool = True
    """Events start their sessions and count as heartbeats; otherwise they belong to ended sessions."""
    keeps_journals: bool = False
    """Events of sessions are written to a journal before anything is learned from them; needs `process`."""
    listens: bool = False
    """Hooks and commands of the same user may query this engine over a socket."""
    client_model: Callable[[], ChatPort | None] = lambda: None
    """Returns the model that the client offers by now, which workspaces use where their settings allow it."""


class WorkspaceOptions(msgspec.Struct, frozen=True):
    """How a folder is opened; `uri` is the client's name for it, `settings_problems` include those of its own file."""

    folder: Path
    settings: Settings
    uri: str | None = None
    client_watches: bool = False
    settings_problems: Sequence[str] = ()
