"""Read facts about files from JSON Lines: our own form, and Prism's `file-history/*.jsonl`.

Our form, one object a line, times in epoch milliseconds; only `path` and each fact's `text` are required:

    {"kind": "file", "path": "src/pool.py", "hash": "<xxh3-128, hex>", "summary": "...",
     "facets": [{"text": "...", "createdAt": 0, "source": "distiller"}]}

Prism's files have two kinds of lines: the content of a path (`{filepath, contentHash, kind}`) and the facts about a
content (`{hash, summary, facets[]}`), which apply to every path with that content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from sidecar.text.times import millis

MAX_LINE_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileFacet:
    """One fact about a file, or its description (`summary`). `hash` names the content in which the fact held."""

    path: str
    text: str
    summary: bool = False
    hash: str | None = None
    at: int | None = None
    source: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class FacetImport:
    """The facts, in the order of the lines; and the number of each unreadable line, with the reason."""

    facets: tuple[FileFacet, ...]
    problems: tuple[tuple[int, str], ...]


class _FacetFields(msgspec.Struct, rename="camel"):
    text: str
    created_at: int | float | str | None = None
    source: str | None = None


class _LineFields(msgspec.Struct, rename="camel"):
    kind: str | None = None
    path: str | None = None
    filepath: str | None = None
    hash: str | None = None
    content_hash: str | None = None
    summary: str | None = None
    facets: list[_FacetFields | str] = []

    @property
    def file(self) -> str | None:
        return self.path or self.filepath

    @property
    def content(self) -> str | None:
        return self.hash or self.content_hash

    def file_facets(self, path: str, number: int) -> Iterator[FileFacet]:
        if self.summary is not None and self.summary.strip():
            yield FileFacet(path, self.summary.strip(), summary=True, hash=self.content, line=number)
        for facet in self.facets:
            facet_fields = _FacetFields(facet) if isinstance(facet, str) else facet
            if facet_fields.text.strip():
                at = millis(facet_fields.created_at, seconds=self.kind != "file")
                yield FileFacet(
                    path, facet_fields.text, hash=self.content, at=at, source=facet_fields.source, line=number
                )


def paths_by_hash(data: bytes) -> dict[str, list[str]]:
    """Return the paths of each content hash. Prism's facts name only the hash."""
    paths: dict[str, dict[str, None]] = {}
    for _, line in _lines(data):
        if isinstance(line, _LineFields) and line.file and line.content:
            paths.setdefault(line.content, {})[line.file] = None
    return {hash: list(named) for hash, named in paths.items()}


def read_facets(data: bytes, paths: Mapping[str, Sequence[str]] | None = None) -> FacetImport:
    """Read facts in our form or Prism's.

    `paths` has the paths of each content hash; by default, those that the file gives.
    """
    paths = paths_by_hash(data) if paths is None else paths
    facets: list[FileFacet] = []
    problems: list[tuple[int, str]] = []
    for number, line in _lines(data):
        if isinstance(line, str):
            problems.append((number, line))
        else:
            files = [line.file] if line.file else paths.get(line.content or "", ())
            line_facets = [facet for path in files for facet in line.file_facets(path, number)]
            facets += line_facets
            if not files:
                problems.append((number, "The line names no file: it has neither `path` nor a known content's `hash`."))
            elif not line_facets and not (line.kind and line.content and line.file):
                problems.append((number, "The line has no facts about its file: no `facets` and no `summary`."))
    return FacetImport(tuple(facets), tuple(problems))


def _lines(data: bytes) -> Iterator[tuple[int, _LineFields | str]]:
    """Yield each line's number and fields; for a line that cannot be read, the reason."""
    for number, raw in enumerate(data.splitlines(), 1):
        if len(raw) > MAX_LINE_BYTES:
            yield number, "The line is too long."
        elif raw.strip():
            try:
                yield number, _decoder.decode(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
                yield number, f"The line is not an object of such fields: {str(error)[:100]}."


_decoder = msgspec.json.Decoder(_LineFields)
