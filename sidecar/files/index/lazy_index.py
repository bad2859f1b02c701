"""The index of a checkout where it may not be needed: few hooks and commands ask about all files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.made_once import made_once
from sidecar.store.file_store import FileStore

if TYPE_CHECKING:
    from sidecar.files.index.code_index import CodeIndex


class IndexOptions(msgspec.Struct, frozen=True):
    """How the index of all files is made.

    `commits` limits the number of past commits, `workers` the processes that read files for a waiting request. A
    process without background work sets `save_at_once`, so that the index is saved after each answer.
    """

    commits: int = 0
    workers: int | None = None
    save_at_once: bool = False


class LazyIndex:
    """Makes the index of all files, and imports what it is made of, on first access. Thread-safe."""

    def __init__(self, files: WorkspaceFiles, tree: Tree, store: FileStore, options: IndexOptions) -> None:
        self._parts = files, tree, store, options

    @made_once
    def index(self) -> CodeIndex:
        from sidecar.files.index.code_index import CodeIndex

        return CodeIndex(*self._parts)

    @property
    def existing(self) -> CodeIndex | None:
        """Return the index if it was made already."""
        return LazyIndex.index.existing(self)

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name, by an index that was made already."""
        index = self.existing
        return () if index is None else index.defining(name)
