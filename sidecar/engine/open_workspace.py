"""An open workspace: its stores, memories and files, and what connects them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Literal

from sidecar.checkout.identity import Identity, OpenedFolder, record_identity
from sidecar.checkout.tree import Tree
from sidecar.embedding.workspace_embedding import BackgroundEmbedding, WorkspaceEmbedding
from sidecar.files.index.lazy_index import LazyIndex
from sidecar.files.referenced import ReferencedFiles
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import MAX_BRIEFING_TOKENS, FileBriefing, WorkspaceFiles
from sidecar.memories.book import MemoryBook
from sidecar.runtime.errors import MemoryDisabled
from sidecar.runtime.operations import Operations
from sidecar.runtime.priority import Priority
from sidecar.settings import Settings
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.spending import Spending
from sidecar.system.processes import is_alive

if TYPE_CHECKING:
    from sidecar.engine.enabled_workspace import EnabledWorkspace
    from sidecar.models.chat_models import ChatModelChoice
    from sidecar.settings.model import ModelSettings
    from sidecar.team.team_sync import TeamSync

_OFF = "memory-sidecar-off-"


class ThrowawayStores:
    """Stores of a folder whose memory is switched off and never was on; they stay empty and are removed on close."""

    def __init__(self) -> None:
        for left in Path(gettempdir()).glob(f"{_OFF}*-*"):  # left by killed processes
            number = left.name.removeprefix(_OFF).partition("-")[0]
            if number.isdecimal() and not is_alive(int(number)):
                shutil.rmtree(left, ignore_errors=True)
        self._room = TemporaryDirectory(prefix=f"{_OFF}{os.getpid()}-", ignore_cleanup_errors=True)
        self.memory_store = MemoryStore.open(Path(self._room.name) / "memory")
        self.user_store = MemoryStore.open(Path(self._room.name) / "user")

    def close(self) -> None:
        """Close the stores and remove their folder. Idempotent."""
        self.memory_store.close()
        self.user_store.close()
        self._room.cleanup()


class WorkspacePlace(OpenedFolder):
    """The folder of an open workspace, and the folder of its stores."""

    def __init__(self, identity: Identity, data_home: Path) -> None:
        super().__init__(identity, data_home)
        self.data_home = data_home
        self.stores = data_home / "workspaces" / identity.id
        self._kept = False

    def record_as_kept(self, _: object = None) -> None:
        """Record once that the stores hold what could not be made again."""
        if not self._kept:
            self.record(keep=True)
            self._kept = True

    def record(self, *, keep: bool) -> None:
        """Record which memory the repository has; with `keep`, also store a key in the repository."""
        record_identity(self.identity, self.data_home, keep=keep)


@dataclass(frozen=True, eq=False)
class OpenWorkspace:
    """An open workspace with the parts that exist whether or not memory is on; `EnabledWorkspace` adds the others.

    A part that must be closed is put on `closing` when it is made, so the last made is closed first.
    """

    folder: Path
    uri: str
    settings: Settings
    operations: Operations
    clock: Callable[[], int]
    priority: Priority
    chat_models: Callable[[ModelSettings], ChatModelChoice]
    spending: Callable[[], Spending]
    place: WorkspacePlace
    tree: Tree
    memory_store: MemoryStore
    user_store: MemoryStore
    book: MemoryBook
    files: WorkspaceFiles
    file_store: FileStore | None
    lazy_index: LazyIndex | None
    symbols: SymbolCache
    references: ReferencedFiles
    embedding: WorkspaceEmbedding
    background_embedding: BackgroundEmbedding
    throwaway: ThrowawayStores | None
    closing: ExitStack

    @property
    def enabled(self) -> EnabledWorkspace | None:
        """Return this workspace if its memory is on, else None."""
        return None

    @property
    def team(self) -> TeamSync | None:
        return None

    @property
    def outdated(self) -> Literal["gone", "replaced"] | None:
        """Return `gone` if the stores were deleted, `replaced` if the folder now holds another workspace."""
        if self.memory_store.is_gone or self.user_store.is_gone:
            return "gone"
        return "replaced" if self.place.is_replaced() else None

    def take_in_outside_changes(self) -> None:
        """Take in what came past this process: edits of MEMORY.md, and others' memories, which may lack their vectors.

        Raises `StoreUnavailable`.
        """
        self.take_in_edits()
        self.background_embedding.check_for_missing()  # also of what the edits added

    def take_in_edits(self) -> None:
        """Read manual edits of MEMORY.md, which exists only while memory is on. Raises `StoreUnavailable`."""

    def require_enabled(self) -> EnabledWorkspace:
        if self.enabled is None:
            raise MemoryDisabled("Memory is switched off.", hint="Set memory.enabled to true to record and search.")
        return self.enabled

    def briefing(self, path: str, intent: str = "explore", budget: int = MAX_BRIEFING_TOKENS) -> FileBriefing:
        """Return a file's briefing with what was learned about it. Raises `OutsideWorkspace` or `FileUnavailable`."""
        return self.files.briefing(path, intent, budget)

    def close(self) -> None:
        """Stop the workers and write pending changes, then close the stores. Idempotent."""
        self.closing.pop_all().close()  # a part that a thread makes now would be closed after the stores: leave it
