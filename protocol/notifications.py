"""The notifications that the sidecar sends: their structs and rows."""

from protocol.files import DidInvalidateFiles
from protocol.memories import Change, Scope
from protocol.method import Method
from protocol.wire import Result


class MemoryChange(Result, frozen=True):
    """One change of one memory."""

    id: str
    scope: Scope
    change: Change


class DidChangeMemories(Result, frozen=True):
    """`memory/didChange`: memories of a workspace that changed.

    Changes that this process made come by themselves. Those of other processes come within a second to a client that
    declares `capabilities.experimental.memorySidecar.didChange = true` in `initialize`, or that can be told to refresh
    code lenses or diagnostics. An empty `changes` without `candidates` means that anything may have
    changed, so reload; `candidates` is the number of candidates now waiting.
    """

    workspace_uri: str
    changes: list[MemoryChange]
    candidates: int | None = None


ROWS = (
    Method(name="memory/didChange", params=DidChangeMemories, sender="sidecar", summary="Memories changed."),
    Method(
        name="file/didInvalidate",
        params=DidInvalidateFiles,
        sender="sidecar",
        summary="Remembered files changed on disk.",
    ),
)
