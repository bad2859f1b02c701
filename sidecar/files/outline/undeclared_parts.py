"""Lines about the parts of a file that no symbol describes: titled tests, comments, tags, sentences.

They are added if the symbols leave room in the briefing. Without them, a file that is one component, one script or one
long table would be only a name with a range of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.files.clean_text import shorten
from sidecar.files.language import CODE
from sidecar.files.outline.languages import words_of
from sidecar.files.structure.comments import LICENCE, doc_of, strip_markers
from sidecar.files.structure.rows import BESIDE_SYMBOLS, stretch_rows, titled_rows
from sidecar.store.records import SymbolRecord, every_symbol
from sidecar.text.lazy_patterns import patterns

_LEAST: Final = 5  # minimum number of rows in a stretch
_LONG: Final = 15  # the minimum number of rows in a stretch of code whose comments are shown
_MIN_ROOM: Final = 20  # minimum number of tokens worth filling
_TOKENS: Final = 20  # the estimated tokens of one line
_COMMENT_CHARS: Final = 100
_OPTION_CHARS: Final = 400
_WIDE: Final = 80  # of a longer stretch only the first line is given
_MOST: Final = 40  # maximum number of lines
_NEAR: Final = 6  # maximum number of decorator rows above a name
_RULES: Final = 6  # rules of a style block that are named
_TABLE: Final = words_of("undeclared_parts")
PROSE: Final = frozenset(_TABLE["prose"].split())
_MARKUP: Final = BESIDE_SYMBOLS - PROSE
_HOLDERS: Final = frozenset({"inside", *_TABLE["holders"].split()})
_LEADS: Final = _TABLE["leads"] | {
    language: _TABLE["leads"][like] for like, languages in _TABLE["led"].items() for language in languages.split()
}
_SLASHES: Final = r"(?://+!?|/\*+|\*+/?(?:\s|$))"
_PATTERNS: Final = patterns(Path(__file__), "undeclared_parts")
_HINTS: Final = ("--", "flag.", "lags().", "Arg::new(", ".long(", "add_options(")
_RETURNING: Final = frozenset({"tsx", "jsx", "javascript", "elixir"})  # their functions may return markup
_PARTS, _PARTS_MOST = 3, 14  # numbers of components of a markup worth a line, and of those named
_STEP: Final = 2  # minimum number of lines of a step below its comment


class _Stretch(NamedTuple):
    """Rows from `first` (counted from 0) to `end` (exclusive) of one symbol; with `loose`, of no symbol."""

    first: int
    end: int
    loose: bool = False


def undeclared_parts(
    language: str, text: str, symbols: Sequence[SymbolRecord], room: int, *, titles: bool
) -> tuple[SymbolRecord, ...]:
    """Return about `room` tokens of lines for the parts of `text` without symbols; of tests, only `titles`."""
    rows = text.split("\n")
    if (titles or _PATTERNS["cases"].search(text)) and (tests := titled_tests(text, symbols)):
        return tests
    if room < _MIN_ROOM:
        return ()
    lead = comment_lead(language)
    styles = _styles(rows) if language in _MARKUP else []
    found = styles.copy()
    free = [stretch for stretch in _free([*symbols, *styles], rows, lead) if stretch.end - stretch.first >= _LEAST]
    names = {symbol.name for symbol in every_symbol(symbols)} - {"function"}  # further clauses define nothing new
    for stretch in free.copy():
        share = room * (stretch.end - stretch.first) // len(rows)
        markup = language in _MARKUP
        shown_rows = stretch_rows(rows, stretch.first, stretch.end, share, markup=markup)
        if opened := [row for row in shown_rows if markup or names.isdisjoint(_PATTERNS["called"].findall(row.name))]:
            found += opened
            free.remove(stretch)
    most = min(_MOST, room // _TOKENS)
    lines = [
        comment
        for stretch in free
        for comment in _comments(rows, stretch, lead)
        if stretch.loose or stretch.end - stretch.first >= _LONG
    ]
    lines = sorted(sorted(lines, key=lambda line: line[0] - line[1])[:most])
    if language in CODE:
        found += export_lines(text, "inside")
        found += _returned_markup(text) if language in _RETURNING else ()
        lines += _options(rows, free)
    for first, last, sentence in lines[:_MOST]:
        most = _OPTION_CHARS if sentence.startswith("options ") else _COMMENT_CHARS
        if shown := shorten(sentence, most):
            end = last if last - first <= _WIDE else first  # the comment may well be on less
            found.append(SymbolRecord(kind="inside", name=shown[:80], start=first, end=end, signature=shown))
    return tuple(sorted(found, key=lambda record: record.start))


def comment_lead(language: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + _LEADS.get(language, _SLASHES))


def export_lines(text: str, kind: str) -> Iterator[SymbolRecord]:
    """Yield a line for each statement that exports names of another JavaScript module."""
    for match in _PATTERNS["exported"].finditer(text):
        start = text.count("\n", 0, match.start()) + 1
        statement = shorten(
            " ".join(re.sub(r"//.*|/\*.*?\*/", "", match[0]).split()).replace(", }", " }"), _OPTION_CHARS
        )
        end = start + match[0].count("\n")
        yield SymbolRecord(kind=kind, name=statement[:80], start=start, end=end, signature=statement)


def _returned_markup(text: str) -> Iterator[SymbolRecord]:
    """Yield a line for each function's markup, with the components and fields in it."""
    for match in _PATTERNS["markup"].finditer(text):
        found = dict.fromkeys(_part(part) for part in _PATTERNS["part"].finditer(match[0]))
        names = [name for name in found if not any(other.startswith(f"{name} ") for other in found)]
        if len(names) < _PARTS:
            continue
        start = text.count("\n", 0, match.start()) + 1
        more = f" … and {len(names) - _PARTS_MOST} more" if len(names) > _PARTS_MOST else ""
        shown = f"renders {', '.join(names[:_PARTS_MOST])}{more}"
        end = start + match[0].count("\n")
        yield SymbolRecord(kind="inside", name=shown[:80], start=start, end=end, signature=shown)


