"""The file index as `FileMemory` uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sidecar.files.pointers import Key


class FileIndex(Protocol):
    """An index of files by their contents. Thread-safe."""

    def contents(self) -> Mapping[str, Key]:
        """Return the contents that the index holds, by path."""
        ...

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a symbol, as far as the index knows."""
        ...


class NoIndex:
    """What stands in for an index that nothing has needed yet."""

    def contents(self) -> Mapping[str, Key]:
        return {}

    def defining(self, name: str) -> Sequence[str]:
        return ()
