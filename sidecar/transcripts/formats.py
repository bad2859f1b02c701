"""The table of formats: an agent's name and the module that reads its sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a hook loads nothing of learning
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


class LineFormat(Format, Protocol):
    """A format with an event or so in each line, which can be read in part."""

    def events(self, lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
        """Yield the events of some lines."""
        ...


def _claude() -> LineFormat:
    from sidecar.transcripts import claude

    return claude


def _codex() -> LineFormat:
    from sidecar.transcripts import codex

    return codex


def _gemini() -> LineFormat:
    from sidecar.transcripts import gemini

    return gemini


def _qwen() -> LineFormat:
    from sidecar.transcripts import qwen

    return qwen


def _opencode() -> Format:
    from sidecar.transcripts import opencode

    return opencode


def _copilot() -> LineFormat:
    from sidecar.transcripts import copilot

    return copilot


def _aider() -> LineFormat:
    from sidecar.transcripts import aider

    return aider


def _specstory() -> LineFormat:
    from sidecar.transcripts import specstory

    return specstory


_LINE_FORMATS: dict[str, Callable[[], LineFormat]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "copilot": _copilot,
    "aider": _aider,
    "specstory": _specstory,
}
# The order matters: a session that exists twice is read in the first format.
_ORDER = ("claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider", "specstory")
FORMATS: dict[str, Callable[[], Format]] = {name: _LINE_FORMATS.get(name, _opencode) for name in _ORDER}


def format_of(agent: str) -> Format:
    return FORMATS[agent]()


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript, treating an unknown agent as Claude Code."""
    return _LINE_FORMATS.get(agent, _claude)().events(lines)
