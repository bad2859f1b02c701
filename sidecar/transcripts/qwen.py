"""Qwen Code: `projects/<folder>/chats/<session>.jsonl` below its own folder; a record a line.

A branch begins with a copy of its parent's records, with their uuids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from sidecar.transcripts import gemini
from sidecar.transcripts.event import Calls, Event, Transcript
from sidecar.transcripts.lines import HEAD_MOST, decoded, lines, millis, stamp_of, text_of, texts
from sidecar.transcripts.places import Home
from sidecar.transcripts.spoken import spoken

AGENT = "qwen"
_TYPED = (None, "mid_turn_user_message")


class _Record(msgspec.Struct, rename="camel"):
    type: Any = None
    subtype: Any = None
    provenance: Any = None
    uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    message: Any = None
    tool_call_result: Any = None
    system_payload: Any = None
    is_sidechain: Any = None
    external_input_kind: Any = None


def files(home: Home) -> list[Path]:
    """The transcripts on this machine, with those of old versions."""
    variable = "QWEN_RUNTIME_DIR" if home.environ.get("QWEN_RUNTIME_DIR") else "QWEN_HOME"
    found = home.files(variable, ".qwen", "projects/*/chats/*.jsonl")
    return found + home.files(variable, ".qwen", "tmp/*/chats/session-*.json")


def sessions(path: Path, home: Home) -> Iterator[Transcript]:
    """The session of a transcript."""
    if path.suffix == ".json":
        yield from gemini.sessions(path, home, AGENT)
        return
    found = next((each for each in decoded(lines(path, HEAD_MOST), _Record) if text_of(each.cwd)), None)
    if found is not None and found.is_sidechain is not True:
        id = text_of(found.session_id) or path.stem
        at, folder = millis(found.timestamp), text_of(found.cwd)
        yield Transcript(id, AGENT, at, folder, stamp_of(path), path, lambda: events(lines(path)))


def events(given: Iterable[bytes]) -> Iterator[Event]:
    """The events of a transcript, or of a part of it."""
    calls, first = Calls(), ""
    for record in decoded(given, _Record):
        if record.is_sidechain is True:
            continue
        at, folder = millis(record.timestamp), text_of(record.cwd)
        first = first or folder
        parts = record.message.get("parts") if isinstance(record.message, dict) else None
        parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        if record.type == "user" and (said := _said(record, parts)):
            yield Event("user", at, said, text_of(record.uuid))
        elif record.type == "assistant":
            said = "\n".join(texts([part for part in parts if part.get("thought") is not True])).strip()
            if said:
                yield Event("agent", at, said)
            for part in parts:
                if isinstance(use := part.get("functionCall"), dict):
                    moved = folder if folder != first else None
                    calls.began(use.get("id"), use.get("name"), use.get("args"), moved)
        elif record.type == "tool_result":
            about = record.tool_call_result if isinstance(record.tool_call_result, dict) else {}
            failed = about.get("status") in ("error", "cancelled")
            for part in parts:
                response = part.get("functionResponse")
                id = response.get("id") if isinstance(response, dict) else None
                yield from gemini.result(calls, id or about.get("callId"), part, at, failed=failed)
        elif record.subtype == "chat_compression" and isinstance(record.system_payload, dict):
            history = record.system_payload.get("compressedHistory")
            summary = history[0].get("parts") if isinstance(history, list) and history else None
            yield Event("compaction", at, "\n".join(texts(summary)))


def _said(record: _Record, parts: list[dict[str, Any]]) -> str:
    if record.subtype not in _TYPED or record.provenance not in (None, "real_user"):
        return ""
    if record.external_input_kind == "notification":
        return ""
    shown = record.system_payload.get("displayText") if isinstance(record.system_payload, dict) else None
    return "\n".join(filter(None, map(spoken, [shown] if isinstance(shown, str) else texts(parts))))
