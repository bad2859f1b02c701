"""Prompts that a person can choose in a client: what is known about a topic, and note down what was learned."""

from __future__ import annotations

from typing import Any, cast

from protocol import memories as wire
from sidecar.mcp.home import Desk
from sidecar.runtime.errors import InvalidField
from sidecar.text import fence

PROMPTS: tuple[dict[str, Any], ...] = (
    {
        "name": "recall",
        "title": "What do you remember about …",
        "description": "Put the memories about a topic in front of the model.",
        "arguments": [{"name": "topic", "description": "What it is about.", "required": True}],
    },
    {
        "name": "note-down",
        "title": "Note down what was learned",
        "description": "Have the model store what this conversation taught, for later sessions.",
        "arguments": [],
    },
)

_NOTE_DOWN = (
    "Look back over this conversation and store with the tool `remember` what will still be true and useful in a "
    "later session: my preferences and corrections, decisions with their reasons, errors with what fixed them, how "
    "things are done in this project. One statement per memory, understandable on its own. Leave out what is only "
    "about the present task, what the code itself says, and anything secret. If a memory that you were shown turned "
    "out wrong, correct it with `update_memory` or delete it with `forget`. Then list what you stored in one line each."
)


def prompt(desk: Desk, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    """`prompts/get`. Raises `InvalidField` for a name or arguments that there are not."""
    if name == "note-down":
        return _message("Note down what was learned", _NOTE_DOWN)
    if name != "recall":
        raise InvalidField(f"There is no prompt {name!r}.", path="$.name")
    topic = arguments.get("topic", "").strip()
    if not topic:
        raise InvalidField("The topic is missing.", path="$.arguments.topic")
    block = desk.call("memory/inject", {"prompt": topic, "sessionId": desk.session_id})
    known = cast(wire.InjectResult, block).text or "Nothing is remembered about it."
    return _message("What is remembered", f"What do you remember about {fence.clean(topic)}?\n\n{known}")


def _message(description: str, text: str) -> dict[str, Any]:
    return {
        "description": description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
