"""What a file contains besides its symbols: titled tests, comments and tags, a line for each stretch of the file.

A file that is one component, one script or one long table would otherwise be only a name with a range of lines, so a
file whose symbols leave room in its briefing gets these lines. Each line covers part of the innermost symbol around it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.files.clean_text import shorten
from sidecar.files.language import CODE
from sidecar.files.outline.comments import LICENCE, doc_of, strip_markers
from sidecar.files.structure.embedded import COMPONENTS
from sidecar.files.structure.guards import HIDDEN
from sidecar.files.structure.markdown import inline_text
from sidecar.files.structure.rows import BESIDE_SYMBOLS, stretch_rows, titled_rows
from sidecar.store.records import SymbolRecord

_LEAST: Final = 5  # minimum number of rows in a stretch
_LONG: Final = 15  # minimum number of rows in a stretch of code whose comments are told
_MIN_ROOM: Final = 20  # minimum number of tokens worth filling
_TOKENS: Final = 20  # tokens of one line
_COMMENT_CHARS: Final = 100
_OPTION_CHARS: Final = 400
_WIDE: Final = 80  # maximum number of lines that a comment is said to be on
_MOST: Final = 40  # maximum number of lines
_NEAR: Final = 6  # maximum number of decorator rows above a name
_RULES: Final = 6  # rules of a style block that are named
_TABLE: Final = tomllib.loads((Path(__file__).parent / "inside.toml").read_text(encoding="utf-8"))
PROSE: Final = frozenset(_TABLE["prose"].split())
_MARKUP: Final = BESIDE_SYMBOLS - PROSE
_HOLDERS: Final = frozenset({"inside", *_TABLE["holders"].split()})
_LEADS: Final = _TABLE["leads"] | {
    language: _TABLE["leads"][like] for like, languages in _TABLE["led"].items() for language in languages.split()
}
_SLASHES: Final = r"(?://+!?|/\*+|\*+/?(?:\s|$))"
# An option's name as argument parsers of many languages are given it.
_OPTION: Final = re.compile(
    r"(?:(?<!\.arg)(?<!\.args)\(|\bcase|==|\bwhen)\s*[\"'`](?:-\w(?:[, /|]+|[\"'`],\s*[\"'`]))?(--[a-z][\w-]+)"
    r"|\b(?:flag|[fF]lags\(\))\.(?:Bool|String|Int|Duration|StringSlice|Uint)(?:Var)?P?"
    r"\((?:&[\w.]+, ?)?\"([a-z][\w-]+)\"|(?:\bArg::new|\.long)\(\"([a-z][\w-]+)\""
    r"|^\s*\(\s*\"(?:\w,\s?)?([a-z][\w-]+)\",\s*\"",
    re.MULTILINE,
)
_HINTS: Final = ("--", "flag.", "lags().", "Arg::new(", ".long(", "add_options(")
_CALLED: Final = re.compile(r"([\w?!]+)\(")
_EXPORTED: Final = re.compile(
    r"^export\s(?:type\s)?\s*(?:\*(?:\s+as\s+\w+)?|\{[^{};]{0,3000}\})\s*from\s*[\"'][^\"'\n]+[\"']", re.MULTILINE
)
_STYLE: Final = re.compile(r"\s*<style\b[^>]*>")
_RULE: Final = re.compile(r"\s*([.#@:\w&*\[][^{};]*?)\s*\{")
_PARAGRAPH: Final = re.compile(r"\s{0,3}[*\"'(`\[_]{0,3}(?:[A-Z]\w*\S*(?: \S+){2}|(?=[^\W\d_a-z])[^\x00-\x7f])")
_LISTED: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|\|(?![-| ]*$))\s*(?=.*[^\W\d_])(?P<text>.{1,200})")
_IMPORTS: Final = re.compile(r"(?:import|using|from|require\w*|use|#\s*include|\{-#)\b|\{-#|.*\brequire\(")
_CASES: Final = re.compile(r"^[ \t]*(?:TEST_CASE|SCENARIO)\(\"|^[ \t]*[\[,]\s*bench \"", re.MULTILINE)
_OWN_TEST: Final = re.compile(r"\b(?:fun|def|function|void) (?:test|it)\(")
_CODE: Final = re.compile(r"\w\([\"'`]|=>|\w;\s|^[\w.]+\s?[:=]\s?\S+,\s")  # a statement that was commented out
_RULED: Final = re.compile(r"([-=#*~/])\1{4}")
_MARKED: Final = re.compile(r"(?:MARK: ?-?|#?\bregion\b|pragma mark -?) *(\S.*)")  # the title of a section
_TITLE_WORDS: Final = 8
_DOCSTRINGS: Final = frozenset({"python", "elixir", "julia"})  # whose texts have headings that look like comments
_TRANSPARENT: Final = frozenset({"module", "namespace", "package", "section"})
_STEP: Final = 2  # lines that a step has more than its comment begins with
_OPENING: Final = re.compile(r"(?:[{:(\[>]|\b(?:do|then|else|begin))\s*$")  # a row whose block begins with a comment
_LABEL: Final = re.compile(r"[A-Z\d]\S* \S|(?:\S+ ){2}\S|[A-Z][a-z]+[A-Z]\w{3,}$|[^\x00-\x7f]")


_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})\s*([\w+#-]*)")


class _Stretch(NamedTuple):
    """Rows from `first`, counted from 0, up to `end` (exclusive), all inside the same symbol, or `loose` in none."""

    first: int
    end: int
    loose: bool = False


def inside(
    language: str, text: str, symbols: Sequence[SymbolRecord], room: int, *, titles: bool
) -> tuple[SymbolRecord, ...]:
    """Summarise the parts of `text` that no symbol covers, in about `room` tokens; of tests, the `titles` only."""
    rows = text.split("\n")
    if (titles or _CASES.search(text)) and (tests := titled(text, symbols)):
        return tests
    if room < _MIN_ROOM:
        return ()
    lead = comment_lead(language)
    styles = _styles(rows) if language in _MARKUP else []
    found = styles.copy()
    free = [one for one in _free([*symbols, *styles], rows, lead) if one.end - one.first >= _LEAST]
    names = {one.name for one in _every(symbols)} - {"function"}  # whose further clauses define nothing new
    for one in free.copy():
        share = room * (one.end - one.first) // len(rows)
        whole, component = language in _MARKUP, language in COMPONENTS
        shown_rows = stretch_rows(rows, one.first, one.end, share, whole=whole, component=component)
        if opened := [row for row in shown_rows if component or names.isdisjoint(_CALLED.findall(row.name))]:
            found += opened
            free.remove(one)
    most = min(_MOST, room // _TOKENS)
    if language in PROSE:
        step = max(_LEAST, sum(one.end - one.first for one in free) // max(1, most))
        parts = (part for one in free for part in _parts(rows, one, step))
        told = [(part.first + 1, part.end, _sentence(rows[part.first : part.end])) for part in parts]
    else:
        told = [
            comment
            for one in free
            for comment in _comments(rows, one, lead)
            if one.loose or one.end - one.first >= _LONG
        ]
        told = sorted(sorted(told, key=lambda one: one[0] - one[1])[:most])
        if language in CODE:
            heads = _sections(language, rows, symbols, lead)
            starts = {first for first, _, _ in heads}
            told = [*heads, *(one for one in told if one[0] not in starts)]
            found += exported(text, "inside")
            told += _options(rows, free)
    for first, last, sentence in told[:_MOST]:
        most = _OPTION_CHARS if sentence.startswith("options ") else _COMMENT_CHARS
        if shown := shorten(sentence.replace(HIDDEN, "[hidden]"), most):
            end = last if last - first <= _WIDE else first  # the comment may well be on less
            found.append(SymbolRecord(kind="inside", name=shown[:80], start=first, end=end, signature=shown))
    return tuple(sorted(found, key=lambda record: record.start))


def comment_lead(language: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + _LEADS.get(language, _SLASHES))


def exported(text: str, kind: str) -> Iterator[SymbolRecord]:
    """Yield what a JavaScript module exports from other modules, a line for each."""
    for match in _EXPORTED.finditer(text):
        start = text.count("\n", 0, match.start()) + 1
        told = shorten(" ".join(re.sub(r"//.*|/\*.*?\*/", "", match[0]).split()).replace(", }", " }"), _OPTION_CHARS)
        end = start + match[0].count("\n")
        yield SymbolRecord(kind=kind, name=told[:80], start=start, end=end, signature=told)


def _options(rows: list[str], free: Iterable[_Stretch]) -> Iterator[tuple[int, int, str]]:
    """Yield the command-line options that stretches read."""
    for part in free:
        text = "\n".join(rows[part.first : part.end])
        found = list(_OPTION.finditer(text)) if any(hint in text for hint in _HINTS) else []
        named = dict.fromkeys(next(filter(None, one.groups())) for one in found)
        if len(named) > 1:
            first, last = (part.first + 1 + text.count("\n", 0, one.end()) for one in (found[0], found[-1]))
            yield first, last, f"options {', '.join(named)}"


def titled(text: str, symbols: Sequence[SymbolRecord]) -> tuple[SymbolRecord, ...]:
    """Return the tests and suites of a text that have titles and are no symbols but calls."""
    found = titled_rows(text.split("\n"), {one.start for one in _every(symbols) if one.kind != "call"})
    own = _OWN_TEST.search(text) is not None  # a function called `test`, whose calls are cases of one test
    return tuple(one for one in found if one.end > one.start) if own else found


def _every(symbols: Iterable[SymbolRecord]) -> Iterator[SymbolRecord]:
    for one in symbols:
        yield one
        yield from _every(one.children)


def _styles(rows: list[str]) -> list[SymbolRecord]:
    """Return a page's style blocks, each with the names of its first rules."""
    found: list[SymbolRecord] = []
    first = 0
    for number, row in enumerate(rows, 1):
        if not first and _STYLE.match(row):
            first = number
        if first and "</style" in row:
            rules = [match[1] for one in rows[first : number - 1] if (match := _RULE.match(one))]
            left = f" … {len(rules) - _RULES} more" if len(rules) > _RULES else ""
            told = shorten(f"{rows[first - 1].strip().partition('>')[0]}> {', '.join(rules[:_RULES])}", 120) + left
            found.append(SymbolRecord(kind="inside", name="style", start=first, end=number, signature=told))
            first = 0
    return found


