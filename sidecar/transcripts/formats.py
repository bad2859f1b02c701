"""The formats of agents' sessions: an agent's name, and the module that reads its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a hook loads nothing of learning
    from sidecar.learning.session_event import SessionEvent
    from sidecar.transcripts.event import AgentHome, SessionTranscript

IN_PROJECT = ("aider", "specstory")
"""These lie in the project's folder, so anybody who wrote to its repository may have made them."""


class Format(Protocol):
    def files(self, home: AgentHome) -> list[Path]:
        """Return the files to be read. Raises `OSError`."""
        ...

    def sessions(self, path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
        """Yield the sessions in one of `files`. Raises `OSError`."""
        ...


class LineFormat(Format, Protocol):
    """A format with an event or so in each line, which can be read in part."""

    def events(self, lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
        """Yield the events of some lines."""
        ...


FORMATS = ("claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider", "specstory")
"""The order matters: a session that exists twice is read in the first format."""


def format_of(agent: str) -> Format:
    """Return how one of `FORMATS` is read."""
    if agent == "opencode":
        from sidecar.transcripts import opencode

        return opencode
    return _line_format_of(agent)


def _line_format_of(agent: str) -> LineFormat:
    match agent:
        case "codex":
            from sidecar.transcripts import codex

            return codex
        case "gemini":
            from sidecar.transcripts import gemini

            return gemini
        case "qwen":
            from sidecar.transcripts import qwen

            return qwen
        case "copilot":
            from sidecar.transcripts import copilot

            return copilot
        case "aider":
            from sidecar.transcripts import aider

            return aider
        case "specstory":
            from sidecar.transcripts import specstory

            return specstory
    from sidecar.transcripts import claude

    return claude


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript, treating an unknown agent as Claude Code."""
    return _line_format_of(agent).events(lines)
