"""Read the end of an agent's transcript: the assistant's words in its turn, and the summary of a compaction.

Only the file's last part is read, so that a long session takes no longer.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from sidecar.transcripts.formats import events_of
from sidecar.transcripts.lines import open_regular

if TYPE_CHECKING:
    from sidecar.learning.session_event import SessionEvent

TAIL_BYTES = 256 * 1024
_SAID_CHARS = 20_000
_DELEGATING = ("Task", "Agent")


class Spoken(NamedTuple):
    """What the assistant said between two tool uses, and the ids of the tool uses before in the same turn."""

    text: str
    calls: tuple[str, ...]


def assistant_turn(path: str | None, agent: str) -> list[Spoken]:
    """Return what the assistant said since the user's last message; of a long text, the last part.

    Return nothing if the transcript cannot be read.
    """
    turn = list(takewhile(lambda event: event.kind in ("agent", "tool"), reversed(_tail(path, agent))))
    spoken: list[Spoken] = []
    calls: tuple[str, ...] = ()
    for event in reversed(turn):
        if event.kind == "tool":
            calls = (*calls, event.id)
        elif event.kind == "agent":
            before = f"{spoken.pop().text}\n" if spoken and spoken[-1].calls == calls else ""
            spoken.append(Spoken(before + event.text, calls))
    tail: list[Spoken] = []
    room = _SAID_CHARS
    for passage in reversed(spoken):
        if room <= 0:
            break
        tail.insert(0, Spoken(passage.text[:room], passage.calls))
        room -= len(passage.text)
    return tail


def last_compaction(path: str | None, agent: str) -> str:
    """Return the summary of the last compaction near the end; "" if there is none."""
    summaries = (event.text for event in reversed(_tail(path, agent)) if event.kind == "compaction")
    return next(summaries, "")


def exit_statuses(path: str | None, agent: str) -> dict[str, int]:
    """Return the exit statuses of commands near the end, by the id of their tool use."""
    tool_events = (event for event in _tail(path, agent) if event.kind == "tool")
    return {event.id: event.status for event in tool_events if event.status is not None}


def sub_agent_tasks(path: str | None, agent_type: str) -> str:
    """Return the tasks of running sub-agents of a type, from the transcript of their parent (Claude Code)."""
    if not path or "\0" in path:
        return ""
    tasks: dict[str, str] = {}
    for line in _last_lines(path):
        with suppress(msgspec.MsgspecError, RecursionError):
            for block in _blocks(msgspec.json.decode(line)):
                match block:
                    case {"type": "tool_use", "name": name, "id": str(id), "input": {"subagent_type": kind, **fields}}:
                        if name in _DELEGATING and kind == agent_type:
                            tasks[id] = f"{fields.get('description', '')}\n{fields.get('prompt', '')}".strip()
                    case {"type": "tool_result", "tool_use_id": str(id)}:
                        tasks.pop(id, None)
    return "\n".join(tasks.values())


def _blocks(line: Any) -> list[Any]:
    match line:
        case {"message": {"content": [*blocks]}}:
            return blocks
    return []


def _tail(path: str | None, agent: str) -> list[SessionEvent]:
    if not path or "\0" in path:
        return []
    return list(events_of(agent, _last_lines(path)))


def _last_lines(path: str) -> list[bytes]:
    try:
        with open_regular(Path(path)) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            return file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return []
