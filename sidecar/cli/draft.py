"""A memory as a text to edit: a line per field between two rules, then the content, taken as it stands."""

from __future__ import annotations

from typing import Any, get_args

from protocol.memories import Category, Memory, MemoryType

_RULE = "---"
_HINT = "# Lines that begin with # are left out up here. An empty field is cleared."


def write_draft(memory: Memory) -> str:
    """The text that the editor opens with."""
    fields = {
        "name": memory.name,
        "description": memory.description or "",
        "type": memory.type,
        "category": memory.category or "",
        "tags": ", ".join(memory.tags),
        "pinned": "yes" if memory.pinned else "no",
    }
    lines = [f"{key}: {' '.join(value.split())}".rstrip() for key, value in fields.items()]
    return "\n".join([_RULE, _HINT, *lines, _RULE, memory.content]) + "\n"


def read_draft(text: str, memory: Memory) -> dict[str, Any]:
    """The changes that the edited text makes to the memory, under wire names. Raises `ValueError`."""
    fields, content = _split(text)
    if not content.strip():
        raise ValueError("The text is empty; to forget a memory, use delete.")
    changes: dict[str, Any] = {}
    if content != memory.content:
        changes["content"] = content
    if "name" in fields and fields["name"] != " ".join(memory.name.split()):
        if not fields["name"]:
            raise ValueError("The name is empty.")
        changes["name"] = fields["name"]
    if "description" in fields and fields["description"] != " ".join((memory.description or "").split()):
        changes["description"] = fields["description"] or None
    if "type" in fields and fields["type"] != memory.type:
        changes["type"] = _one_of("type", fields["type"], get_args(MemoryType))
    if "category" in fields and fields["category"] != (memory.category or ""):
        changes["category"] = _one_of("category", fields["category"], ("", *get_args(Category))) or None
    if "tags" in fields:
        tags = [tag.strip() for tag in fields["tags"].split(",") if tag.strip()]
        if tags != memory.tags and ", ".join(tags) != ", ".join(memory.tags):
            changes["tags"] = tags
    if "pinned" in fields:
        pinned = _one_of("pinned", fields["pinned"].lower(), ("yes", "no", "true", "false")) in (
            "yes",
            "true",
        )
        if pinned != memory.pinned:
            changes["pinned"] = pinned
    return changes


def _split(text: str) -> tuple[dict[str, str], str]:
    lines = text.splitlines()
    if not lines or lines[0].strip() != _RULE:
        return {}, text.removesuffix("\n")
    fields: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=1):
        if line.strip() == _RULE:
            head = sum(len(kept) for kept in text.splitlines(keepends=True)[: number + 1])
            return fields, text[head:].removesuffix("\n")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"Line {number + 1} is no field: {line.strip()[:40]!r}.")
        if key.strip() not in ("name", "description", "type", "category", "tags", "pinned"):
            raise ValueError(f"Line {number + 1} names an unknown field: {key.strip()[:40]!r}.")
        fields[key.strip()] = " ".join(value.split())
    raise ValueError(f"The second {_RULE} line, before the text, is missing.")


def _one_of(field: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(
            f"{field} must be one of {', '.join(word for word in allowed if word)}, not {value!r}."
        )
    return value
