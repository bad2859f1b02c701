"""What the index of all files knows already, for those that have to work without it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sidecar.files.pointers import Key


class FileIndex(Protocol):
    def contents(self) -> Mapping[str, Key]:
        """Return the contents in the index by path."""

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a symbol."""


class IndexedContents:
    """The contents and symbols in the index of a checkout's files; none before there is an index."""

    def __init__(self) -> None:
        self._index: FileIndex | None = None

    def answer_from(self, index: FileIndex) -> None:
        """Ask this index from now on."""
        self._index = index

    def by_path(self) -> Mapping[str, Key]:
        return {} if self._index is None else self._index.contents()

    def defining(self, name: str) -> Sequence[str]:
        return () if self._index is None else self._index.defining(name)
