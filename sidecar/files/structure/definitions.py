"""Definitions in source languages without a grammar here, found line by line by the keywords that begin them.

A definition counts only in the first column, or one level deeper inside a class-like definition, and ends before the
next line of the same indentation that begins something else. Lines longer than 400 characters and lines inside block
comments are skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sidecar.files.clean_text import shorten
from sidecar.files.structure.comments import doc_of
from sidecar.files.structure.result import MAX_CHILDREN, MAX_SYMBOLS, Structure, capped, distinct
from sidecar.files.structure.row_reading import header
from sidecar.files.structure.sample import plain
from sidecar.store.records import SymbolRecord
from sidecar.text.toml import read_toml

# Read on import, because a server may outlive the files of its version.
_TABLE = (Path(__file__).parent / "languages.toml").read_text(encoding="utf-8")
_LINE_CHARS = 400
_DEEPEST = " " * _LINE_CHARS + "…"
_SIGNATURE_CHARS = 160
_TRAILING = re.compile(r"(?:\s+(?:\{|=|do|where|then|=>|:=|->)|\s*[{;])+$|\s*\{\s*\}$")
_DIRECTIVE = re.compile(r"#\s*(?:if|ifdef|ifndef|elif|else|endif)\b")
_CLOSER = re.compile(r"[})\]{]|\($|end[a-z]*\b(?!\s*[=:])|\*/|#>|</")  # goes on with what is open: `} else {`
_MAX_DOC_LINES = 12
_VALUED = frozenset({"constant", "variable", "field"})
_DECORATION = re.compile(r"^(?:[\s/*#;%!|'\"-]|\(\*|rem\s)+(?<!-\*-)|(?:[\s*/|'\"]|\*\))+$", re.I)


@dataclass(frozen=True)
class Language:
    """The line patterns of one language, tried in order. The joined groups of a pattern are the name."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    comment: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]
    containers: frozenset[str]  # kinds whose members are listed, down to `depth` levels
    headings: frozenset[str]  # kinds that hold all lines up to the next heading
    imports: re.Pattern[str] | None
    private: re.Pattern[str] | None  # lines whose definition is not public
    main: re.Pattern[str] | None
    clauses: bool  # neighbouring definitions of one name are one
    names_only: bool  # a signature is the name alone, because the rest of the line is a value
    depth: int
    margin: int  # the indentation allowed at the top level


@cache
def languages() -> dict[str, Language]:
    return {name: _language(**rules) for name, rules in read_toml(_TABLE).items()}


def _language(*, patterns: list[tuple[str, str]], ignore_case: bool = False, **rules: Any) -> Language:
    flags = re.IGNORECASE if ignore_case else 0

    def compiled(key: str, flags: int = 0) -> re.Pattern[str] | None:
        return re.compile(rules[key], flags) if key in rules else None

    return Language(
        patterns=tuple((kind, re.compile(pattern, flags)) for kind, pattern in patterns),
        comment=tuple(rules.get("comment", ("//",))),
        blocks=tuple((opening, closing) for opening, closing in rules.get("blocks", (("/*", "*/"),))),
        containers=frozenset(rules.get("containers", "").split()),
        headings=frozenset(rules.get("headings", "").split()),
        imports=compiled("imports", flags),
        private=compiled("private"),
        main=compiled("main"),
        clauses=rules.get("clauses", False),
        names_only=rules.get("names_only", False),
        depth=rules.get("depth", 4),
        margin=rules.get("margin", 0),
    )


class _Definition:
    def __init__(self, kind: str, name: str, row: int, indent: int, signature: str, public: bool) -> None:
        self.kind, self.name, self.row, self.indent = kind, name, row, indent
        self.signature, self.public = signature, public
        self.children: list[_Definition] = []
        self.end = row


def definitions(rules: Language, text: str, code: str | None = None) -> Structure:
    """Outline a text by a language's rules; without any definition, sample its head.

    In `code`, whatever must not be read as a definition is blank, such as texts of several lines.
    """
    rows = text.split("\n")
    roots: list[_Definition] = []
    imports: list[str] = []
    points: list[str] = []
    containers: list[_Definition] = []  # the open definitions, the outermost first
    code_lines = rows if code is None else code.split("\n")
    code_rows, unclosed = _without_comments(rules, code_lines)
    for number, row in code_rows:
        bare = row.strip()
        indent = len(row) - len(row.lstrip())
        imported = rules.imports.match(bare) if rules.imports else None
        if imported:
            imports.append(next((group for group in imported.groups() if group), ""))
            continue
        found = _definition(rules, bare, number, indent) if rules.headings else None
        if found is not None and found.kind in rules.headings:
            found.indent = indent = -1
        while containers and indent <= containers[-1].indent and not _CLOSER.match(bare):
            containers.pop()
        container = containers[-1] if containers else None
        if container is not None and (container.kind not in rules.containers or len(containers) >= rules.depth):
            continue
        if container is None and indent > rules.margin:
            continue
        found = found or _definition(rules, bare, number, indent)
        if found is None or (container is None and found.kind == "column"):
            continue
        siblings = roots if container is None or container.kind == "flat" else container.children
        containers.append(found)
        if siblings and siblings[-1].name == found.name and siblings[-1].kind == found.kind and rules.clauses:
            siblings[-1].end = number
            continue
        siblings.append(found)
        if container is None and rules.main and rules.main.match(bare):
            points.append(shorten(found.signature, 80))
    if not roots:
        sampled = plain(text)
        return Structure(
            doc=header(text) or _sentence(rows[:1]) or sampled.doc, imports=distinct(imports), head=sampled.head
        )
    # What was left blank belongs to what is above it.
    lines = [line if line.strip() or not row.strip() else _DEEPEST for row, line in zip(rows, code_lines, strict=True)]
    _set_ends(roots, lines, len(rows) - (1 if text.endswith("\n") else 0))
    symbols = [_symbol(found, rules, rows) for found in roots]
    alone = roots[0].row > 1 and rows[0].startswith(rules.comment)
    doc = header(text) or (_sentence(rows[:1]) if alone else None)
    return Structure(
        doc=doc if doc != symbols[0].doc else None,
        symbols=capped(symbols, what="definitions"),
        imports=distinct(imports),
        entry_points=distinct(points),
        partial=unclosed,
    )


