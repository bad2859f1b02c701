"""Read JSON objects with a text each: mem0's answer to `get_all`, a list of objects, or a user's own JSON Lines.

mem0 answers `{"results": [...]}` with `memory`, `metadata`, `categories`, `user_id`, `agent_id`, `run_id`, `created_at`
and `updated_at`. A user's own lines have `content` or `text`, and any of `name`, `description`, `type`, `category`,
`scope`, `tags`, `files`, `agent`, `session_id`, `created_at` and `updated_at`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidecar.interchange.parsed import (
    ImportItem,
    ImportSource,
    Omission,
    ParsedImport,
    join_notes,
    malformed,
    scope_of,
    unknown_type,
)
from sidecar.interchange.sections import category_named, split_item
from sidecar.interchange.values import decode_json, json_lines, list_of, plain_files, short_name, text_of, time_of
from sidecar.store.vocabulary import TYPES

FORMAT = "records"
_TEXT_FIELDS = ("content", "memory", "text")


def fits(source: ImportSource) -> bool:
    if not source.text.lstrip().startswith(("{", "[")):
        return False
    first = next(_objects(source), None)
    return first is not None and text_of(first, *_TEXT_FIELDS) is not None


def read(source: ImportSource) -> ParsedImport:
    """Return one item per object. Raises InvalidField if there is none."""
    parsed = ParsedImport(FORMAT)
    for number, record in enumerate(_objects(source), start=1):
        where = f"{source.path}, entry {number}"
        text = text_of(record, *_TEXT_FIELDS) if record is not None else None
        if record is None or text is None:
            parsed.skipped.append(
                Omission(where, "", "It is not a JSON object." if record is None else "It has no text.")
            )
            continue
        parsed.items += split_item(_item(record, text, where))
    if not parsed.items and not parsed.skipped:
        raise malformed(source.path, "it holds no JSON objects.")
    return parsed


def _item(record: dict[str, Any], text: str, where: str) -> ImportItem:
    inner = record.get("metadata")
    fields = {**inner, **record} if isinstance(inner, dict) else record
    kind, category = text_of(fields, "type"), text_of(fields, "category")
    scope, note = scope_of(text_of(fields, "scope"))
    own_category = category_named(category) if category else None
    tags = [
        *list_of(fields, "tags"),
        *list_of(fields, "categories"),
        *([category] if category and not own_category else []),
    ]
    default = "user" if text_of(fields, "user_id") and not text_of(fields, "agent_id") else "project"
    created = time_of(fields, "created_at", "createdAt")
    return ImportItem(
        key=str(fields.get("id", where)),
        where=where,
        content=text,
        name=short_name(text_of(fields, "name", "title")),
        description=short_name(text_of(fields, "description"), 1_000),
        type=kind.lower() if kind and kind.lower() in TYPES else default,
        category=own_category,
        agent=short_name(text_of(fields, "agent", "agent_id"), 100),
        session_id=short_name(text_of(fields, "session_id", "run_id")),
        files=plain_files(list_of(fields, "files")),
        tags=tuple(dict.fromkeys(tag[:100] for tag in tags))[:50],
        created_at=created,
        updated_at=time_of(fields, "updated_at", "updatedAt") or created,
        scope=scope,
        note=join_notes(note, unknown_type(kind, TYPES)),
    )


def _objects(source: ImportSource) -> Iterator[dict[str, Any] | None]:
    """Yield the objects of a document or of its lines; None for anything else."""
    whole = decode_json(source.text)
    if whole is None:
        yield from (record for _, _, record in json_lines(source.text))
        return
    if isinstance(whole, dict) and not text_of(whole, *_TEXT_FIELDS):
        whole = next((whole[name] for name in ("results", "memories") if isinstance(whole.get(name), list)), [whole])
    for item in whole if isinstance(whole, list) else [whole]:
        yield item if isinstance(item, dict) else None
