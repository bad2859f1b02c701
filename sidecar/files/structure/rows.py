"""Show scripts, settings and data as rows, nested by indentation, headings and comments.

Rows are chosen level by level until the room is used, in file order, and whole levels where they fit. Neighbouring rows
share a line. Values pass the same masks as everywhere; a value beside or below a secret's name is hidden.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from sidecar.files.clean_text import beside, shorten
from sidecar.files.structure.page_rows import page_rows
from sidecar.files.structure.row_choice import DECLARES, SHARED_LINES, choose, choose_fitting, fill, most_lines, name_of
from sidecar.files.structure.row_masks import shown_text
from sidecar.files.structure.row_reading import LINE_CHARS, PATTERNS, STYLES, TABLE, TextRow, read
from sidecar.files.structure.row_tree import nest_rows
from sidecar.files.structure.sql_rows import sql_rows
from sidecar.store.records import SymbolRecord
from sidecar.text.lazy_patterns import patterns
from sidecar.text.tokens import estimate

_FORMS: Final = patterns(Path(__file__), "rows")
SHOWN_BY_ROWS: Final = frozenset(TABLE["languages"].split())
BESIDE_SYMBOLS: Final = frozenset(TABLE["beside"].split())
BODIED: Final = frozenset(TABLE["bodied"].split())
SHOWN_BY_SYMBOLS: Final = BESIDE_SYMBOLS | frozenset(TABLE["never"].split())
_MIN_RULES_ALIKE: Final = 4  # rules in a row that begin alike and so share a line
_MAX_JSON_LINE_CHARS: Final = 200  # JSON with lines up to this average length counts as indented
_MAX_LINES: Final = 1_500  # the number of lines read as rows
_BRIEF_CHARS: Final = 30  # the maximum length of the name of a row that is left out
_MAX_NAME_TOKENS: Final = 740  # the tokens available for the names of the outermost rows
_DULL: Final = PATTERNS["dull"]
SLIGHT: Final = frozenset({"call", "step", "constant", "variable", "target"})  # kinds that say less than rows do
_MAX_TITLES, _MAX_TEST_LINES = 2_000, 4_000  # titles, and lines in which they are searched
_MAX_NAMED_ROWS: Final = 100  # the maximum number of rows that are only named


def rows(
    language: str, text: str, room: int, size: int, symbols: Sequence[SymbolRecord]
) -> tuple[tuple[SymbolRecord, ...], bool]:
    """Return the rows of a text that fit into `room` tokens and True; none and False if `symbols` say more."""
    outlined = any(symbol.kind not in SLIGHT for symbol in symbols)
    by_rows = language in SHOWN_BY_ROWS or (language == "json" and text.count("\n") * _MAX_JSON_LINE_CHARS > len(text))
    if language in SHOWN_BY_SYMBOLS or room < 15 or (outlined and not by_rows):
        return (), False
    lines = text.split("\n")
    if language in ("erb", "heex"):
        language, room = ("html", room) if _FORMS["markup"].search(text) else ("text", room // 2)
    if language in ("sql", "html"):
        all_rows = list(sql_rows(text) if language == "sql" else page_rows(text, symbols))
        roots, unread = nest_rows(all_rows, language), 0
    else:
        lines = _short_arguments(text) if language == "nix" else lines
        all_rows = list(read(lines[:_MAX_LINES], language))
        roots, unread = nest_rows(all_rows, language), sum(1 for line in lines[_MAX_LINES:] if line.strip())
        roots = list(_by_first_selector(roots)) if language in STYLES else roots
    last = len(lines) - (not lines[-1])
    holder = roots[-1] if unread and roots else None  # the row that holds the unread lines
    while holder is not None and holder.children:
        holder.end, holder = last, holder.children[-1]
    names = sum(estimate(name_of(shown_text(row))) + 6 for row in roots) if by_rows else 0
    room = max(room, min(names, _MAX_NAME_TOKENS, size // 3))
    chosen = choose(roots, room, language)
    found = _records(roots, unread, last)
    while chosen and estimate("\n".join(_shown_lines(found))) > room:
        for _ in range(len(chosen) // 16 + 1):
            chosen.pop().chosen = False
        found = _records(roots, unread, last)
    for _ in range(2):  # rows that share a line leave room
        left = room - estimate("\n".join(_shown_lines(found)))
        for row in sorted(chosen, key=lambda row: estimate(row.full or row.shown) - estimate(row.shown)):
            whole = row.full or row.shown
            if (row.full or row.crowded) and (
                cost := estimate(whole) - estimate(row.shown) + (5 if row.crowded else 2)
            ) <= left:
                left, row.shown, row.full, row.crowded = left - cost, whole, "", False
        fill(roots, left)
        found = _records(roots, unread, last)
    return found, bool(found)


def _short_arguments(text: str) -> list[str]:
    """Return the lines of a Nix file; a long list of its arguments is on one line."""
    match = _FORMS["arguments"].match(text)
    if match is None or match[1].count("\n") <= SHARED_LINES:
        return text.split("\n")
    names = ", ".join(_FORMS["argument"].findall(match[1]))
    above, rest = "\n" * text.count("\n", 0, match.start(1)), text[match.end() :].lstrip(" ")
    return "".join((above, f"arguments: {names}", "\n" * match[1].count("\n"), rest)).split("\n")


def _by_first_selector(roots: Iterable[TextRow]) -> Iterator[TextRow]:
    """Yield rows. Neighbouring rules that begin alike are joined in one row that holds them."""
    for first, group in groupby(roots, key=lambda row: (match := _FORMS["first"].match(row.text)) and match[1]):
        rules = list(group)
        if first is None or len(rules) < _MIN_RULES_ALIKE:
            yield from rules
            continue
        holder = TextRow(rules[0].number, rules[0].indent, f"{first}… {{", rules[-1].end, children=rules)
        for rule in rules:
            rule.text, rule.parent, rule.siblings = rule.text.replace(first, ""), holder, rules
        yield holder


def stretch_rows(lines: Sequence[str], first: int, end: int, room: int, *, markup: bool) -> Iterator[SymbolRecord]:
    """Yield the definitions among the rows from `first` to `end` (exclusive, from 0), and all else if it fits.

    Of `markup` components, also yield conditions, loops and actions.
    """
    stretch = lines[first : min(end, first + _MAX_LINES)]
    if not markup and not any(_FORMS["defined"].match(line.lstrip()) for line in stretch):
        return
    found = list(read(stretch, has_header=first == 0))
    nest_rows(found)
    code = (row for row in found if markup or row.parent is None or row.parent.text[-1] not in "\"'`")
    main = [
        row for row in code if (_FORMS["element"].search(row.text) if markup else _FORMS["defined"].match(row.text))
    ]
    chosen, room = choose_fitting(main, room)
    if markup:
        covered = {id(row.only) for row in found} | set(map(id, main))
        texts = [row for row in found if id(row) not in covered and not row.comment and _FORMS["text"].match(row.text)]
        chosen += choose_fitting(texts, room, whole=True)[0]
    for row in chosen:
        text, last = (row.full or row.shown).removesuffix("{").removesuffix(" do").rstrip(), min(first + row.end, end)
        yield SymbolRecord(kind="inside", name=text[:40], start=first + row.number, end=last, signature=text)
    if left := [row for row in main if markup and not row.chosen]:
        start, last = first + left[0].number, first + left[-1].number
        tags = dict.fromkeys(match[1] for row in left if (match := _FORMS["tag"].match(row.text)))
        summary = f"… {len(left)} more elements ({', '.join(tags)}) from L{start} to"
        yield SymbolRecord(kind="inside", name=summary, start=last, end=last, signature=summary)


def titled_rows(lines: Sequence[str], known: Container[int]) -> tuple[SymbolRecord, ...]:
    """Return calls of tests and suites with their titles, nested, if at least two are not `known`."""
    text_rows = list(read(lines[:_MAX_TEST_LINES]))
    found = _titled(nest_rows(text_rows), [_MAX_TITLES], known)
    return tuple(found) if len(found) > 1 or any(row.children for row in found) else ()


def _titled(rows: Iterable[TextRow], most: list[int], known: Container[int]) -> list[SymbolRecord]:
    found: list[SymbolRecord] = []
    for row in rows:
        if row.comment:
            continue
        if row.text.endswith("(") and row.children and row.children[0].text[0] in "\"'`":
            row.text += row.children[0].text
        if row.text.startswith("])("):  # the end of a table of cases
            row.text = "each" + row.text[2:]
        title = _FORMS["titled"].match(row.text) if most[0] > 0 and row.number not in known else None
        if (
            title is not None
            and row.end == row.number
            and not _FORMS["single"].fullmatch(title["word"].partition(".")[0])
        ):
            title = None
        inner = _titled(row.children, most, known)
        if title is None:
            found += inner
            continue
        most[0] -= 1
        masked = shown_text(row)
        shown = f"{title['word']} '{title['title']}'" if title["title"] in masked else masked
        found.append(
            SymbolRecord(
                kind="test",
                name=title["title"] if title["title"] in masked else masked,
                start=row.number,
                end=row.end,
                signature=shorten(shown, LINE_CHARS),
                children=tuple(inner),
            )
        )
    return found


def _shown_lines(records: Sequence[SymbolRecord], depth: int = 0) -> Iterator[str]:
    """Yield the lines of a briefing that show these records."""
    for record in records:
        end = f"-{record.end}" if record.end > record.start else ""
        lines = f" L{record.start}{end}" if record.start or end else ""
        yield f"{'  ' * depth}{record.signature}{lines}"
        yield from _shown_lines(record.children, depth + 1)


def _records(siblings: list[TextRow], unread: int, last: int) -> tuple[SymbolRecord, ...]:
    """Return the chosen rows in order. Neighbours without rows below them share a record; the rest is counted."""
    found: list[SymbolRecord] = []
    shared: list[TextRow] = []
    text = ""
    left: list[TextRow] = []
    for row in siblings:
        if not row.chosen:
            plain = _DULL.match(row.text) or _FORMS["set"].match(row.text)
            plain = plain if row.parent is not None and not row.children else None
            if not plain and (not row.comment or row.children):
                left.append(row)
            continue
        alone = row.comment or any(child.chosen for child in row.children)
        alone = alone or row.end - row.number > (most_lines(row) if row.crowded or row.shown.endswith(":") else 0)
        told = text.endswith("”") and row.shown.startswith("input ")  # the caption ends what is said of a field
        if shared and (alone or told or len(text) + len(row.shown) > LINE_CHARS):
            found.append(_record(shared, text))
            shared, text = [], ""
        shown = row.shown if alone or row.end - row.number < SHARED_LINES else f"{row.shown} L{row.number}"
        word = DECLARES.match(shown)
        if word is not None and shared and not alone and shared[0].shown.startswith(word[0]):
            shown = shown[word.end() :]
        if not shared or row.shown != shared[-1].shown:
            text = f"{text.rstrip(':')}; {shown}" if text else shown
        shared.append(row)
        if alone:
            below = _records(row.children, 0, row.end)
            single = len(below) == 1 and not row.comment and not below[0].children
            joined = beside(row.shown, below[0].signature) if single else ""
            if _FORMS["apart"].search(joined) or not 0 < len(joined) <= LINE_CHARS:
                found.append(_record(shared, text, below))
            else:
                found.append(_record(shared, joined))
            shared, text = [], ""
    if shared:
        found.append(_record(shared, text))
    cut = bool(left and left[0].parent) and all(_brief(row).endswith("…") for row in left[:_MAX_NAMED_ROWS])
    if (left or unread) and found and not cut:
        end, first = last if unread else left[-1].end, left[0].number if left else 0
        more = f"… {len(left) + unread:,} more {f'from L{first} ' if 0 < first < end else ''}to"
        more = more if first != end else "… 1 more"
        names = list(dict.fromkeys(name for row in left[:_MAX_LINES] if (name := _brief(row))))
        if names and not unread and len(", ".join(names)) <= LINE_CHARS:
            more = f"also {', '.join(names)}{f' L{first} to' if first < end else ''}"
        elif (
            not unread
            and len(left) <= _MAX_NAMED_ROWS
            and len(words := [name for name in names if _FORMS["word"].fullmatch(name)]) > len(left) // 2
        ):
            more = f"{len(left)} more: {shorten(', '.join(words), 2 * LINE_CHARS)} L{first} to"
        found.append(SymbolRecord(kind="row", name=_counted(len(left) + unread), start=end, end=end, signature=more))
    return tuple(found)


def _brief(row: TextRow) -> str:
    """Return a short name for a row that is not shown."""
    name = name_of(shown_text(row)).rstrip(" :{(")
    return "" if "[hidden]" in name else shorten(name, _BRIEF_CHARS)


def _record(shared: list[TextRow], text: str, children: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
    start, end = shared[0].number, shared[-1].end
    return SymbolRecord(kind="row", name=_counted(len(shared)), start=start, end=end, signature=text, children=children)


def _counted(rows: int) -> str:
    """Return a name that counts the rows of a record, for when the record is left out."""
    return f"… and {rows:,} rows"
