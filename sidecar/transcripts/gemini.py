"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl` has a message per line, and again a line when its tools end.

`.project_root` or a SHA-256 digest names the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sidecar.learning.session_event import SessionEvent
from sidecar.runtime.digests import sha256
from sidecar.transcripts.event import AgentHome, OpenCalls, SessionTranscript, transcript_of_lines
from sidecar.transcripts.lines import (
    HEAD_BYTES,
    as_text,
    both_ends,
    decode,
    lines,
    millis,
    open_regular,
    status_at_end,
    texts,
    without_head,
)
from sidecar.transcripts.user_text import typed_text

_END_STATES = ("success", "error", "cancelled")


def files(home: AgentHome) -> list[Path]:
    if home.environ.get("GEMINI_CLI_HOME"):
        home = home._replace(folder=Path(home.environ["GEMINI_CLI_HOME"]))
    return home.files("", ".gemini", "tmp/*/chats/session-*.jsonl")


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    header = next(decode(lines(path, HEAD_BYTES), dict[str, Any]), {})
    id = as_text(header.get("sessionId"))
    if not id or header.get("kind") == "subagent":
        return
    at, folder = millis(header.get("startTime")), _folder(path, as_text(header.get("projectHash")), home)
    yield transcript_of_lines(path, id, at, folder, events)


def _folder(path: Path, digest: str, home: AgentHome) -> str:
    try:
        with open_regular(path.parents[1] / ".project_root") as file:
            return file.read(4_096).decode("utf-8", "replace").strip()
    except OSError:
        digests = {sha256(str(root).encode()).hexdigest(): str(root) for root in home.roots}
        return digests.get(digest) or digests.get(path.parents[1].name) or ""


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    calls = OpenCalls()
    reported_ids: set[str] = set()
    for entry in decode(lines_read, dict[str, Any]):
        update = entry.get("$set")
        messages = (update if isinstance(update, dict) else entry).get("messages")
        for message in messages if isinstance(messages, list) else [entry]:
            if isinstance(message, dict) and isinstance(message.get("id"), str):
                yield from _message_events(message, calls, reported_ids)


def _message_events(message: dict[str, Any], calls: OpenCalls, reported_ids: set[str]) -> Iterator[SessionEvent]:
    id, at, kind = message["id"], millis(message.get("timestamp")), message.get("type")
    display_content = message.get("displayContent") if kind == "user" else None
    message_texts = texts(display_content or message.get("content"))
    if kind == "user" and id not in reported_ids:
        reported_ids.add(id)
        if not "".join(message_texts).startswith(("/", "?")) and (
            text := "\n".join(filter(None, map(typed_text, message_texts)))
        ):
            yield SessionEvent("user", at, text, id)
    if kind != "gemini":
        return
    if id not in reported_ids and (text := "\n".join(message_texts).strip()):
        reported_ids.add(id)
        yield SessionEvent("agent", at, text)
    uses = message.get("toolCalls")
    for use in uses if isinstance(uses, list) else ():
        if isinstance(use, dict) and use.get("status") in _END_STATES and str(use.get("id")) not in reported_ids:
            reported_ids.add(str(use.get("id")))
            calls.begin(use.get("id"), use.get("name"), use.get("args"))
            yield from tool_result_events(
                calls, use.get("id"), use.get("result"), at, failed=use["status"] != "success"
            )


def tool_result_events(calls: OpenCalls, id: Any, parts: Any, at: int, *, failed: bool) -> Iterator[SessionEvent]:
    """Yield a finished tool use, given its result as function responses."""
    output: list[str] = []
    for part in parts if isinstance(parts, list) else [parts]:
        response = part.get("functionResponse") if isinstance(part, dict) else None
        answer = response.get("response") if isinstance(response, dict) else None
        if isinstance(answer, dict):
            output += [answer[key] for key in ("output", "error") if isinstance(answer.get(key), str)]
            failed = failed or "error" in answer
    text = "\n".join(output)
    status = status_at_end(text)
    status = (None if failed else 0) if status is None else status
    yield from calls.finish(id, at, both_ends(without_head(text)), status, refused=failed)
