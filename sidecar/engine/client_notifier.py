"""The notifications of what changed in an engine's workspaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from protocol.files import DidInvalidateFiles, InvalidatedFile
from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.engine.mapping import to_wire
from sidecar.files.pointers import Invalidated
from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.event import Event

MAX_NAMED_MEMORIES: Final = 500
"""Maximum changed memories that one notification names: an import changes thousands."""


class ClientNotifier:
    """All that an engine tells its client."""

    def __init__(self) -> None:
        self.notifications: Event[[str, msgspec.Struct]] = Event()
        """Announces a notification: its method and parameters."""
        self.changed_here: Event[[DidChangeMemories]] = Event()
        """Announces what this process changed, before the notification of it."""

    def memories_changed(self, uri: str, changes: Sequence[ChangedMemory]) -> None:
        for start in range(0, len(changes), MAX_NAMED_MEMORIES):
            described = [to_wire(MemoryChange, change) for change in changes[start : start + MAX_NAMED_MEMORIES]]
            self._announce_change_here(DidChangeMemories(workspace_uri=uri, changes=described))

    def candidates_changed(self, uri: str, waiting: int) -> None:
        self._announce_change_here(DidChangeMemories(workspace_uri=uri, changes=[], candidates=waiting))

    def changed_elsewhere(self, change: DidChangeMemories) -> None:
        """Tell the client what another process changed."""
        self.notifications.announce("memory/didChange", change)

    def _announce_change_here(self, change: DidChangeMemories) -> None:
        self.changed_here.announce(change)
        self.notifications.announce("memory/didChange", change)

    def files_invalidated(self, uri: str, invalidated: Sequence[Invalidated]) -> None:
        files = [to_wire(InvalidatedFile, file) for file in invalidated]
        self.notifications.announce("file/didInvalidate", DidInvalidateFiles(workspace_uri=uri, files=files))
