"""What happens in an engine: one event for each kind of change, told to everything that subscribed to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidecar.runtime.event import Event

if TYPE_CHECKING:
    from protocol.memories import Change
    from sidecar.engine.workspace import Workspace
    from sidecar.files.pointers import Invalidated
    from sidecar.learning.operations import Exchange


class Events:
    """The events of one engine; each names the workspace that it happened in."""

    def __init__(self) -> None:
        self.memory_changed: Event[[Workspace, str, str, Change]] = Event()
        """A memory, by id and scope, was created, updated, archived, ..."""
        self.candidates_changed: Event[[Workspace]] = Event()
        self.files_invalidated: Event[[Workspace, Sequence[Invalidated]]] = Event()
        self.files_read: Event[[Workspace, str, list[str]]] = Event()
        """A session, by its id, has read files, by their relative paths."""
        self.session_finished: Event[[Workspace, str, list[Exchange]]] = Event()
        """What the user said in a session that is over or was summed up."""
