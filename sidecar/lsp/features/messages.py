"""Messages about a command's outcome; stored text is cleaned and put on lines of its own."""

from __future__ import annotations

from typing import Any, Final

from sidecar.engine.editor.views import FileView, MemoryView
from sidecar.lsp.features.wording import block, body, counted, dated, facet_lines, head, title

MAX_MESSAGE_CHARS: Final = 3_000
"""Maximum characters of a message; an editor shows it in a corner."""

_DONE: Final = {
    "update": "Changed",
    "resolve": "Resolved",
    "reopen": "Opened again",
    "archive": "Archived",
    "restore": "Restored",
    "verify": "Verified",
    "undo": "Undone",
    "redo": "Redone",
    "reject": "Rejected",
}
_RECORDED: Final = {"created": "Remembered", "merged": "Added to", "duplicate": "Already known:"}


def of_result(name: str, answer: Any) -> str:
    answer = answer if isinstance(answer, dict) else {}
    memory = answer.get("memory") if isinstance(answer.get("memory"), dict) else answer
    called = f"“{title(str(memory.get('name') or memory.get('content', '')))}”"
    if name in ("record", "confirm"):
        return f"{_RECORDED.get(str(answer.get('status')), 'Remembered')} {called}.{_redacted(answer)}"
    if name == "promote":
        done = "is now seen by" if answer.get("changed") else "was seen already by"
        return f"{called} {done} scope {memory.get('scope')}."
    if name in _DONE:
        return f"{_DONE[name]} {called}."
    if name == "delete":
        return "Deleted." + (" It can be undone." if answer.get("undoable") else "")
    if name in ("search", "list", "candidates"):
        return _listed(answer.get("items") or [], "memory" if name != "candidates" else "candidate")
    if name == "inject":
        return _cut(str(answer.get("text") or "Nothing would be injected."))  # a block is neutralised already
    if name == "summary":
        return _cut(str(answer.get("summary") or ""))
    if name == "history":
        lines = (f"version {item.get('version')}: {item.get('change')}" for item in answer.get("versions") or [])
        return "\n".join(lines)[:MAX_MESSAGE_CHARS]
    if name == "maintain":
        counts = answer.get("counts") or {}
        done = ", ".join(f"{step}: {count}" for step, count in counts.items() if count)
        return f"Maintenance: {done or 'nothing to do'}."
    return f"memory-sidecar {answer.get('version', '')} is running."


def memory(view: MemoryView, now: int) -> str:
    return _cut(f"{head(view, now)}\n{block(body(view.name, view.content), False)}")


def file(view: FileView, symbol: str | None, now: int) -> str:
    memories = [item for item in view.memories if symbol is None or symbol in item.symbols]
    facets = [item for item in view.facets if symbol is None or symbol in item.symbols]
    about = title(view.path if symbol is None else f"{symbol} in {view.path}", 1_000)
    parts = [f"{about}: {counted(len(memories), 'memory', 'memories')}, {counted(len(facets), 'fact')}"]
    for item in memories:
        parts.append(f"{head(item, now)}\n{block(body(item.name, item.content), False)}")
    for facet in facets:
        state = "" if facet.holds else ", of an earlier version"
        parts.append(f"fact, learned {dated(facet.at, now)}{state}\n{block(facet_lines(facet), False)}")
    return _cut("\n".join(parts))


def _listed(items: list[Any], noun: str) -> str:
    if not items:
        return f"No {noun} was found."
    lines = []
    for item in items:
        fields = item.get("memory", item) if isinstance(item, dict) else {}
        state = "" if fields.get("status") in ("active", "waiting") else f" ({fields.get('status')})"
        name = title(str(fields.get("name") or fields.get("content", "")), 80)
        lines.append(f"{name} · {fields.get('scope')}{state}")
    return _cut("\n".join(lines))


def _redacted(answer: dict[str, Any]) -> str:
    redactions = answer.get("redactions") or []
    return f" {counted(len(redactions), 'secret')} left out." if redactions else ""


def _cut(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_CHARS else f"{text[: MAX_MESSAGE_CHARS - 1]}…"
