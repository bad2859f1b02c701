"""SQL of any dialect: created and altered objects, with a table's columns. Strings and bodies are not read."""

from __future__ import annotations

import re

from sidecar.files.clean_text import shorten
from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.structure.result import MAX_CHILDREN, LineNumbers, Structure, capped, first_sentence
from sidecar.files.structure.sample import sample
from sidecar.store.records import SymbolRecord

_HIDDEN = re.compile(r"--|/\*|'|\$[A-Za-z_]{0,40}\$|#(?=[ \t])")
_STRING = re.compile(r"'(?:[^'\\]|\\.|'')*'?", re.S)
_KINDS = (
    "TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|INDEX|TYPE|SCHEMA|SEQUENCE|DATABASE|EXTENSION|ROLE|USER|POLICY|DOMAIN"
    "|PACKAGE|EVENT|KEYSPACE|MACRO|RULE"
)
_PART = r"""(?::?(?!(?i:IF)\s)[\w$#]{1,100}|:?"[^"\n]{1,100}"|`[^`\n]{1,100}`|\[[^\]\n]{1,100}\])"""
_NAME = rf"({_PART}(?:\s{{0,4}}\.\s{{0,4}}{_PART}){{0,3}})"
_CREATE = re.compile(
    rf"\bCREATE\s{{1,20}}(?:(?:OR\s{{1,9}}(?:REPLACE|ALTER)|TEMP|TEMPORARY|GLOBAL|LOCAL"
    rf"|UNLOGGED|UNIQUE|MATERIALIZED|RECURSIVE"
    rf"|EXTERNAL|VIRTUAL|CLUSTERED|NONCLUSTERED|CONCURRENTLY|EDITIONABLE|CONSTRAINT"
    rf"|AGGREGATE|TRANSIENT|FULLTEXT|SPATIAL"
    rf"|ALGORITHM\s{{0,4}}=\s{{0,4}}\w{{1,20}}|DEFINER\s{{0,4}}=\s{{0,4}}\S{{1,60}}|SQL"
    rf"\s{{1,4}}SECURITY\s{{1,4}}\w{{1,10}})\s{{1,20}}){{0,6}}"
    rf"({_KINDS})\s{{1,20}}(?:CONCURRENTLY\s{{1,20}})?(?:IF\s{{1,9}}NOT\s{{1,9}}EXISTS"
    rf"\s{{1,20}}|BODY\s{{1,20}})?{_NAME}",
    re.I,
)
_ALTER = re.compile(
    rf"\bALTER\s{{1,20}}(TABLE|TYPE|VIEW|FUNCTION)\s{{1,20}}(?:IF\s{{1,9}}EXISTS"
    rf"\s{{1,20}})?(?:ONLY\s{{1,20}})?{_NAME}"
    rf"\s{{1,20}}([^;]{{0,200}})",
    re.I,
)
_ON = re.compile(
    rf"\s{{0,20}}(?:[^;]{{0,200}}?\s)?ON\s{{1,20}}(?:ONLY\s{{1,20}})?{_NAME}\s{{0,20}}"
    rf"(?:USING\s{{1,20}}\w{{1,30}}\s{{0,20}})?(\([^;]{{0,200}}?\))?",
    re.I,
)
_CONSTRAINT = re.compile(
    r"(?:CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|KEY|INDEX|EXCLUDE|LIKE|FULLTEXT|SPATIAL|PERIOD)\b", re.I
)
_COLUMN = re.compile(
    r"""\s*(\w{1,100}|"[^"\n]{1,100}"|`[^`\n]{1,100}`|\[[^\]\n]{1,100}\])"""
    r"\s{1,20}(\w{1,40}(?:\s{0,2}\([\d, ]{1,20}\))?)?"
)
_HEADER_LINES = 40
_SPACES = re.compile(r"\s+")
_STATEMENT_CHARS = 60_000


def sql(text: str) -> Structure:
    """Return a script's definitions, or the first lines of a dump of INSERTs."""
    masked, comments, closed = masked_sql(text)
    lines = LineNumbers(text)
    top = _header(masked, comments)
    found: list[tuple[int, SymbolRecord]] = []
    altered: dict[str, int] = {}
    for match in _CREATE.finditer(masked):
        kind = match[1].lower()
        name = _clean(match[2])
        end = masked.find(";", match.end())
        end = end if end >= 0 else len(masked)
        start, last = lines.at(match.start()), lines.at(end)
        children: tuple[SymbolRecord, ...] = ()
        signature = f"{kind} {name}"
        if kind == "table":
            children = capped(_columns(masked, match.end(), lines), MAX_CHILDREN, "columns")
        elif kind in {"index", "trigger", "policy"}:
            on = _ON.match(masked, match.end(), min(end, match.end() + 600))
            if on:
                signature += f" on {_clean(on[1])}{_flat(on[2] or '')}"
        elif kind in {"function", "procedure", "macro"}:
            signature += _parameters(masked, match.end())
        doc = _comment(comments, text, match.start())
        record = SymbolRecord(
            kind=kind, name=name, start=start, end=max(start, last), signature=signature, doc=doc, children=children
        )
        found.append((match.start(), record))
    for match in _ALTER.finditer(masked):
        name = _clean(match[2])
        altered[name] = altered.get(name, 0) + 1
        if altered[name] > 8:
            continue
        start = lines.at(match.start())
        label = f"alter {match[1].lower()} {name}"
        detail = shorten(_flat(match[3]), 60)
        symbol = SymbolRecord(
            kind="alter", name=name, start=start, end=lines.at(match.end() - 1), signature=f"{label} {detail}".strip()
        )
        found.append((match.start(), symbol))
    found.sort(key=lambda item: item[0])
    symbols = [symbol for _, symbol in found]
    return Structure(
        doc=top, symbols=capped(symbols, what="definitions"), partial=not closed, head=None if symbols else sample(text)
    )


