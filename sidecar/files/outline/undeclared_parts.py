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

_MIN_STRETCH_ROWS: Final = 5
_MIN_COMMENTED_ROWS: Final = 15  # of a stretch of code whose comments are shown
_MIN_PARTS_TOKENS: Final = 20  # room worth filling
_LINE_TOKENS: Final = 20  # estimated
_COMMENT_CHARS: Final = 100
_OPTION_CHARS: Final = 400
_MAX_RANGE_ROWS: Final = 80  # of a longer stretch only the first line is given
_MAX_LINES: Final = 40
_MAX_DECORATOR_ROWS: Final = 6  # above a name
_MAX_STYLE_RULES: Final = 6  # that are named of a style block
_TABLE: Final = words_of("undeclared_parts")
PROSE: Final = frozenset(_TABLE["prose"].split())
_MARKUP_LANGUAGES: Final = BESIDE_SYMBOLS - PROSE
_HOLDER_KINDS: Final = frozenset({"inside", *_TABLE["holders"].split()})
_COMMENT_LEADS: Final = _TABLE["leads"] | {
    language: _TABLE["leads"][like] for like, languages in _TABLE["led"].items() for language in languages.split()
}
_SLASH_LEADS: Final = r"(?://+!?|/\*+|\*+/?(?:\s|$))"
_PATTERNS: Final = patterns(Path(__file__), "undeclared_parts")
_OPTION_HINTS: Final = ("--", "flag.", "lags().", "Arg::new(", ".long(", "add_options(")
_MARKUP_RETURNING: Final = frozenset({"tsx", "jsx", "javascript", "elixir"})  # their functions may return markup
_MIN_COMPONENTS, _MAX_COMPONENTS = 3, 14  # components of a markup worth a line, and those named
_MIN_COMMENTED_LINES: Final = 2  # of a step below its comment


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
    if room < _MIN_PARTS_TOKENS:
        return ()
    lead = comment_lead(language)
    styles = _styles(rows) if language in _MARKUP_LANGUAGES else []
    found = styles.copy()
    found_free = _free([*symbols, *styles], rows, lead)
    free = [stretch for stretch in found_free if stretch.end - stretch.first >= _MIN_STRETCH_ROWS]
    names = {symbol.name for symbol in every_symbol(symbols)} - {"function"}  # further clauses define nothing new
    for stretch in free.copy():
        share = room * (stretch.end - stretch.first) // len(rows)
        markup = language in _MARKUP_LANGUAGES
        shown_rows = stretch_rows(rows, stretch.first, stretch.end, share, markup=markup)
        if opened := [row for row in shown_rows if markup or names.isdisjoint(_PATTERNS["called"].findall(row.name))]:
            found += opened
            free.remove(stretch)
    most = min(_MAX_LINES, room // _LINE_TOKENS)
    lines = [
        comment
        for stretch in free
        for comment in _comments(rows, stretch, lead)
        if stretch.loose or stretch.end - stretch.first >= _MIN_COMMENTED_ROWS
    ]
    lines = sorted(sorted(lines, key=lambda line: line[0] - line[1])[:most])
    if language in CODE:
        found += export_lines(text, "inside")
        found += _returned_markup(text) if language in _MARKUP_RETURNING else ()
        lines += _options(rows, free)
    for first, last, sentence in lines[:_MAX_LINES]:
        most = _OPTION_CHARS if sentence.startswith("options ") else _COMMENT_CHARS
        if shown := shorten(sentence, most):
            end = last if last - first <= _MAX_RANGE_ROWS else first  # the comment may well be on less
            found.append(SymbolRecord(kind="inside", name=shown[:80], start=first, end=end, signature=shown))
    return tuple(sorted(found, key=lambda record: record.start))


def comment_lead(language: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + _COMMENT_LEADS.get(language, _SLASH_LEADS))


def export_lines(text: str, kind: str) -> Iterator[SymbolRecord]:
    """Yield a line for each statement that exports names of another JavaScript module."""
    for match in _PATTERNS["exported"].finditer(text):
        start = text.count("\n", 0, match.start()) + 1
        words = re.sub(r"//.*|/\*.*?\*/", "", match[0]).split()
        statement = shorten(" ".join(words).replace(", }", " }"), _OPTION_CHARS)
        end = start + match[0].count("\n")
        yield SymbolRecord(kind=kind, name=statement[:80], start=start, end=end, signature=statement)


def _returned_markup(text: str) -> Iterator[SymbolRecord]:
    """Yield a line for each function's markup, with the components and fields in it."""
    for match in _PATTERNS["markup"].finditer(text):
        found = dict.fromkeys(_part(part) for part in _PATTERNS["part"].finditer(match[0]))
        names = [name for name in found if not any(other.startswith(f"{name} ") for other in found)]
        if len(names) < _MIN_COMPONENTS:
            continue
        start = text.count("\n", 0, match.start()) + 1
        more = f" … and {len(names) - _MAX_COMPONENTS} more" if len(names) > _MAX_COMPONENTS else ""
        shown = f"renders {', '.join(names[:_MAX_COMPONENTS])}{more}"
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
        found = list(_PATTERNS["option"].finditer(text)) if any(hint in text for hint in _OPTION_HINTS) else []
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
            left = f" … {len(rules) - _MAX_STYLE_RULES} more" if len(rules) > _MAX_STYLE_RULES else ""
            tag = rows[first - 1].strip().partition(">")[0]
            summary = shorten(f"{tag}> {', '.join(rules[:_MAX_STYLE_RULES])}", 120) + left
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
        near = range(symbol.start - 1, min(symbol.end, symbol.start + _MAX_DECORATOR_ROWS, len(rows)))
        named = next((row for row in near if symbol.name in rows[row]), symbol.start - 1)
        for row in range(symbol.start - 1, min(symbol.end, len(rows))):
            owners[row] = -1 if symbol.kind in _HOLDER_KINDS or row <= named else number
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
            if last - start > _MIN_COMMENTED_LINES or own % 2 == 0:
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
