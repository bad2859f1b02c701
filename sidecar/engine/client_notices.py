"""The notifications by which the client hears of what changed in a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from protocol.files import DidInvalidateFiles, InvalidatedFile
from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.engine.mapping import struct

if TYPE_CHECKING:
    from sidecar.files.pointers import Invalidated
    from sidecar.memories.announcing import ChangedMemory

MAX_CHANGES: Final = 500
"""Maximum changed memories that one notification names: an import changes thousands."""


class ClientNotices:
    """Listens to the parts of the workspace at `uri`, and passes what they announce to `notify` as notifications."""

    def __init__(self, notify: Callable[[str, msgspec.Struct], None], uri: str) -> None:
        self._notify = notify
        self._uri = uri

    def memories_changed(self, changes: Sequence[ChangedMemory]) -> None:
        for start in range(0, len(changes), MAX_CHANGES):
            described = [struct(MemoryChange, change) for change in changes[start : start + MAX_CHANGES]]
            self._notify("memory/didChange", DidChangeMemories(workspace_uri=self._uri, changes=described))

    def candidates_changed(self, waiting: int) -> None:
        notice = DidChangeMemories(workspace_uri=self._uri, changes=[], candidates=waiting)
        self._notify("memory/didChange", notice)

    def files_invalidated(self, invalidated: Sequence[Invalidated]) -> None:
        files = [struct(InvalidatedFile, file) for file in invalidated]
        self._notify("file/didInvalidate", DidInvalidateFiles(workspace_uri=self._uri, files=files))
