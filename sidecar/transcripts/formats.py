"""The table of formats: an agent's name, and the file that reads what it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from sidecar.transcripts.event import Event, Home, Transcript

# In this order: of a session that is here twice, the first is read.
FORMATS = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "copilot": "copilot",
    "aider": "aider",
    "specstory": "specstory",
}
# Those that lie in the project's folder, and so may be anybody's who wrote to its repository.
IN_PROJECT = ("aider", "specstory")


class Format(Protocol):
    """What a format's file offers."""

    def files(self, home: Home) -> list[Path]:
        """What there is to be read. Raises `OSError`."""
        ...

    def sessions(self, path: Path, home: Home) -> Iterator[Transcript]:
        """The sessions in one of `files`. Raises `OSError`."""
        ...

    def events(self, given: Iterable[bytes]) -> Iterator[Event]:
        """The events of lines; opencode has none."""
        ...


def format_of(agent: str) -> Format:
    """The reader of an agent's transcripts."""
    return cast(Format, import_module(f"sidecar.transcripts.{FORMATS[agent]}"))


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of some lines of an agent's transcript; an agent that is not known writes as Claude Code does."""
    return format_of(agent if agent in FORMATS and agent != "opencode" else "claude-code").events(lines)
