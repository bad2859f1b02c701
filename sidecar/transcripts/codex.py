"""Codex CLI: `sessions/<year>/<month>/<day>/rollout-*.jsonl` has an item per line; a fork begins with its parent's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript, transcript_of_lines
from sidecar.transcripts.lines import (
    HEAD_BYTES,
    as_text,
    both_ends,
    decode,
    lines,
    millis,
    status_at_start,
    texts,
    without_head,
)
from sidecar.transcripts.user_text import typed_text

_CALL_TYPES = ("function_call", "custom_tool_call", "local_shell_call")
_RESULT_TYPES = ("function_call_output", "custom_tool_call_output")
_REFUSED_PATCH = re.compile(r"apply_patch verification failed|failed to (?:parse|apply)|exec_command failed", re.I)


def files(home: AgentHome) -> list[Path]:
    folders = ("sessions", "archived_sessions")
    return home.files("CODEX_HOME", ".codex", *(f"{folder}/**/rollout-*.jsonl" for folder in folders))


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    """Yield the session of a transcript; a sub-agent's is none."""
    entry = next(decode(lines(path, HEAD_BYTES), dict[str, Any]), {})
    item = _item(entry)
    id = as_text(item.get("id"))
    if id and not isinstance(item.get("source"), dict) and item.get("thread_source") != "subagent":
        began_at = millis(as_text(item.get("timestamp")) or as_text(entry.get("timestamp")))
        yield transcript_of_lines(path, id, began_at, as_text(item.get("cwd")), partial(events, at=began_at))


def events(lines_read: Iterable[bytes], at: int = 0) -> Iterator[SessionEvent]:
    """Yield the events of a transcript, or of a part that began at the time `at`."""
    calls = OpenCalls()
    first = folder = ""
    for entry in decode(lines_read, dict[str, Any]):
        at = millis(entry.get("timestamp")) or at
        item, kind = _item(entry), entry.get("type")
        if kind in ("session_meta", "turn_context"):
            folder = as_text(item.get("cwd")) or folder
            first = first or folder
        elif kind == "compacted":
            yield SessionEvent("compaction", at, as_text(item.get("message")))
        elif kind not in ("event_msg", "world_state", "token_usage_record"):
            yield from _item_events(item, at, calls, folder if folder != first else "")


def _item(entry: dict[str, Any]) -> dict[str, Any]:
    item = entry.get("payload")
    return item if isinstance(item, dict) else {}


def _item_events(item: dict[str, Any], at: int, calls: OpenCalls, folder: str) -> Iterator[SessionEvent]:
    kind, id = item.get("type"), item.get("call_id")
    if kind == "message":
        if item.get("role") == "user":
            if prompt := "\n".join(filter(None, map(typed_text, _typed_parts(item)))):
                yield SessionEvent("user", at, prompt, as_text(item.get("id")))
        elif item.get("role") == "assistant" and (text := "\n".join(texts(item.get("content"))).strip()):
            yield SessionEvent("agent", at, text)
    elif kind in _CALL_TYPES:
        calls.begin(id, item.get("name") or "shell", _input(item), folder)
    elif kind in _RESULT_TYPES:
        output, status = _output(item.get("output"))
        refused = status is None and _REFUSED_PATCH.search(output[:200]) is not None
        yield from calls.finish(id, at, both_ends(output), status, refused=refused)


def _typed_parts(item: dict[str, Any]) -> list[str]:
    """Return the texts of a user's message that are not marked as not typed."""
    message_texts = texts(item.get("content"))
    passthrough = item.get("internal_chat_message_metadata_passthrough")
    kinds = passthrough.get("content_item_kinds") if isinstance(passthrough, dict) else None
    if isinstance(kinds, list) and len(kinds) == len(item.get("content") or ()) == len(message_texts):
        return [text for text, kind in zip(message_texts, kinds, strict=True) if str(kind).startswith("user.")]
    return message_texts


def _input(item: dict[str, Any]) -> Any:
    if isinstance(action := item.get("action"), dict):  # local_shell_call
        return {"command": action.get("command"), "workdir": action.get("working_directory")}
    arguments = item.get("arguments", item.get("input"))
    if item.get("type") == "function_call" and isinstance(arguments, str):
        return next(decode([arguments.encode("utf-8", "surrogatepass")], object), arguments)
    return arguments


def _output(content: Any) -> tuple[str, int | None]:
    text = "\n".join(texts(content))
    if text.startswith('{"output"'):  # as `apply_patch` answers
        for printed in decode([text.encode("utf-8", "surrogatepass")], _Printed):
            return printed.output, printed.metadata.get("exit_code")
        return text, None
    return without_head(text), status_at_start(text)


class _Printed(msgspec.Struct):
    output: str
    metadata: dict[str, Any] = {}
