"""The table of formats: an agent's name and the module that reads its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from sidecar.transcripts.event import AgentHome, SessionEvent, SessionTranscript

# The order matters: a session that exists twice is read in the first format.
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
# These lie in the project's folder, so anybody who wrote to its repository may have made them.
IN_PROJECT = ("aider", "specstory")


class Format(Protocol):
    def files(self, home: AgentHome) -> list[Path]:
        """Return the files to be read. Raises `OSError`."""
        ...

    def sessions(self, path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
        """Yield the sessions in one of `files`. Raises `OSError`."""
        ...

    def events(self, lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
        """Yield the events of some lines; opencode has none."""
        ...


def format_of(agent: str) -> Format:
    return cast(Format, import_module(f"sidecar.transcripts.{FORMATS[agent]}"))


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript, treating an unknown agent as Claude Code."""
    return format_of(agent if agent in FORMATS and agent != "opencode" else "claude-code").events(lines)