def _part(match: re.Match[str]) -> str:
    """Return the name of a component or field, a field's with its label, or a heading's text in quotes."""
    if match["heading"]:
        return f"“{' '.join(match['heading'].split())}”"
    return f"{match['field']} '{match['label']}'" if match["field"] else match["tag"]


def _options(rows: list[str], free: Iterable[_Stretch]) -> Iterator[tuple[int, int, str]]:
    """Yield the command-line options that the code in these stretches reads."""
    for part in free:
        text = "\n".join(rows[part.first : part.end])
        found = list(_PATTERNS["option"].finditer(text)) if any(hint in text for hint in _HINTS) else []
        named = dict.fromkeys(next(filter(None, match.groups())) for match in found)
        if len(named) > 1:
            first, last = (part.first + 1 + text.count("\n", 0, match.end()) for match in (found[0], found[-1]))
            yield first, last, f"options {', '.join(named)}"


def titled_tests(text: str, symbols: Sequence[SymbolRecord]) -> tuple[SymbolRecord, ...]:
    """Return the tests and suites that are calls with a title."""
    found = titled_rows(text.split("\n"), {symbol.start for symbol in every_symbol(symbols) if symbol.kind != "call"})
    own = _PATTERNS["own_test"].search(text) is not None  # a function called `test`, whose calls are cases of one test
    return tuple(test for test in found if test.end > test.start) if own else found


def _styles(rows: list[str]) -> list[SymbolRecord]:
    """Return the style blocks of a page, each with the names of its first rules."""
    found: list[SymbolRecord] = []
    first = 0
    for number, row in enumerate(rows, 1):
        if not first and _PATTERNS["style"].match(row):
            first = number
        if first and "</style" in row:
            rules = [match[1] for line in rows[first : number - 1] if (match := _PATTERNS["rule"].match(line))]
            left = f" … {len(rules) - _RULES} more" if len(rules) > _RULES else ""
            summary = shorten(f"{rows[first - 1].strip().partition('>')[0]}> {', '.join(rules[:_RULES])}", 120) + left
            found.append(SymbolRecord(kind="inside", name="style", start=first, end=number, signature=summary))
            first = 0
    return found


def _free(symbols: Sequence[SymbolRecord], rows: list[str], lead: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield the runs of rows that belong to no symbol, or to one that is more than a holder of others."""
    at = 0
    while at < len(rows) and (not rows[at].strip() or lead.match(rows[at]) or rows[at].startswith("#!")):
        at += 1
    owners = [-1] * at + [0] * (len(rows) - at)
    todo = sorted(
        (symbol for symbol in every_symbol(symbols) if symbol.kind != "more"),
        key=lambda symbol: (symbol.start, -symbol.end),
    )
    for number, symbol in enumerate(todo, 1):
        near = range(symbol.start - 1, min(symbol.end, symbol.start + _NEAR, len(rows)))
        named = next((row for row in near if symbol.name in rows[row]), symbol.start - 1)
        for row in range(symbol.start - 1, min(symbol.end, len(rows))):
            owners[row] = -1 if symbol.kind in _HOLDERS or row <= named else number
    first = 0
    for row in range(1, len(rows) + 1):
        if row == len(rows) or owners[row] != owners[first]:
            if owners[first] >= 0:
                yield _Stretch(first, row, owners[first] == 0)
            first = row


def _comments(rows: list[str], part: _Stretch, lead: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """Return (first line, last line, sentence) for each comment that heads a step of a stretch."""
    found: list[tuple[int, int, str]] = []
    opened: list[tuple[int, int, str]] = []  # rows, levels and sentences of headings whose end is not reached
    first, last = -1, part.first  # of a comment, and the line of the last row that is not empty

    def close(level: int) -> None:
        while opened and opened[-1][1] >= level:
            start, own, sentence = opened.pop()
            if last - start > _STEP or own % 2 == 0:
                found.append((start + 1, last, sentence))

    for number in range(part.first, part.end):
        row = rows[number]
        if lead.match(row):
            first = number if first < 0 else first
            continue
        if first >= 0:
            text = "\n".join(rows[first:number])
            heads = first == part.first or not rows[first - 1].strip() or _PATTERNS["opening"].search(rows[first - 1])
            astray = part.loose and (_PATTERNS["imports"].match(row) or LICENCE.search(text))
            sentence = doc_of(strip_markers(text)) if heads and not astray else None
            if sentence and _PATTERNS["label"].match(sentence) and not _PATTERNS["code"].search(sentence):
                section = not row.strip() or _PATTERNS["ruled"].search(text) is not None
                level = 2 * _indent(rows[first]) + (not section)
                close(level)
                opened.append((first, level, sentence))
            first = -1
        if row.strip():
            close(2 * _indent(row) + 2)
            last = number + 1
    close(0)
    return found


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())
