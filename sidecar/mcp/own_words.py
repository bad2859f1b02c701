"""Reword the engine's texts for a model: name tools instead of the wire's methods, and no shell commands."""

from __future__ import annotations

import re

from protocol.methods import METHODS

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


def reword_for_model(text: str) -> str:
    """Return a text with the tools' names, and a remark for the user in place of what no tool can do."""
    sentences = _SENTENCE.split(text)
    reworded = [
        _FOR_A_PERSON if _is_for_a_person(sentence) else _METHOD.sub(lambda match: _TOOLS[match[0]], sentence)
        for sentence in sentences
    ]
    return " ".join(dict.fromkeys(reworded))


def _is_for_a_person(sentence: str) -> bool:
    return bool(_COMMAND.search(sentence)) or any(method not in _TOOLS for method in _METHOD.findall(sentence))
