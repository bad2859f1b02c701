"""The table of formats: an agent's name and the module that reads its sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.event import AgentHome, SessionTranscript

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


def _claude() -> Format:
    from sidecar.transcripts import claude

    return claude


def _codex() -> Format:
    from sidecar.transcripts import codex

    return codex


def _gemini() -> Format:
    from sidecar.transcripts import gemini

    return gemini


def _qwen() -> Format:
    from sidecar.transcripts import qwen

    return qwen


def _opencode() -> Format:
    from sidecar.transcripts import opencode

    return opencode


def _copilot() -> Format:
    from sidecar.transcripts import copilot

    return copilot


def _aider() -> Format:
    from sidecar.transcripts import aider

    return aider


def _specstory() -> Format:
    from sidecar.transcripts import specstory

    return specstory


# The order matters: a session that exists twice is read in the first format.
FORMATS: dict[str, Callable[[], Format]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "opencode": _opencode,
    "copilot": _copilot,
    "aider": _aider,
    "specstory": _specstory,
}


def format_of(agent: str) -> Format:
    return FORMATS[agent]()


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript, treating an unknown agent as Claude Code."""
    return format_of(agent if agent in FORMATS and agent != "opencode" else "claude-code").events(lines)
