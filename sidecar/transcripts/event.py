"""Sessions on disk and their events, and the fields that Claude Code and Qwen Code add to each event."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.lines import HEAD_BYTES, as_text, decode, lines, millis, stamp_of

# The limit of one session.
MAX_OPEN_CALLS = 256


class AgentHome(NamedTuple):
    """A home folder, the environment that may move agents' folders, and the `roots` of a workspace's checkouts."""

    folder: Path
    environ: Mapping[str, str]
    roots: tuple[Path, ...] = ()

    def files(self, variable: str, default: str, *patterns: str) -> list[Path]:
        """Return matching files below the folder in `variable`, else below `default` at home. Raises `OSError`."""
        configured = self.environ.get(variable, "").strip()
        folder = Path(configured).expanduser() if configured else self.folder / default
        if not folder.exists():
            return []
        os.scandir(folder).close()  # a glob skips folders that it may not read
        return [path for pattern in patterns for path in sorted(folder.glob(pattern))]


class SessionTranscript(NamedTuple):
    """A session. `folder` is where it began ("" if unknown); `stamp` changes as the session grows."""

    session_id: str
    started_at: int
    folder: str
    stamp: str
    path: Path
    events: Callable[[], Iterator[SessionEvent]]
    agent: str = ""  # set by `discovery.py`


class OpenCalls:
    """Tool uses that have no result yet. Above `MAX_OPEN_CALLS`, the oldest are dropped."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, Any]] = {}

    def begin(self, id: object, tool: object, input: Any, folder: object = None) -> None:
        """Record a tool use. It ran in `folder`, unless its input names another."""
        if not isinstance(id, str) or not isinstance(tool, str):
            return
        if isinstance(folder, str) and folder and isinstance(input, Mapping):
            input = {"cwd": folder, **input}
        self._open[id] = (tool, input)
        if len(self._open) > MAX_OPEN_CALLS:
            del self._open[next(iter(self._open))]

    def finish(
        self, id: object, at: int, output: str = "", status: int | None = None, *, refused: bool = False
    ) -> Iterator[SessionEvent]:
        """Yield a tool use with its result; nothing if the use is unknown."""
        call = self._open.pop(id, None) if isinstance(id, str) else None
        if call is not None:
            yield SessionEvent("tool", at, "", str(id), *call, output, status, refused)


# Reads a transcript's lines as events.
ReadLines = Callable[[Iterable[bytes]], Iterator[SessionEvent]]


class TranscriptLine(msgspec.Struct, rename="camel"):
    """The fields of every line; a format adds others."""

    type: Any = None
    uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    message: Any = None
    is_sidechain: Any = None


E = TypeVar("E", bound=TranscriptLine)


def transcript_of_lines(path: Path, id: str, at: int, folder: str, events: ReadLines) -> SessionTranscript:
    return SessionTranscript(id, at, folder, stamp_of(path), path, lambda: events(lines(path)))


def session(path: Path, events: ReadLines, *, id_from_line: bool = False) -> Iterator[SessionTranscript]:
    """Yield the session of a file, in the folder that the first line with a folder names.

    `id_from_line` takes the session's id from that line.
    """
    first = next((line for line in decode(lines(path, HEAD_BYTES), TranscriptLine) if as_text(line.cwd)), None)
    if first is not None and first.is_sidechain is not True:
        id = (as_text(first.session_id) if id_from_line else "") or path.stem
        yield transcript_of_lines(path, id, millis(first.timestamp), as_text(first.cwd), events)


def entries(lines_read: Iterable[bytes], type: type[E]) -> Iterator[tuple[E, int, str | None]]:
    """Yield the lines of the main agent with their times; once the agent changes its folder, also with the folder."""
    began = ""
    for entry in decode(lines_read, type):
        if entry.is_sidechain is not True:
            folder = as_text(entry.cwd)
            began = began or folder
            yield entry, millis(entry.timestamp), folder if folder != began else None
