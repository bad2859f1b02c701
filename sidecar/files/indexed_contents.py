"""Let file memory use the index of all files once it exists.

`CodeIndex` is made late and knows more files than this process has read. `FileMemory`, `Survey` and `ReferencedFiles`
ask here; before there is an index, the answers are empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sidecar.files.pointers import Key


class FileIndex(Protocol):
    def contents(self) -> Mapping[str, Key]:
        """Return the contents in the index by path."""

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a symbol."""

    def outlined(self, path: str) -> None:
        """Take the outline that was just made of a file, in place of its sketch."""


class IndexedContents:
    """The contents and symbols in the index of a checkout's files; empty before there is an index."""

    def __init__(self) -> None:
        self._index: FileIndex | None = None

    def use_index(self, index: FileIndex) -> None:
        """Answer from this index from now on."""
        self._index = index

    def by_path(self) -> Mapping[str, Key]:
        return {} if self._index is None else self._index.contents()

    def defining(self, name: str) -> Sequence[str]:
        return () if self._index is None else self._index.defining(name)

    def outlined(self, path: str) -> None:
        if self._index is not None:
            self._index.outlined(path)
