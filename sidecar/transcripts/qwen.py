"""Qwen Code: `projects/<folder>/chats/<session>.jsonl` has a record per line; a branch begins with its parent's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts import gemini
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript, TranscriptLine, entries, session
from sidecar.transcripts.lines import as_text, texts
from sidecar.transcripts.user_text import typed_text

_TYPED_KINDS = (None, "mid_turn_user_message")


class _QwenLine(TranscriptLine):
    subtype: Any = None
    provenance: Any = None
    tool_call_result: Any = None
    system_payload: Any = None
    external_input_kind: Any = None


def files(home: AgentHome) -> list[Path]:
    variable = "QWEN_RUNTIME_DIR" if home.environ.get("QWEN_RUNTIME_DIR") else "QWEN_HOME"
    return home.files(variable, ".qwen", "projects/*/chats/*.jsonl")


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    return session(path, events, id_from_line=True)


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    calls = OpenCalls()
    for record, at, moved in entries(lines_read, _QwenLine):
        parts = record.message.get("parts") if isinstance(record.message, dict) else None
        parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        if record.type == "user" and (text := _typed_part(record, parts)):
            yield SessionEvent("user", at, text, as_text(record.uuid))
        elif record.type == "assistant":
            text = "\n".join(texts([part for part in parts if part.get("thought") is not True])).strip()
            if text:
                yield SessionEvent("agent", at, text)
            for part in parts:
                if isinstance(use := part.get("functionCall"), dict):
                    calls.begin(use.get("id"), use.get("name"), use.get("args"), moved)
        elif record.type == "tool_result":
            call_result = record.tool_call_result if isinstance(record.tool_call_result, dict) else {}
            failed = call_result.get("status") in ("error", "cancelled")
            for part in parts:
                response = part.get("functionResponse")
                id = response.get("id") if isinstance(response, dict) else None
                yield from gemini.tool_result_events(calls, id or call_result.get("callId"), part, at, failed=failed)
        elif record.subtype == "chat_compression" and isinstance(record.system_payload, dict):
            history = record.system_payload.get("compressedHistory")
            summary = history[0].get("parts") if isinstance(history, list) and history else None
            yield SessionEvent("compaction", at, "\n".join(texts(summary)))


def _typed_part(record: _QwenLine, parts: list[dict[str, Any]]) -> str:
    if record.subtype not in _TYPED_KINDS or record.provenance not in (None, "real_user"):
        return ""
    if record.external_input_kind == "notification":
        return ""
    shown = record.system_payload.get("displayText") if isinstance(record.system_payload, dict) else None
    return "\n".join(filter(None, map(typed_text, [shown] if isinstance(shown, str) else texts(parts))))
