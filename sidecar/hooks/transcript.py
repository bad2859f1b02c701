"""The end of an agent's transcript: what the assistant said last, and the summary of a compaction.

Only the last part of the file is read, so that the length of a session does not matter.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import msgspec

from sidecar.patterns import lazy

TAIL_BYTES = 256 * 1024
_SAID_CHARS = 20_000
_CODEX_STATUS = lazy(r"^(?:Process exited with code|Exit code:) (\d{1,3})$", re.MULTILINE)
_STATUS_CHARS = 400


def last_said(path: str | None) -> str:
    """The text of the assistant since the user's last message; empty when there is none or it cannot be read."""
    said: list[str] = []
    for entry in reversed(_tail(path)):
        kind = entry.get("type")
        if (kind == "user" and not _is_result(entry)) or kind == "user.message":
            break
        if kind == "assistant":
            said.insert(0, _text(entry))
        elif kind == "assistant.message" and isinstance(data := entry.get("data"), dict):  # Copilot CLI
            said.insert(0, str(data.get("content") or ""))
    return "\n".join(part for part in said if part)[:_SAID_CHARS]


def last_compaction(path: str | None) -> str:
    """The summary of the last compaction, empty when there is none near the end."""
    for entry in reversed(_tail(path)):
        if entry.get("isCompactSummary") is True:
            return _text(entry)
    return ""


def exit_statuses(path: str | None) -> dict[str, int]:
    """The exit statuses of commands near the end, by the id of their call, as Codex writes them."""
    found: dict[str, int] = {}
    for entry in _tail(path):
        item = entry.get("payload")
        if not isinstance(item, dict) or item.get("type") != "function_call_output":
            continue
        call, output = item.get("call_id"), item.get("output")
        status = _CODEX_STATUS.search(output[:_STATUS_CHARS]) if isinstance(output, str) else None
        if isinstance(call, str) and status is not None:
            found[call] = int(status[1])
    return found


def _tail(path: str | None) -> list[dict[str, Any]]:
    if not path or "\0" in path:
        return []
    try:
        descriptor = os.open(Path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return []
            file.seek(max(0, status.st_size - TAIL_BYTES))
            lines = file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    for line in lines:
        try:
            entry = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue  # also the first one, which was cut
        found.append(entry)
    return found


def _content(entry: dict[str, Any]) -> Any:
    message = entry.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _is_result(entry: dict[str, Any]) -> bool:
    content = _content(entry)
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    )


def _text(entry: dict[str, Any]) -> str:
    content = _content(entry)
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part.get("text", "")) for part in parts if isinstance(part, dict) and part.get("type") == "text"
    )
