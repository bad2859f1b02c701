"""JSON objects with a text each: what mem0 answers to `get_all`, a list of such objects, or JSON Lines of one's own.

mem0 as its documentation and client have it: `{"results": [...]}` with `memory`, `metadata`, `categories`, `user_id`,
`agent_id`, `run_id`, `created_at`, `updated_at`. One's own lines have `content` or `text`, and any of `name`,
`description`, `type`, `category`, `scope`, `tags`, `files`, `agent`, `session_id`, `created_at` and `updated_at`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sidecar.interchange.parsed import (
    ImportItem,
    ImportSource,
    LeftOut,
    ParsedImport,
    malformed,
    millis,
    notes,
    one_line,
    plain_files,
    scope_of,
    unknown_type,
)
from sidecar.interchange.sections import category_named, fitted

FORMAT = "records"
_TEXT = ("content", "memory", "text")
_TYPES = ("user", "feedback", "project", "reference")
_SECONDS = 100_000_000_000
"""Smaller numbers are seconds since 1970, not milliseconds: as milliseconds they would lie before 1973."""


def fits(source: ImportSource) -> bool:
    """Return True if the first object has a text."""
    if not source.text.lstrip().startswith(("{", "[")):
        return False
    first = next(_objects(source), None)
    return first is not None and _text(first) is not None


def read(source: ImportSource) -> ParsedImport:
    """Return one item per object. Raises InvalidField if there is none."""
    parsed = ParsedImport(FORMAT)
    for number, found in enumerate(_objects(source), start=1):
        where = f"{source.path}, entry {number}"
        text = _text(found) if found is not None else None
        if found is None or text is None:
            parsed.left.append(LeftOut(where, "", "It is not a JSON object." if found is None else "It has no text."))
            continue
        parsed.items += fitted(_item(found, text, where))
    if not parsed.items and not parsed.left:
        raise malformed(source.path, "it holds no JSON objects.")
    return parsed


def _item(found: dict[str, Any], text: str, where: str) -> ImportItem:
    inner = found.get("metadata")
    fields = {**inner, **found} if isinstance(inner, dict) else found
    kind, category = _word(fields, "type"), _word(fields, "category")
    scope, note = scope_of(_word(fields, "scope"))
    known = category_named(category) if category else None
    tags = [*_words(fields, "tags"), *_words(fields, "categories"), *([category] if category and not known else [])]
    default = "user" if _word(fields, "user_id") and not _word(fields, "agent_id") else "project"
    created = _time(fields, "created_at", "createdAt")
    return ImportItem(
        key=str(fields.get("id", where)),
        where=where,
        content=text,
        name=one_line(_word(fields, "name", "title")),
        description=one_line(_word(fields, "description"), 1_000),
        type=kind.lower() if kind and kind.lower() in _TYPES else default,
        category=known,
        agent=one_line(_word(fields, "agent", "agent_id"), 100),
        session_id=one_line(_word(fields, "session_id", "run_id")),
        files=plain_files(_words(fields, "files")),
        tags=tuple(dict.fromkeys(tag[:100] for tag in tags))[:50],
        created_at=created,
        updated_at=_time(fields, "updated_at", "updatedAt") or created,
        scope=scope,
        note=notes(note, unknown_type(kind, _TYPES)),
    )


def _objects(source: ImportSource) -> Iterator[dict[str, Any] | None]:
    """Yield the objects of a document or of its lines; None for anything else."""
    try:
        whole = msgspec.json.decode(source.text)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        for line in source.text.split("\n"):
            if line.strip():
                yield _object(line)
        return
    if isinstance(whole, dict) and not _text(whole):
        whole = next((whole[name] for name in ("results", "memories") if isinstance(whole.get(name), list)), [whole])
    for one in whole if isinstance(whole, list) else [whole]:
        yield one if isinstance(one, dict) else None


def _object(line: str) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def _text(found: Mapping[str, Any]) -> str | None:
    return _word(found, *_TEXT)


def _word(fields: Mapping[str, Any], *names: str) -> str | None:
    values = (fields.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), None)


def _words(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    values = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [one.strip() for one in values if isinstance(one, str) and one.strip()]


def _time(fields: Mapping[str, Any], *names: str) -> int | None:
    value = next((fields[name] for name in names if fields.get(name) is not None), None)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15:
        return int(value * 1_000 if value < _SECONDS else value)
    return millis(value)
