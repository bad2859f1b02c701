"""reStructuredText: titles by their underlines, levels by the first use of the underline characters."""

from __future__ import annotations

import re

from sidecar.files.structure.markdown import Heading, sections
from sidecar.files.structure.result import Structure, distinct, first_sentence
from sidecar.files.structure.sample import sample

_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*")
_DIRECTIVE = re.compile(r"\.\. (include|literalinclude|automodule|toctree)::[ \t]*(\S{0,200})")
_ROLE = re.compile(r":[\w:-]{1,40}:`([^`\n]{1,200})`|``?([^`\n]{1,200})``?_{0,2}")


def restructured(text: str) -> Structure:
    rows = text.split("\n")
    headings: list[Heading] = []
    levels: dict[str, int] = {}
    included: list[str] = []
    doc: str | None = None
    for number, row in enumerate(rows):
        if doc is None and _is_prose(rows, number):
            paragraph = []
            for line in rows[number : number + 20]:
                if not line.strip():
                    break
                paragraph.append(line.strip())
            doc = first_sentence(_ROLE.sub(lambda match: match[1] or match[2], " ".join(paragraph)))
        directive = _DIRECTIVE.match(row) if row.startswith("..") else None
        if directive and directive[2]:
            included.append(directive[2])
        underline = _UNDERLINE.fullmatch(row) if number and len(row) < 400 else None
        title = rows[number - 1].strip() if underline else ""
        if underline is None or not title or len(row.rstrip()) < len(title) or _UNDERLINE.fullmatch(title):
            continue
        over = number >= 2 and rows[number - 2].rstrip() == row.rstrip()
        if rows[number - 1][0].isspace() and not over:
            continue
        style = underline[1] * (2 if over else 1)
        level = levels.setdefault(style, len(levels) + 1)
        name = _ROLE.sub(lambda match: match[1] or match[2], title)
        headings.append(Heading(level, name, number if not over else number - 1))
    last = len(rows) - (1 if text.endswith("\n") else 0)
    symbols = sections(headings, last)
    return Structure(doc=doc, symbols=symbols, imports=distinct(included), head=None if symbols else sample(text))


def _is_prose(rows: list[str], number: int) -> bool:
    """Return whether a paragraph of prose begins at this line."""
    row = rows[number]
    if not row or not (row[0].isalnum() or row[0] in "*`") or (number and rows[number - 1].strip()):
        return False
    following = rows[number + 1] if number + 1 < len(rows) else ""
    return not row.startswith("* ") and _UNDERLINE.fullmatch(following[:400]) is None
