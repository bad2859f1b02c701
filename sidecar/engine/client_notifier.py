"""The notifications of what this process changed in an engine's workspaces."""

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
    """Tells an engine's client what this process changed; `ForeignChanges` tells it of others."""

    def __init__(self) -> None:
        self.notifications: Event[[str, msgspec.Struct]] = Event()
        """Announces a notification: its method and parameters."""

    def memories_changed(self, uri: str, changes: Sequence[ChangedMemory]) -> None:
        for start in range(0, len(changes), MAX_NAMED_MEMORIES):
            described = [to_wire(MemoryChange, change) for change in changes[start : start + MAX_NAMED_MEMORIES]]
            change = DidChangeMemories(workspace_uri=uri, changes=described)
            self.notifications.announce("memory/didChange", change)

    def candidates_changed(self, uri: str, waiting: int) -> None:
        change = DidChangeMemories(workspace_uri=uri, changes=[], candidates=waiting)
        self.notifications.announce("memory/didChange", change)

    def files_invalidated(self, uri: str, invalidated: Sequence[Invalidated]) -> None:
        files = [to_wire(InvalidatedFile, file) for file in invalidated]
        self.notifications.announce("file/didInvalidate", DidInvalidateFiles(workspace_uri=uri, files=files))
