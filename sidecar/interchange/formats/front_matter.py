"""Read front matter: YAML between two lines of dashes at the top of a Markdown file.

Agents write front matter by hand, often as invalid YAML (`description: Shipped: the new build`), which is then read
line by line. All values are texts or lists of texts, at the top level or one level below a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from sidecar.interchange.parsed import (
    ImportItem,
    ImportSource,
    Omission,
    ParsedImport,
    join_notes,
    narrower,
    scope_of,
    unknown_type,
)
from sidecar.interchange.sections import split_item
from sidecar.interchange.values import list_of, read_yaml, short_name, text_of
from sidecar.text.times import millis

MAX_CHARS = 64_000  # a longer text between dashes is not front matter
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"(\s*)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?\s*\Z")


def split_front_matter(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the fields (None without front matter), nested ones as `outer.inner`, and the text below."""
    match = _FRONT_MATTER.match(text)
    if match is None or len(match[1]) > MAX_CHARS:
        return None, text
    fields = _yaml(match[1])
    fields = _read_lines(match[1]) if fields is None else fields
    return (fields or None), text[match.end() :] if fields else text


def for_audience(items: Iterable[ImportItem], fields: Mapping[str, Any] | None) -> list[ImportItem]:
    """Return the items for the scope and the agent that front matter names; an unknown scope adds a note."""
    fields = fields or {}
    scope, note = scope_of(text_of(fields, "scope", "metadata.scope"))
    agent = short_name(text_of(fields, "agent", "metadata.agent"), 100)
    return [
        replace(item, scope=narrower(item.scope, scope), agent=agent, note=join_notes(note, item.note))
        for item in items
    ]


def read_page(
    source: ImportSource, fields: dict[str, Any], body: str, types: Mapping[str, tuple[str, str | None]], format: str
) -> ParsedImport:
    """Return the memory of a page with these fields. `types` has our type and category for each word of the tool."""
    parsed = ParsedImport(format)
    if body.strip():
        parsed.items += for_audience(split_item(_item_of(source, fields, body, types)), fields)
    else:
        parsed.skipped.append(Omission(source.path, source.stem, "The file has no text."))
    return parsed


def _item_of(
    source: ImportSource, fields: dict[str, Any], body: str, types: Mapping[str, tuple[str, str | None]]
) -> ImportItem:
    type_word = text_of(fields, "metadata.type", "type")
    kind, category = types.get((type_word or "").lower(), ("project", None))
    written = text_of(fields, "metadata.modified", "modified", "updated", "updatedAt", "updated_at")
    return ImportItem(
        key=source.path,
        where=source.path,
        content=body.strip(),
        name=short_name(text_of(fields, "name", "title")) or source.stem,
        description=short_name(text_of(fields, "description"), 1_000),
        type=kind,
        category=category,
        tags=tuple(tag[:100] for tag in list_of(fields, "tags")[:50]),
        session_id=short_name(text_of(fields, "metadata.originSessionId")),
        created_at=millis(text_of(fields, "metadata.created", "created", "createdAt", "created_at", "date")),
        updated_at=millis(written) or source.modified_at,
        note=unknown_type(type_word, types),
    )


def _yaml(text: str) -> dict[str, Any] | None:
    loaded = read_yaml(text)
    if not isinstance(loaded, dict):
        return None
    fields: dict[str, Any] = {}
    for key, value in loaded.items():
        if isinstance(value, dict):
            fields.update({f"{key}.{inner}": _plain_value(inner_value) for inner, inner_value in value.items()})
        elif isinstance(key, str):
            fields[key] = _plain_value(value)
    return fields


def _plain_value(value: Any) -> Any:
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return value if isinstance(value, str) else None


def _read_lines(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    outer = ""
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is None:
            continue
        inner, key, value = bool(match[1]), match[2], (match[3] or "").strip()
        if not inner:
            outer = key if not value else ""
        if value:
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            fields[f"{outer}.{key}" if inner and outer else key] = value
    return fields
