"""Read opencode's own memory: `.opencode/MEMORY.md` and the files of `memory/`.

MEMORY.md has bullets below headings, many of the form `- **Name**: text` or `- **Name** (type): text`. A file of
`memory/` has front matter with `name`, `description` and `type`, or is a day's log (`2026-07-01.md`) without front
matter. Types are ours, or older ones of opencode.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from msgspec.structs import replace

from sidecar.interchange.formats import front_matter, markdown
from sidecar.interchange.formats.claude import without_index
from sidecar.interchange.parsed import SCOPES, ImportItem, ImportSource, Omission, ParsedImport, scope_of
from sidecar.interchange.sections import MarkdownSection, bullets_of, category_named, sections, split_item
from sidecar.interchange.values import short_name, text_of, vocabulary
from sidecar.text.times import millis

FORMAT = "opencode"
_TYPES, _ = vocabulary(FORMAT)
_NAMED_ENTRY = re.compile(r"\*\*(.+?)\*\*\s*(?:\(([\w, -]+)\))?\s*[:：–—-]?\s*(.*)\Z", re.DOTALL)
_INDEX_TITLE = re.compile(r"(?i)\bindex\b|\bmemor(?:y|ies)\b")
_LETTERS = re.compile(r"[^\W\d_]+")
_COUNT_IN_BRACKETS = re.compile(r"\(\d+\)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def fits(source: ImportSource) -> bool:
    """Return whether the file has the front matter of a memory with one of the older types."""
    fields, _ = front_matter.split_front_matter(source.text[: 2 * front_matter.MAX_CHARS])
    return fields is not None and text_of(fields, "type") in _TYPES


def read(sources: Sequence[ImportSource]) -> ParsedImport:
    """Return an item per file with front matter, per bullet of MEMORY.md, and per section of the rest."""
    parsed = ParsedImport(FORMAT)
    for source in sources:
        fields, body = front_matter.split_front_matter(source.text)
        if source.path.rpartition("/")[2].lower() == "memory.md":
            parsed.add(_read_memory_file(source))
        elif fields is not None:
            parsed.add(front_matter.read_page(source, fields, body, _TYPES, FORMAT))
        else:
            day = _DAY.search(source.stem)
            at = millis(day[0]) if day else None
            notes_of_day = markdown.read(ImportSource(source.path, source.text, at or source.modified_at), FORMAT)
            if day:  # two days may have the same headings
                notes_of_day.items = [
                    replace(item, name=short_name(f"{item.name} ({day[0]})"), created_at=at, updated_at=at)
                    for item in notes_of_day.items
                ]
            parsed.add(notes_of_day)
    return parsed


def _read_memory_file(source: ImportSource) -> ParsedImport:
    parsed = ParsedImport(FORMAT)
    rest: list[MarkdownSection] = []
    fields, body = front_matter.split_front_matter(source.text)
    for section in sections(body):
        where = f"{source.path}, line {section.line}"
        text, pointers = without_index(section.text)
        if pointers:
            parsed.skipped.append(Omission(where, _title(section), f"{pointers} lines only point to the other files."))
        if _INDEX_TITLE.search(_title(section)) and bullets_of(text) is None:
            if text.strip():
                parsed.skipped.append(Omission(where, _title(section), "It is the header of an index."))
            continue
        if not text.strip():
            if section.text.strip() == "" and section.level > 1:
                parsed.skipped.append(Omission(where, _title(section), "The section has a heading and no text."))
            continue
        section = dataclasses.replace(section, text=text)
        bullets = bullets_of(text)
        if bullets is None:
            rest.append(section)
            continue
        for number, bullet in enumerate(bullets):
            parsed.items += split_item(_bullet_item(source, section, number, bullet, _title(section)))
    for section in rest:
        text = f"{'#' * section.level} {section.titles[-1]}\n{section.text}" if section.titles else section.text
        part = markdown.read(ImportSource(source.path, text, source.modified_at), FORMAT)
        parsed.items += part.items
    parsed.items = front_matter.for_audience(parsed.items, fields)
    return parsed


def _title(section: MarkdownSection) -> str:
    return section.titles[-1] if section.titles else ""


def _bullet_item(source: ImportSource, section: MarkdownSection, number: int, bullet: str, heading: str) -> ImportItem:
    kind, category = _TYPES[_type_word(heading) or "project"]
    category = category or category_named(heading)
    name, text, scope, note = None, bullet, None, None
    name_match = _NAMED_ENTRY.match(bullet)
    if name_match is not None and name_match[3].strip():
        name, text = short_name(name_match[1].rstrip(" :")), name_match[3].strip()
        for word in (name_match[2] or "").lower().split(","):
            if word.strip() in _TYPES:
                kind, category = _TYPES[word.strip()]
            elif word.strip() in SCOPES:
                scope, note = scope_of(word)
            elif word.strip():
                name = short_name(f"{name} ({word.strip()})")
    topic = short_name(heading, 100)
    return ImportItem(
        key=f"{source.path}#{section.line}#{number}",
        where=f"{source.path}, line {section.line}, item {number + 1}",
        content=text,
        name=name,
        type=kind,
        category=category,
        tags=(topic,) if topic and _type_word(heading) is None else (),
        updated_at=source.modified_at,
        scope=scope,
        note=note,
    )


def _type_word(heading: str) -> str | None:
    word = "-".join(_LETTERS.findall(_COUNT_IN_BRACKETS.sub("", heading.lower())))
    return next((form for form in (word, word.removesuffix("s")) if form in _TYPES), None)
