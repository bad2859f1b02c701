"""INI, .properties and .env files: sections and keys; rows tell the values that may be shown."""

from __future__ import annotations

import re

from sidecar.files.outline.comments import doc_of
from sidecar.files.structure.result import Structure, capped
from sidecar.store.records import SymbolRecord

_SECTION = re.compile(r"\s*\[([^\]\n]{1,200})\]")
_KEY = re.compile(
    r"\s{0,8}(?:export\s{1,4})?([A-Za-z_][\w.$/-]{0,199}(?:\[[^\]\n]{0,60}\])?)\s{0,20}([=:])\s{0,20}(.{0,400})"
)
_FLAG = re.compile(r"[A-Za-z_][\w.-]{0,100}\s*")
_DIRECTIVE = re.compile(r"\s{0,40}([A-Za-z][\w.-]{0,60})\s+\S")


def settings_keys(text: str, *, values: bool) -> Structure:
    """Return sections with their keys; keys before the first section belong to none."""
    top: list[SymbolRecord] = []
    sections: list[tuple[str, int, list[SymbolRecord]]] = []
    header: list[str] = []
    partial = False
    quote = ""
    continued = False
    rows = text.split("\n")
    for number, row in enumerate(rows, 1):
        if quote:
            quote = "" if quote in row else quote
            continue
        joined, continued = continued, row.endswith("\\")
        if joined:
            continue
        bare = row.strip()
        if not bare or bare[0] in "#;!":
            if bare and not top and not sections:
                header.append(bare.lstrip("#;! "))
            continue
        section = _SECTION.match(row)
        if section:
            sections.append((section[1].strip(), number, []))
            continue
        key = _KEY.match(row)
        target = sections[-1][2] if sections else top
        if key is None:
            indented = row[:1].isspace() and bool(target)
            if _FLAG.fullmatch(row) and values:
                target.append(SymbolRecord(kind="key", name=bare, start=number, end=number, signature=bare))
            else:
                partial = partial or not indented
            continue
        if values and row[:1].isspace() and target and sections:
            continue
        name, value = key[1], key[3].strip()
        if value[:1] in {'"', "'"} and value[0] not in value[1:] and len(value) < 400 and not values:
            quote = value[0] if any(value[0] in later for later in rows[number : number + 200]) else ""
        target.append(SymbolRecord(kind="key", name=name, start=number, end=number, signature=name))
    last = len(rows) - (1 if text.endswith("\n") else 0)
    symbols = list(top)
    for index, (name, start, keys) in enumerate(sections):
        end = sections[index + 1][1] - 1 if index + 1 < len(sections) else last
        told, end = capped(keys, what="keys"), max(start, end)
        symbols.append(
            SymbolRecord(kind="section", name=name, start=start, end=end, signature=f"[{name}]", children=told)
        )
    doc = doc_of(header[:24]) if values else None
    if values and not symbols:
        symbols = _directives(rows)
        partial = partial and not symbols
    return Structure(doc=doc, symbols=capped(symbols, what="keys"), partial=partial)


def _directives(rows: list[str]) -> list[SymbolRecord]:
    """Return the distinct first words of lines without `=`, as in `listen 80`; the rest may be a secret."""
    found: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        match = _DIRECTIVE.match(row)
        if match is not None:
            found.setdefault(match[1], number)
    return [SymbolRecord(kind="key", name=name, start=at, end=at, signature=name) for name, at in found.items()]
