"""The formats of agents' sessions: an agent's name, and the module that reads its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:  # a hook loads nothing of learning
    from sidecar.learning.session_event import SessionEvent
    from sidecar.transcripts.event import AgentHome, SessionTranscript

IN_PROJECT: Final = ("aider", "specstory")
"""These are in the project's folder, so anybody who can write to its repository may have made them."""

_MODULES: Final = {"claude-code": "claude"}
FORMATS: Final = ("claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider", "specstory")
"""The order matters: a session that exists twice is read in the first format."""


class Format(Protocol):
    def files(self, home: AgentHome) -> list[Path]:
        """Return the files to be read. Raises `OSError`."""
        ...

    def sessions(self, path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
        """Yield the sessions in one of `files`. Raises `OSError`."""
        ...

    def events(self, lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
        """Yield the events of some lines; opencode, whose sessions are in a database, has none."""
        ...


def format_of(agent: str) -> Format:
    return cast("Format", import_module(f"sidecar.transcripts.{_MODULES.get(agent, agent)}"))


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript, treating an unknown agent as Claude Code."""
    return format_of(agent if agent in FORMATS and agent != "opencode" else "claude-code").events(lines)
