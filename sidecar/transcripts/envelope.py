"""The envelope that Claude Code and Qwen Code put around each line: who, when, where, and whether on a side chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.event import SessionTranscript
from sidecar.transcripts.lines import HEAD_MOST, as_text, decoded, lines, millis, stamp_of

ReadLines = Callable[[Iterable[bytes]], Iterator[SessionEvent]]
"""Reads a transcript's lines as events."""


class TranscriptLine(msgspec.Struct, rename="camel"):
    """The fields that every line has; a format adds its own."""

    type: Any = None
    uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    message: Any = None
    is_sidechain: Any = None


E = TypeVar("E", bound=TranscriptLine)


def transcript_of_lines(path: Path, id: str, agent: str, at: int, folder: str, events: ReadLines) -> SessionTranscript:
    return SessionTranscript(id, agent, at, folder, stamp_of(path), path, lambda: events(lines(path)))


def session(path: Path, agent: str, events: ReadLines, *, named: bool = False) -> Iterator[SessionTranscript]:
    """Yield a file's session, placed by its first line with a folder; `named` takes the id from that line."""
    first = next((line for line in decoded(lines(path, HEAD_MOST), TranscriptLine) if as_text(line.cwd)), None)
    if first is not None and first.is_sidechain is not True:
        id = (as_text(first.session_id) if named else "") or path.stem
        yield transcript_of_lines(path, id, agent, millis(first.timestamp), as_text(first.cwd), events)


def entries(lines_read: Iterable[bytes], type: type[E]) -> Iterator[tuple[E, int, str | None]]:
    """Yield the lines of the main chain, each with its time and, once the agent has moved, its folder."""
    began = ""
    for entry in decoded(lines_read, type):
        if entry.is_sidechain is not True:
            folder = as_text(entry.cwd)
            began = began or folder
            yield entry, millis(entry.timestamp), folder if folder != began else None
