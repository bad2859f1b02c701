"""Describe the files that a parent agent works on to its sub-agent, one line per file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sidecar.files.clean_text import clean, shorten
from sidecar.files.workspace_files import FileBriefing
from sidecar.text import fence

MAX_FILES: Final = 10
LINE_CHARS: Final = 150
SEPARATOR: Final = " · "
_MIN_SAID_CHARS: Final = 20
_TITLE: Final = "Files in hand, the latest first:"


class HandedOn(NamedTuple):
    """One file; `text` is its line, including the path."""

    path: str
    hash: str
    text: str


def hand_on(briefing: FileBriefing) -> HandedOn:
    """Return a file's line: its path, its facets, and a model's summary or the file's own description."""
    content, note = briefing.content, briefing.note
    said = SEPARATOR.join(filter(None, (*note.facts, note.text or content.doc)))
    if not said:
        names = [symbol.name for symbol in content.symbols if symbol.public]
        said = ", ".join(names) or f"{content.language}, {content.lines} lines"
    path = fence.one_line(clean(briefing.path, 1_000))
    if len(path) > LINE_CHARS - _MIN_SAID_CHARS:
        return HandedOn(briefing.path, briefing.hash, path if len(path) <= LINE_CHARS else "…" + path[1 - LINE_CHARS :])
    line = fence.one_line(f"{path} — {clean(said, LINE_CHARS)}")
    return HandedOn(briefing.path, briefing.hash, shorten(line, LINE_CHARS))


def as_text(items: Sequence[HandedOn]) -> str:
    """Render the lines as a list inside the fence; empty without files."""
    return fence.enclose_file_texts(_TITLE, *(f"- {item.text}" for item in items)) if items else ""