def _header(masked: str, comments: list[tuple[int, int, str]]) -> str | None:
    """Remove the comments before the first statement; return the first descriptive sentence.

    A comment right above the statement, below others, belongs to the statement and stays.
    """
    first = len(masked) - len(masked.lstrip())
    groups: list[list[str]] = []  # of comments with no blank line between them
    last = -1
    for begin, end, words in comments[:_HEADER_LINES]:
        if end > first:
            break
        if last < 0 or masked.count("\n", last, begin) > 1:
            groups.append([])
        groups[-1].append(words)
        last = end
    if len(groups) > 1 and masked.count("\n", last, first) <= 1:
        groups.pop()
    del comments[: sum(map(len, groups))]
    told = (doc_of([line for words in group for line in strip_markers(words)]) for group in groups)
    return next(filter(None, told), None)


def masked_sql(text: str) -> tuple[str, list[tuple[int, int, str]], bool]:
    """Blank comments, strings and dollar-quoted bodies at the same offsets.

    Return the text, the comments, and whether all of them were closed.
    """
    parts: list[str] = []
    comments: list[tuple[int, int, str]] = []
    position = 0
    closed = True
    dead: set[str] = set()
    while True:
        match = _HIDDEN.search(text, position)
        if match is None:
            parts.append(text[position:])
            break
        at, mark = match.start(), match.group()
        if mark in {"--", "#"}:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
        elif mark == "/*":
            end = text.find("*/", at + 2)
            closed = closed and end >= 0
            end = end + 2 if end >= 0 else len(text)
        elif mark == "'":
            string = _STRING.match(text, at)
            end = string.end() if string else at + 1
            closed = closed and end - at > 1 and text[end - 1] == "'"
        elif mark in dead:
            end = match.end()
        else:
            end = text.find(mark, match.end())
            if end < 0:
                dead.add(mark)
                closed = False
            end = end + len(mark) if end >= 0 else match.end()
        if mark in {"--", "#", "/*"} and len(comments) < 20_000:
            comments.append((at, end, text[at : min(end, at + 1000)].strip("-#/* \t\r\n=")))
        parts.append(text[position:at])
        parts.append(_blank(text[at:end]))
        position = end
    return "".join(parts), comments, closed


def _blank(text: str) -> str:
    return "\n".join(" " * len(row) for row in text.split("\n"))


def _clean(name: str) -> str:
    return _SPACES.sub("", name.replace('"', "").replace("`", "").replace("[", "").replace("]", ""))


def _flat(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _comment(comments: list[tuple[int, int, str]], text: str, start: int) -> str | None:
    """Return the comment that ends on the line above `start`."""
    low, high = 0, len(comments)
    while low < high:
        middle = (low + high) // 2
        if comments[middle][1] <= start:
            low = middle + 1
        else:
            high = middle
    if not low:
        return None
    begin, end, words = comments[low - 1]
    between = text[end:start] if start - end < 50 else "x"
    alone = not text[text.rfind("\n", 0, begin) + 1 : begin].strip()
    return first_sentence(words, 160) if alone and not between.strip() and between.count("\n") <= 1 else None


def _parts(masked: str, position: int) -> list[tuple[int, str]]:
    """Return the comma-separated parts of the next parenthesis with their offsets; [] if none opens."""
    window = masked[position : position + _STATEMENT_CHARS]
    opening = window.find("(")
    if opening < 0 or ";" in window[:opening] or len(window[:opening].split()) > 1:
        return []
    parts: list[tuple[int, str]] = []
    depth, begin = 1, opening + 1
    for match in re.finditer(r"[(),;]", window[opening + 1 :]):
        sign, at = match.group(), opening + 1 + match.start()
        depth += (sign == "(") - (sign == ")")
        if (sign == "," and depth == 1) or depth == 0 or sign == ";":
            parts.append((position + begin, window[begin:at]))
            begin = at + 1
        if depth == 0 or sign == ";":
            break
    return parts


def _columns(masked: str, position: int, lines: LineNumbers) -> list[SymbolRecord]:
    columns = []
    for offset, part in _parts(masked, position):
        bare = part.lstrip()
        match = _COLUMN.match(part + " ")
        if match is None or _CONSTRAINT.match(bare):
            continue
        name = _clean(match[1])
        line = lines.at(offset + len(part) - len(bare))
        kind = _flat(match[2] or "").lower()
        columns.append(SymbolRecord(kind="column", name=name, start=line, end=line, signature=f"{name} {kind}".strip()))
    return columns


def _parameters(masked: str, position: int) -> str:
    parts = [_flat(part) for _, part in _parts(masked, position)[:12]]
    return f"({shorten(', '.join(parts), 100)})" if masked[position : position + 60].lstrip()[:1] == "(" else ""
