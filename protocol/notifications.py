"""The rows of what the sidecar tells without being asked."""

from __future__ import annotations

from protocol import files, memories
from protocol.method import Method

ROWS = (
    Method(name="memory/didChange", params=memories.DidChangeMemories, sender="sidecar", summary="Memories changed."),
    Method(
        name="file/didInvalidate",
        params=files.DidInvalidateFiles,
        sender="sidecar",
        summary="Remembered files changed on disk.",
    ),
)
