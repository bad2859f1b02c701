"""opencode: a SQLite database; sub-agents' sessions have a parent, and forks copy messages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sidecar.learning.session_event import SessionEvent
from sidecar.store.foreign import reading
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript
from sidecar.transcripts.lines import as_text, both_ends, decode, millis
from sidecar.transcripts.user_text import typed_text

_SELECT_SESSIONS = (
    "SELECT id, directory, time_created, time_updated, (SELECT count(*) FROM part WHERE session_id = session.id)"
    " FROM session WHERE parent_id IS NULL"
)
_SELECT_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_SELECT_PARTS = "SELECT data FROM part WHERE message_id = ? ORDER BY id"

# Messages: the id, the message, its parts.
MessageStream = Iterator[tuple[str, dict[str, Any], Iterator[dict[str, Any]]]]


def files(home: AgentHome) -> list[Path]:
    return home.files("XDG_DATA_HOME", ".local/share", "opencode/opencode*.db")


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    with reading(path) as ask:
        rows = list(ask(_SELECT_SESSIONS))
    for id, folder, began_at, updated, parts in rows:
        at, stamp = millis(began_at), f"{updated}:{parts}"
        read = partial(_events, path, id)
        yield SessionTranscript(str(id), at, as_text(folder), stamp, path, read)


def _messages(path: Path, session: str) -> MessageStream:
    with reading(path) as ask:
        for id, data in ask(_SELECT_MESSAGES, session):
            for message in _decode(data):
                yield str(id), message, (part for (row,) in ask(_SELECT_PARTS, id) for part in _decode(row))


def _decode(data: object) -> Iterator[dict[str, Any]]:
    return decode([data if isinstance(data, bytes) else str(data).encode()], dict[str, Any])


def _events(path: Path, session: str) -> Iterator[SessionEvent]:
    calls = OpenCalls()
    for id, message, parts in _messages(path, session):
        time = message.get("time")
        at = millis(time.get("created")) if isinstance(time, dict) else 0
        by_user = message.get("role") == "user"
        spoken: list[str] = []
        for part in parts:
            kind = part.get("type")
            if kind == "text" and not part.get("synthetic") and not part.get("ignored"):
                spoken.append(as_text(part.get("text")))
            elif kind == "tool" and isinstance(part.get("state"), dict):
                if not by_user and any(spoken):
                    yield SessionEvent("agent", at, "\n".join(spoken).strip())
                    spoken = []
                yield from _tool_events(part, part["state"], at, calls)
        if by_user:
            if text := "\n".join(filter(None, map(typed_text, map(_unquote, spoken)))):
                yield SessionEvent("user", at, text, id)
        elif text := "\n".join(spoken).strip():
            yield SessionEvent("compaction" if message.get("summary") is True else "agent", at, text)


def _tool_events(part: dict[str, Any], state: dict[str, Any], at: int, calls: OpenCalls) -> Iterator[SessionEvent]:
    if state.get("status") not in ("completed", "error"):
        return
    time, metadata = state.get("time"), state.get("metadata")
    at = (millis(time.get("end")) if isinstance(time, dict) else 0) or at
    status = metadata.get("exit") if isinstance(metadata, dict) else None
    failed = state["status"] == "error"
    calls.begin(part.get("callID"), part.get("tool"), state.get("input"))
    output = as_text(state.get("output")) or as_text(state.get("error"))
    status = status if isinstance(status, int) and not isinstance(status, bool) else None
    yield from calls.finish(part.get("callID"), at, both_ends(output), status, refused=failed)


def _unquote(text: str) -> str:
    """Strip the quotation marks that `opencode run` puts around an argument with spaces."""
    bare = text.strip()
    inner = bare[1:-1]
    return inner if len(bare) > 2 and bare[0] == bare[-1] == '"' and '"' not in inner else text
