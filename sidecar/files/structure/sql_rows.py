"""The statements of an SQL script as rows: each with its comments, a table's with its columns below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import LineNumbers
from sidecar.files.structure.row_reading import LINE_CHARS, READ_CHARS, TextRow, header_lines, read
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "sql_rows")
_STRING: Final = re.compile(r"'(?:[^'\\]|\\.|'')*'?", re.S)
_ASKED_CHARS: Final = 70
_MIN_QUERY_LINES: Final = 8  # lines of a query whose tables are named
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)


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
        match = _FORMS["hidden"].search(text, position)
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


def sql_rows(text: str) -> Iterator[TextRow]:
    masked, comments, _ = masked_sql(text)
    lines = LineNumbers(text)
    skipped = header_lines(text)
    found: list[TextRow] = []
    for begin, end, _ in comments:
        first = lines.at(begin)
        alone = not text[text.rfind("\n", 0, begin) + 1 : begin].strip()
        if not alone or first <= skipped or _inside(masked, begin):
            continue
        if found and found[-1].end >= first - 1:
            found[-1].end = lines.at(max(begin, end - 1))
            found[-1].text += "\n" + text[begin:end].strip()
        else:
            found.append(TextRow(first, 0, text[begin:end].strip(), lines.at(max(begin, end - 1)), comment=True))
    told = _without_comments(text, comments)
    for begin, end in _statements(masked):
        if text.startswith("\\echo", begin):
            continue
        first, last = lines.at(begin), lines.at(end - 1)
        statement = told[begin : min(end, begin + 2 * READ_CHARS)]
        statement = _bare(statement) if "{%" in statement or "{#" in statement else statement
        if not statement:
            continue
        columns = _FORMS["table"].match(statement) is not None and last > first + 1
        statement = statement.partition("(")[0] if columns else statement
        found.append(TextRow(first, 0, " ".join(statement.split())[:READ_CHARS].rstrip(";"), last))
        if (body := _FORMS["body"].search(text, begin, end)) is not None:
            found[-1].text = " ".join(text[begin : body.start()].split()).removesuffix(" AS")
            found += _body_rows(text[body.end() : end], lines.at(body.end()) - 1)
        elif columns:
            for number, line in enumerate(text[begin:end].split("\n")[1:], first + 1):
                if not _FORMS["no_column"].match(line) and not line.lstrip().startswith(("--", "/*")):
                    found.append(TextRow(number, 4, " ".join(line.split())[:READ_CHARS], number))
        elif last - first > _MIN_QUERY_LINES and (sources := _sources(masked, begin, end)):
            found.append(TextRow(last, 4, sources, last))
    found.sort(key=lambda row: (row.number, row.indent))
    yield from found


def _without_comments(text: str, comments: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with its comments blank, at the same offsets."""
    parts, at = [], 0
    for begin, end, _ in comments:
        if text[begin] == "#":  # may be a template's `{#`
            continue
        parts += [text[at:begin], _blank(text[begin:end])]
        at = end
    return "".join((*parts, text[at:]))


def _sources(masked: str, begin: int, end: int) -> str:
    """Return the tables that a long query reads, and the parameters that a template gives it."""
    tables = dict.fromkeys(_FORMS["source"].findall(masked, begin, end))
    asked = dict.fromkeys(_FORMS["parameter"].findall(masked, begin, end))
    parts = (f"reads {', '.join(tables)}" if tables else "", f"given {', '.join(asked)}" if asked else "")
    return shorten("; ".join(filter(None, parts)), READ_CHARS)


def _bare(statement: str) -> str:
    """Return a statement without the tags of a template around it, and what the first of the tags asks."""
    tags = (tag[1] or "" for tag in _FORMS["tag"].finditer(statement))
    asked = next((tag for tag in tags if tag.startswith(("if ", "for "))), "")
    bare = " ".join(_FORMS["tag"].sub(" ", statement).split()).rstrip("; ")
    return f"{bare} ({shorten(' '.join(asked.split()), _ASKED_CHARS)})" if bare and asked else bare


def _body_rows(body: str, above: int) -> Iterator[TextRow]:
    """Yield the comments and statements of a function's body, which begins after `above` lines of the file."""
    found: list[TextRow] = []
    for row in read(body.split("\n"), has_header=False):
        if row.comment or _FORMS["does"].match(row.text):
            found.append(row)
        elif found and not found[-1].comment and len(found[-1].text) < LINE_CHARS:
            found[-1].text, found[-1].end = f"{found[-1].text} {row.text}", row.end
    while found and found[-1].comment:
        found.pop()
    for row in found:
        row.number, row.end, row.indent = row.number + above, row.end + above, row.indent + 4
        row.text = row.text if row.comment else _COMMENT.sub("", row.text).rstrip() or row.text
        yield row


def _statements(masked: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets at which statements begin and end. A line for the client, such as `\\set`, counts as one."""
    at = 0
    while (match := _FORMS["statement"].search(masked, at)) is not None:
        meta = _FORMS["meta"].match(masked, match.start())
        at = meta.end() if meta is not None else match.end()
        yield match.start(), at


def _inside(masked: str, at: int) -> bool:
    """Return whether an offset lies inside a statement."""
    before = masked.rfind(";", 0, at) + 1
    between = masked[before:at].rpartition("\n")[0].strip()
    return bool(between) and not _FORMS["meta"].fullmatch(between.rpartition("\n")[2])
