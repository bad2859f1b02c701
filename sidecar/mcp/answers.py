"""What a tool answers: text for the model, and the same as data for the client.

A model reads both, so nothing of what is stored is in either as it was stored: a text stands in the fence, or is a
sentence of ours in which names are neutralised; strings of the data are neutralised where the result is made.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import msgspec

from protocol import memories as wire
from sidecar.memories.naming import is_derived
from sidecar.memories.reasons import label
from sidecar.runtime.errors import SidecarError
from sidecar.text import fence
from sidecar.text.redaction import redact

_PER_DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is what a model reads: a block of the fence, or a sentence; `data` fits the tool's output schema."""

    text: str
    data: msgspec.Struct


class Note(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A memory, as short as it can be."""

    id: str
    content: str
    type: str
    scope: str
    updated: str
    name: str | None = None
    category: str | None = None
    status: str | None = None
    match: str | None = None
    score: float | None = None


def note(memory: wire.Memory, score: float | None = None) -> Note:
    """A memory of the wire as a note, with the date (UTC) of its last change. `score`: how likely it bears on a query.

    A name that only repeats how the content begins is left out.
    """
    return Note(
        id=memory.id,
        name=None if is_derived(memory.name, memory.content) else memory.name,
        content=memory.content,
        type=memory.type,
        scope=memory.scope,
        updated=day(memory.updated_at),
        category=memory.category,
        status=None if memory.status == "active" else memory.status,
        match=None if score is None else label(score),
        score=None if score is None else round(score, 2),
    )


def note_text(memory: wire.Memory, now: int, score: float | None = None) -> str:
    """A memory as an item of a list, neutralised; a derived name is left out, for the text repeats it."""
    kind = "/".join(part for part in (memory.scope, memory.type, memory.category) if part)
    marks = "" if memory.status == "active" else f", {memory.status}"
    if memory.status == "suspect":
        stale = ", ".join(each.text for each in memory.references if each.stale)
        marks = f", recorded against an older version of {stale}" if stale else ", suspect"
    if score is not None:
        marks += f", {label(score)}: {score:.2f}"
    age = max(0, now - memory.updated_at) // _PER_DAY
    when = "today" if age == 0 else f"{age} day{'s' if age > 1 else ''} ago"
    name = "" if is_derived(memory.name, memory.content) else f"{fence.one_line(memory.name)}: "
    return fence.item(f"[{memory.id}] ({kind}, {when}{fence.one_line(marks)}) {name}", memory.content)


def day(millis: int) -> str:
    """The date of an epoch in milliseconds, UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(millis / 1000))


def refusal(error: SidecarError) -> str:
    """An error as a model can act on it: what was wrong, where, what to do."""
    at = f" (argument {error.data.path.removeprefix('$.')})" if error.data.path not in (None, "$") else ""
    hint = f" {error.data.hint}" if error.data.hint else ""
    return f"{redact(error.message)[0]}{at}{hint}"


def tool_result(answer: Answer, *, structured: bool) -> dict[str, Any]:
    """A tool's result on the wire."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": answer.text}], "isError": False}
    if structured:
        result["structuredContent"] = fence.data(msgspec.to_builtins(answer.data), keep=answer.text)
    return result


def tool_failure(text: str) -> dict[str, Any]:
    """A call that did not do what was asked; the model reads why."""
    return {"content": [{"type": "text", "text": fence.clean(text)}], "isError": True}
