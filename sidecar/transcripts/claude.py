"""Claude Code: `projects/<folder>/<session>.jsonl` has an entry per line; a resumed session may copy other entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript, TranscriptLine, entries, session
from sidecar.transcripts.lines import as_text, both_ends, texts
from sidecar.transcripts.user_text import CONTINUED, typed_text

_STATUS_LINE = re.compile(r"\s*(?:Error: )?(?:Exit|Command failed with exit) code:? (\d{1,3})\b")


class _ClaudeLine(TranscriptLine):
    is_meta: Any = None
    is_compact_summary: Any = None
    is_api_error_message: Any = None
    tool_use_result: Any = None
    attachment: Any = None


def files(home: AgentHome) -> list[Path]:
    transcripts = home.files("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl")
    return [path for path in transcripts if not path.name.startswith("agent-")]


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    return session(path, events)


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    calls = OpenCalls()
    for entry, at, moved in entries(lines_read, _ClaudeLine):
        content = entry.message.get("content") if isinstance(entry.message, dict) else None
        if entry.is_meta is True:
            if entry.type == "user":
                yield SessionEvent("user", at)
        elif entry.type == "user":
            yield from _user(entry, content, at, calls)
        elif entry.type == "assistant" and entry.is_api_error_message is not True:
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
                if not isinstance(part, dict):
                    continue
                if part.get("type") == "text" and (text := as_text(part.get("text")).strip()):
                    yield SessionEvent("agent", at, text)
                elif part.get("type") == "tool_use":
                    calls.begin(part.get("id"), part.get("name"), part.get("input"), moved)
        elif entry.type == "attachment" and isinstance(entry.attachment, dict):
            queued = entry.attachment  # typed while the agent worked
            if queued.get("type") == "queued_command" and queued.get("commandMode") == "prompt":
                queued_text = typed_text("\n".join(texts(queued.get("prompt"))))
                if queued_text:
                    yield SessionEvent("user", at, queued_text, as_text(entry.uuid))


def _user(entry: _ClaudeLine, content: Any, at: int, calls: OpenCalls) -> Iterator[SessionEvent]:
    parts = content if isinstance(content, list) else []
    results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
    details = entry.tool_use_result if isinstance(entry.tool_use_result, dict) else {}
    unfinished = details.get("interrupted") is True or bool(details.get("backgroundTaskId"))
    for part in results:
        output = "\n".join(texts(part.get("content")))
        failed = part.get("is_error") is True
        status_line = _STATUS_LINE.match(output)
        status = int(status_line[1]) if status_line else None if failed or unfinished else 0
        yield from calls.finish(part.get("tool_use_id"), at, both_ends(output), status, refused=failed)
    if results:
        return
    message_texts = texts(content, "text") if parts else texts(content)
    whole = "\n".join(message_texts)
    if entry.is_compact_summary is True or whole.startswith(CONTINUED):
        yield SessionEvent("compaction", at, whole, as_text(entry.uuid))
    else:
        yield SessionEvent("user", at, "\n".join(filter(None, map(typed_text, message_texts))), as_text(entry.uuid))
