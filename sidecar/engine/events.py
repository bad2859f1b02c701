"""The events of an engine: one for each kind of change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidecar.runtime.event import Event

if TYPE_CHECKING:
    from sidecar.engine.workspace import Workspace
    from sidecar.files.pointers import Invalidated
    from sidecar.learning.operations import Exchange
    from sidecar.memories.announcing import ChangedMemory


class Events:
    """The events of one engine; the first argument of each is the workspace."""

    def __init__(self) -> None:
        self.memories_changed: Event[[Workspace, Sequence[ChangedMemory]]] = Event()
        """What `MemoryBook.changed` announces."""
        self.candidates_changed: Event[[Workspace]] = Event()
        self.files_invalidated: Event[[Workspace, Sequence[Invalidated]]] = Event()
        self.files_read: Event[[Workspace, str, list[str]]] = Event()
        """A session, by id, has read files, given as relative paths."""
        self.reasoned: Event[[Workspace, str, str]] = Event()
        """An agent had a thought in a session, by id."""
        self.session_finished: Event[[Workspace, str, list[Exchange]]] = Event()
        """What the user said in a session that has ended or was compacted."""
