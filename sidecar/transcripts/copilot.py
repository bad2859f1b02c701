"""Copilot CLI: `session-state/<session>/events.jsonl`; sub-agents' events have an `agentId`, skills' a source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from sidecar.learning.session_event import SessionEvent
from sidecar.text.lazy_patterns import lazy
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript, transcript_of_lines
from sidecar.transcripts.lines import HEAD_BYTES, as_text, both_ends, decode, lines, millis, open_regular, status_at_end
from sidecar.transcripts.user_text import typed_text

_FOLDER_LINE = lazy(r"^cwd: *[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


class _CopilotLine(msgspec.Struct, rename="camel"):
    type: Any = None
    data: Any = None
    id: Any = None
    timestamp: Any = None
    agent_id: Any = None


def files(home: AgentHome) -> list[Path]:
    return home.files("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl", "session-state/*.jsonl")


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    first = next((line for line in decode(lines(path, HEAD_BYTES), _CopilotLine) if line.type == "session.start"), None)
    data = first.data if first is not None and isinstance(first.data, dict) else None
    if first is None or data is None:
        return
    context = data.get("context")
    folder = as_text(context.get("cwd")) if isinstance(context, dict) else ""
    id = as_text(data.get("sessionId")) or (path.parent.name if path.name == "events.jsonl" else path.stem)
    at = millis(data.get("startTime")) or millis(first.timestamp)
    yield transcript_of_lines(path, id, at, folder or _workspace_folder(path), events)


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    calls = OpenCalls()
    for entry in decode(lines_read, _CopilotLine):
        data, at = entry.data, millis(entry.timestamp)
        if not isinstance(data, dict) or entry.agent_id is not None:
            continue
        if entry.type == "user.message":
            typed = data.get("source") in (None, "", "user") and data.get("isAutopilotContinuation") is not True
            prompt = typed_text(as_text(data.get("content"))) if typed else ""
            yield SessionEvent("user", at, prompt, as_text(entry.id))
        elif entry.type == "assistant.message":
            if text := as_text(data.get("content")).strip():
                yield SessionEvent("agent", at, text)
        elif entry.type == "tool.execution_start":
            calls.begin(data.get("toolCallId"), data.get("toolName"), data.get("arguments"))
        elif entry.type == "tool.execution_complete":
            yield from _tool_result(data, at, calls)
        elif entry.type == "session.compaction_complete" and data.get("success") is not False:
            yield SessionEvent("compaction", at, as_text(data.get("summaryContent")))


def _tool_result(data: dict[str, Any], at: int, calls: OpenCalls) -> Iterator[SessionEvent]:
    result, error = data.get("result"), data.get("error")
    exit_code = result.get("exitCode") if isinstance(result, dict) else None
    result = result if isinstance(result, dict) else {"content": result}
    printed = [result.get("content"), result.get("stdout"), result.get("stderr")]
    printed.append(error.get("message") if isinstance(error, dict) else error)
    text = "\n".join(part for part in printed if isinstance(part, str) and part)
    failed = data.get("success") is False
    status = exit_code if isinstance(exit_code, int) else status_at_end(text)
    status = (None if failed else 0) if status is None else status
    yield from calls.finish(data.get("toolCallId"), at, both_ends(text), status, refused=failed)


def _workspace_folder(path: Path) -> str:
    try:
        with open_regular(path.parent / "workspace.yaml") as file:
            match = _FOLDER_LINE.search(file.read(20_000).decode("utf-8", "replace"))
    except OSError:
        return ""
    return match[1] if match else ""
