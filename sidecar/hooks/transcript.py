"""The end of an agent's transcript: what the assistant said in its turn, and the summary of a compaction.

Only the last part of the file is read, so that the length of a session does not matter.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sidecar.patterns import lazy

TAIL_BYTES = 256 * 1024
_SAID_CHARS = 20_000
_CODEX_STATUS = lazy(r"^(?:Process exited with code|Exit code:) (\d{1,3})$", re.MULTILINE)
_STATUS_CHARS = 400


class Said(NamedTuple):
    """What the assistant said between two uses of tools, and the ids of the calls before it in the turn."""

    text: str
    calls: tuple[str, ...]


def said_in_turn(path: str | None) -> list[Said]:
    """What the assistant said since the user's last message; nothing when that cannot be read.

    Of very much the last part is kept.
    """
    turn: list[dict[str, Any]] = []
    for entry in reversed(_tail(path)):
        if (entry.get("type") == "user" and not _is_result(entry)) or entry.get("type") == "user.message":
            break
        turn.append(entry)
    said: list[Said] = []
    calls: tuple[str, ...] = ()
    for entry in reversed(turn):
        for part in _parts(entry):
            call = part.get("id")
            if part.get("type") == "tool_use" and isinstance(call, str):
                calls = (*calls, call)
            elif part.get("type") == "text" and (text := str(part.get("text") or "")).strip():
                if said and said[-1].calls == calls:
                    text = f"{said.pop().text}\n{text}"
                said.append(Said(text, calls))
    kept: list[Said] = []
    room = _SAID_CHARS
    for one in reversed(said):
        if room <= 0:
            break
        kept.insert(0, Said(one.text[:room], one.calls))
        room -= len(one.text)
    return kept


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


def _parts(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of what the assistant said, as Claude Code has them."""
    if entry.get("type") == "assistant.message" and isinstance(
        data := entry.get("data"), dict
    ):  # Copilot CLI
        return [{"type": "text", "text": data.get("content")}]
    content = _content(entry) if entry.get("type") == "assistant" else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _text(entry: dict[str, Any]) -> str:
    content = _content(entry)
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part.get("text", "")) for part in parts if isinstance(part, dict) and part.get("type") == "text"
    )
