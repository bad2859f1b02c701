"""The notifications that the sidecar sends: their structs and methods."""

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

    Changes that this process made are always sent. Those of other processes are sent within a second to a client that
    declares `capabilities.experimental.memorySidecar.didChange = true` in `initialize`, or that can be told to refresh
    code lenses or diagnostics. If `changes` is empty and there is no `candidates`, anything may have changed, so
    reload. `candidates` is the number of candidates that wait now.
    """

    workspace_uri: str
    changes: list[MemoryChange]
    candidates: int | None = None


METHODS = (
    Method(name="memory/didChange", params=DidChangeMemories, sender="sidecar", summary="Memories changed."),
    Method(
        name="file/didInvalidate",
        params=DidInvalidateFiles,
        sender="sidecar",
        summary="Remembered files changed on disk.",
    ),
)
