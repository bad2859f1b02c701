"""Plain values that an editor displays: memories, facts and symbols beside a file."""

from __future__ import annotations

import msgspec

from sidecar.engine.editor.mentions import bare_name


class MemoryView(msgspec.Struct, frozen=True):
    """One memory beside a file: `symbols` are those of the file that it names; `whole` if it is about the whole file.

    `doubt` says why the memory would be suspect, `marks` are the tracker items in its text (`#12`). Times in epoch
    milliseconds.
    """

    id: str
    name: str
    content: str
    type: str
    scope: str
    category: str | None
    status: str
    source: str
    created_at: int
    updated_at: int
    verified_at: int | None
    author: str | None = None
    symbols: tuple[str, ...] = ()
    whole: bool = False
    doubt: str = ""
    marks: tuple[str, ...] = ()


class TrackedView(msgspec.Struct, frozen=True):
    """The last known state of an issue, a merge request or an epic."""

    mark: str
    kind: str
    state: str
    title: str


class FacetView(msgspec.Struct, frozen=True):
    """One fact about a file; `holds` is False if it was learned from an earlier content and may be outdated."""

    text: str
    symbols: tuple[str, ...]
    identifiers: tuple[str, ...]
    at: int
    holds: bool


class SymbolView(msgspec.Struct, frozen=True):
    """A symbol of a file, by its dotted name; lines from 0, both ends included."""

    name: str
    first: int
    last: int
    kind: str
    signature: str
    doc: str | None

    @property
    def bare(self) -> str:
        return bare_name(self.name)


class FileView(msgspec.Struct, frozen=True):
    """What is known about a file; `origin` of its summary is `structural`, `model`, `aggregated` or None."""

    uri: str
    workspace_uri: str
    path: str
    memories: tuple[MemoryView, ...]
    facets: tuple[FacetView, ...]
    symbols: tuple[SymbolView, ...]
    origin: str | None
    partial: bool = False


class MemoryPlace(msgspec.Struct, frozen=True):
    """Where a memory can be shown: lines of a file, from 0."""

    uri: str
    first: int = 0
    last: int = 0