def _free(symbols: Sequence[SymbolRecord], rows: list[str], lead: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield the runs of rows that belong to one symbol and not to one that merely contains others."""
    at = 0
    while at < len(rows) and (not rows[at].strip() or lead.match(rows[at]) or rows[at].startswith("#!")):
        at += 1
    owners = [-1] * at + [0] * (len(rows) - at)
    todo = sorted((one for one in _every(symbols) if one.kind != "more"), key=lambda one: (one.start, -one.end))
    for number, one in enumerate(todo, 1):
        near = range(one.start - 1, min(one.end, one.start + _NEAR, len(rows)))
        named = next((row for row in near if one.name in rows[row]), one.start - 1)
        for row in range(one.start - 1, min(one.end, len(rows))):
            owners[row] = -1 if one.kind in _HOLDERS or row <= named else number
    first = 0
    for row in range(1, len(rows) + 1):
        if row == len(rows) or owners[row] != owners[first]:
            if owners[first] >= 0:
                yield _Stretch(first, row, owners[first] == 0)
            first = row


def _parts(rows: list[str], whole: _Stretch, step: int) -> Iterator[_Stretch]:
    """Cut a stretch at empty lines outside code into parts of at least `step` rows, without empty rows around them."""
    first, fenced = whole.first, False
    for at in range(whole.first, whole.end):
        fenced ^= rows[at].lstrip().startswith(("```", "~~~"))
        if fenced:
            continue
        if (at - first >= step and not rows[at].strip() and whole.end - at >= _LEAST) or at - first >= 2 * step:
            yield from _trimmed(rows, first, at)
            first = at
    yield from _trimmed(rows, first, whole.end)


def _trimmed(rows: list[str], first: int, end: int) -> Iterator[_Stretch]:
    while first < end and not rows[first].strip():
        first += 1
    while end > first and not rows[end - 1].strip():
        end -= 1
    if end > first:
        yield _Stretch(first, end)


def _comments(rows: list[str], part: _Stretch, lead: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """Return the comments that head steps of a stretch, each with the lines up to the next one and a sentence."""
    found: list[tuple[int, int, str]] = []
    opened: list[tuple[int, int, str]] = []  # rows, levels and sentences of headings whose end is not reached
    first, last = -1, part.first  # of a comment, and the line of the last row that is not empty

    def close(level: int) -> None:
        while opened and opened[-1][1] >= level:
            start, own, told = opened.pop()
            if last - start > _STEP or own % 2 == 0:
                found.append((start + 1, last, told))

    for number in range(part.first, part.end):
        row = rows[number]
        if lead.match(row):
            first = number if first < 0 else first
            continue
        if first >= 0:
            text = "\n".join(rows[first:number])
            heads = first == part.first or not rows[first - 1].strip() or _OPENING.search(rows[first - 1])
            astray = part.loose and (_IMPORTS.match(row) or LICENCE.search(text))
            told = doc_of(strip_markers(text)) if heads and not astray else None
            if told and _LABEL.match(told) and not _CODE.search(told):
                section = not row.strip() or _RULED.search(text) is not None
                level = 2 * _indent(rows[first]) + (not section)
                close(level)
                opened.append((first, level, told))
            first = -1
        if row.strip():
            close(2 * _indent(row) + 2)
            last = number + 1
    close(0)
    return found


def _sections(
    language: str, rows: list[str], symbols: Sequence[SymbolRecord], lead: re.Pattern[str]
) -> list[tuple[int, int, str]]:
    """Return the comments that head several definitions, each with the lines up to the next one and its title."""
    inner = bytearray(len(rows) + 1)  # the lines of definitions
    todo = list(symbols)
    for one in todo:
        if one.kind in _TRANSPARENT:
            todo += one.children
        else:
            inner[one.start : one.end + 1] = b"\1" * (min(one.end, len(rows)) + 1 - one.start)
    found: list[tuple[int, str]] = []
    first = -1
    for number, row in enumerate([*rows, ""]):
        if row and lead.match(row) and not inner[number + 1]:
            first = number if first < 0 else first
            continue
        if first > 0 and not rows[first - 1].strip():
            text = "\n".join(rows[first:number])
            marked = _MARKED.search(text)
            alone = language not in _DOCSTRINGS and number - first == 1 and not row.strip()
            if marked is not None or alone or _RULED.search(text):
                title = marked[1] if marked is not None else (doc_of(strip_markers(text)) or "").strip("#*=- ")
                if 0 < len(title.split()) <= _TITLE_WORDS and title[-1] not in ".:;," and not LICENCE.search(text):
                    found.append((first + 1, f"# {title}"))
        first = -1
    if len(found) < 2:
        return []
    ends = [start - 1 for start, _ in found[1:]] + [len(rows)]
    return [(start, end, title) for (start, title), end in zip(found, ends, strict=True)]


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _sentence(rows: list[str]) -> str:
    """Return the first sentence of the first paragraph of prose."""
    for paragraph in "\n".join(rows).split("\n\n"):
        if _PARAGRAPH.match(paragraph):
            return doc_of([inline_text(paragraph)], code_allowed=True) or ""
    fenced = False
    listed: list[str] = []
    fence = _FENCE.match(rows[0])
    if fence is not None:
        return f"code: {fence[1]}" if fence[1] else "code"
    for row in rows:
        fenced ^= row.lstrip().startswith(("```", "~~~"))
        match = None if fenced else _LISTED.match(row)
        if match is not None and row.lstrip()[0] == "|":
            cells = [cell.strip() for cell in match["text"].split("|") if cell.strip()]
            return f"table: {', '.join(shorten(inline_text(cell), 40) for cell in cells)}"
        if match is not None:
            listed.append(shorten(inline_text(match["text"]), 60))
    return "; ".join(listed)