def _without_comments(rules: Language, rows: list[str]) -> tuple[list[tuple[int, str]], bool]:
    """Return the rows of code with their numbers, and whether a comment is never closed."""
    code: list[tuple[int, str]] = []
    comment_end = ""
    for number, row in enumerate(rows):
        if comment_end:
            if comment_end in row:
                comment_end = ""
            continue
        bare = row.strip()
        if not bare or len(row) > _LINE_CHARS:
            continue
        opening = next((pair for pair in rules.blocks if bare.startswith(pair[0])), None)
        if opening and opening[1] not in bare[len(opening[0]) :]:
            comment_end = opening[1]
        elif not bare.startswith(rules.comment) and not _DIRECTIVE.match(row):
            code.append((number, row))
    return code, bool(comment_end)


def _definition(rules: Language, bare: str, row: int, indent: int) -> _Definition | None:
    for kind, pattern in rules.patterns:
        match = pattern.match(bare)
        if match is None:
            continue
        name = " ".join(group.strip() for group in match.groups() if group)
        if not name:
            return None
        signature = shorten(_TRAILING.sub("", " ".join(bare.split())), _SIGNATURE_CHARS)
        if rules.names_only:
            signature = name
        elif name not in signature:
            signature = f"{kind} {name}"
        public = rules.private is None or rules.private.search(bare) is None
        return _Definition(kind, shorten(name, 120), row, indent, signature, public)
    return None


def _set_ends(found: list[_Definition], rows: list[str], last: int) -> None:
    """End each definition before the next one, without the next one's comment and blank lines."""
    for index, item in enumerate(found):
        stop = found[index + 1].row if index + 1 < len(found) else last
        end = item.end
        for number in range(item.end + 1, stop):
            row = rows[number]
            if not row.strip() or _DIRECTIVE.match(row):
                continue
            indent = len(row) - len(row.lstrip())
            if indent > item.indent or (indent == item.indent and _CLOSER.match(row.strip())):
                end = number
                if indent == item.indent and row.strip().startswith(("}", "end")):
                    break
            elif indent <= item.indent:
                break
        item.end = end
        if item.children:
            _set_ends(item.children, rows, end + 1)
            item.end = max(item.end, item.children[-1].end)


def _symbol(found: _Definition, rules: Language, rows: list[str]) -> SymbolRecord:
    return SymbolRecord(
        kind=found.kind,
        name=found.name,
        start=found.row + 1,
        end=max(found.row, found.end) + 1,
        signature=found.signature,
        doc=_doc_above(rules, rows, found.row),
        public=found.public,
        children=capped(
            [_symbol(child, rules, rows) for child in found.children],
            MAX_SYMBOLS if found.kind in rules.headings else MAX_CHILDREN,
            "members",
        ),
    )


def _doc_above(rules: Language, rows: list[str], row: int) -> str | None:
    """Return the first sentence of the comment above a definition; annotations may stand between them."""
    lines: list[str] = []
    number = row - 1
    while number >= 0 and rows[number].strip().startswith("@") and row - number < 6:
        number -= 1
    if number < 0 or row > 20_000:
        return None
    bare = rows[number].strip()
    block = next((pair for pair in rules.blocks if bare.endswith(pair[1])), None)
    while number >= 0 and len(lines) < _MAX_DOC_LINES:
        bare = rows[number].strip()[:_LINE_CHARS]
        if block is not None:
            lines.append(bare.removesuffix(block[1]).removeprefix(block[0]))
            if bare.startswith(block[0]):
                break
        elif bare.startswith(rules.comment):
            lines.append(bare)
        else:
            break
        number -= 1
    return _sentence(lines[::-1]) if lines else None


def _sentence(lines: list[str]) -> str | None:
    return doc_of([_DECORATION.sub("", line[:_LINE_CHARS]) for line in lines])
