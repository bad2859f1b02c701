"""A tool's answer: text for the model, and the same content as data for the client.

A model may read both, so neither holds stored text as it is. The text is a fenced block, or a sentence of ours with
neutralised names. Strings in the data are neutralised when the result is built.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from protocol import memories as api
from protocol.methods import METHODS
from sidecar.memories.index.judging import suspicion
from sidecar.memories.retrieval.reasons import label
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.errors import SidecarError
from sidecar.text import fence
from sidecar.text.secrets import redact
from sidecar.text.times import utc_day

_PER_DAY = 86_400_000
_TOOLS = {
    "context/boot": "context",
    "file/observe": "file_fact",
    "file/search": "find_files",
    "file/summary": "file_summary",
    "memory/delete": "forget",
    "memory/get": "recall",
    "memory/inject": "context",
    "memory/link": "link",
    "memory/list": "recall",
    "memory/record": "remember",
    "memory/reject": "forget",
    "memory/search": "recall",
    "memory/update": "update_memory",
    "reminder/clear": "reminder with action clear",
    "reminder/list": "reminder with action list",
    "reminder/set": "reminder with action set",
    "session/claim": "session with action claim",
    "session/end": "session with action end",
    "session/list": "session with action list",
    "session/release": "session with action release",
    "session/start": "session with action start",
    "workspace/repoMap": "repo_map",
}
_ACTIONS = "archive confirm promote redo reopen resolve restore undo verify"
_TOOLS |= {f"memory/{action}": f"update_memory with action {action}" for action in _ACTIONS.split()}
_METHOD = re.compile(rf"(?<![\w/])(?:{'|'.join(METHODS)})(?![\w/]|\.\w)")
_COMMAND = re.compile(r"`?memory-sidecar [a-z]")
_SENTENCE = re.compile(r"(?<=[.!?;]) +")
_FOR_A_PERSON = "The user can do this outside of this tool."


class ToolAnswer(msgspec.Struct, frozen=True):
    """A fenced block or a sentence for the model, and the same content as data in JSON's types."""

    text: str
    data: dict[str, Any]


def without_none(**fields: object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def note(memory: api.Memory, score: float | None = None) -> dict[str, Any]:
    """Return a memory as short data, with the relevance `score`, without a name that only repeats the content."""
    return without_none(
        id=memory.id,
        content=memory.content,
        type=memory.type,
        scope=memory.scope,
        updated=utc_day(memory.updated_at),
        name=None if is_derived(memory.name, memory.content) else memory.name,
        category=memory.category,
        status=None if memory.status == "active" else memory.status,
        author=memory.author,
        match=None if score is None else label(score),
        score=None if score is None else round(score, 2),
    )


def note_text(memory: api.Memory, now: int, score: float | None = None) -> str:
    """Return a memory as a neutralised list item. A name that only repeats the content is left out."""
    kind = "/".join(part for part in (memory.scope, memory.type, memory.category) if part)
    marks = "" if memory.status == "active" else f", {memory.status}"
    if memory.status == "suspect":
        marks = f", {suspicion(memory.references)}"
    if score is not None:
        marks += f", {label(score)}: {score:.2f}"
    marks += f", by {memory.author}" if memory.author is not None else ""
    age = max(0, now - memory.updated_at) // _PER_DAY
    age_text = "today" if age == 0 else f"{age} day{'s' if age > 1 else ''} ago"
    name = "" if is_derived(memory.name, memory.content) else f"{fence.one_line(memory.name)}: "
    return fence.item(f"[{memory.id}] ({kind}, {age_text}{fence.one_line(marks)}) {name}", memory.content)


def refusal(error: SidecarError) -> str:
    """Return an error in words for a model: what is wrong, in which argument, and what to do."""
    argument_note = f" (argument {error.data.path.removeprefix('$.')})" if error.data.path not in (None, "$") else ""
    hint = f" {reword_for_model(error.data.hint)}" if error.data.hint else ""
    return f"{reword_for_model(redact(error.message)[0])}{argument_note}{hint}"


def tool_result(answer: ToolAnswer, *, structured: bool) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": answer.text}], "isError": False}
    if structured:
        result["structuredContent"] = fence.clean_values(answer.data, keep=answer.text)
    return result


def tool_failure(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": fence.clean(text)}], "isError": True}


def reword_for_model(text: str) -> str:
    """Return a text with the tools' names. What no tool can do becomes a remark for the user."""
    sentences = _SENTENCE.split(text)
    reworded = [
        _FOR_A_PERSON if _is_for_a_person(sentence) else _METHOD.sub(lambda match: _TOOLS[match[0]], sentence)
        for sentence in sentences
    ]
    return " ".join(dict.fromkeys(reworded))


def _is_for_a_person(sentence: str) -> bool:
    return bool(_COMMAND.search(sentence)) or any(method not in _TOOLS for method in _METHOD.findall(sentence))
