"""The formats of agents' sessions, each read by a module that is named after the agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:  # a hook loads nothing of learning
    from sidecar.learning.session_event import SessionEvent
    from sidecar.transcripts.event import AgentHome, SessionTranscript

# Agents that keep sessions in the project's folder, where anybody who writes to its repository may make some.
IN_PROJECT: Final = ("aider",)
_MODULE_OF_FORMAT: Final = {"claude-code": "claude"}
# The formats, in order. A session that exists in two formats is read in the first.
FORMATS: Final = ("claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider")


class Format(Protocol):
    def files(self, home: AgentHome) -> list[Path]:
        """Return the files to be read. Raises `OSError`."""
        ...

    def sessions(self, path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
        """Yield the sessions in one of `files`. Raises `OSError`."""
        ...

    def events(self, lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
        """Yield the events of some lines. opencode, which keeps sessions in a database, does not have this function."""
        ...


def format_of(agent: str) -> Format:
    return cast("Format", import_module(f"sidecar.transcripts.{_MODULE_OF_FORMAT.get(agent, agent)}"))


def events_of(agent: str, lines: Iterable[bytes]) -> Iterator[SessionEvent]:
    """Yield the events of some lines of an agent's transcript. An unknown agent's is read like Claude Code's."""
    return format_of(agent if agent in FORMATS and agent != "opencode" else "claude-code").events(lines)
