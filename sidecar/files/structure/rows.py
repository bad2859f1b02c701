"""The rows of a text that tell most, nested by indentation: what is shown of formats that have no rules of their own.

Rows are chosen level by level until the room is used; of many alike, a few from all over the text. Rows next to each
other share a line. Values pass the same masks as everywhere, and a value beside or below a secret's name is hidden.
"""

from __future__ import annotations

import re
import string
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.language import CODE
from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.structure.guards import HIDDEN, perhaps, said
from sidecar.files.structure.row_reading import LINE_CHARS, PATTERNS, TABLE, TextRow, nested, prose, read
from sidecar.files.structure.values import masked, secret_key
from sidecar.store.records import SymbolRecord
from sidecar.text.tokens import estimate

SHOWN_BY_ROWS: Final = frozenset(TABLE["languages"].split())
BESIDE_SYMBOLS: Final = frozenset(TABLE["beside"].split())
SHOWN_BY_SYMBOLS: Final = BESIDE_SYMBOLS | frozenset(TABLE["never"].split())
_STYLES, _STYLED = frozenset({"css", "scss", "less"}), 1_200  # tokens of a style sheet whose properties are shown
_JSON_LINE: Final = 200  # characters of a line, on average, that show JSON is indented
_WORTH_COUNTING: Final = 3  # rows left out at the end
_NEARLY: Final = 0.4  # share of a file worth the try to show all of it
_LOOKED_AT: Final = 1_500  # rows
_WEIGHED, _CANDIDATES = 1_500, 400  # rows of one level that are compared, and weighed
_LEAVES: Final = 5  # rows below another that are told before what stands deeper
_DEPTH: Final = 5  # levels that are shown
_MISSED, _MIN_ROW = 6, 6  # rows too long for the room that are passed over, and tokens of a short row
_NUMBERS: Final = 3  # rows of bare numbers that are shown
_KEYED, _VALUE, _HARMLESS, _TAGGED, _DEFINES, _NAMED, _DULL, _DECLARED, _HOLDER = (
    PATTERNS[name] for name in "keyed value harmless tagged defines named dull declared holder".split()
)
SLIGHT: Final = frozenset({"call", "constant", "variable", "target"})  # kinds that alone tell less than rows
# What every text contains that has anything to mask.
_MASKABLE: Final = re.compile(r"[=:]|[A-Za-z0-9+/_-]{20}|bearer|basic|-----BEGIN", re.I)
# Letters and digits without a separator, and names whose value may be a password.
_MIXED: Final = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,40}(?![A-Za-z0-9])")
_WEAK: Final = re.compile(r"(?<![A-Za-z])(?:pw|psk|otp|login|code|cred|seed|user(?:name)?|admin|root)(?![a-z])", re.I)
_DEFINED: Final = re.compile(
    r"(?:(?:local|async|private|static|inline|pub|export|override|lazy)\s+)*"
    r"(?:def|defp|func|function|fn|fun|sub|class)\s+[\w$@:.-]{3,}(?!.{200})"
    r"|(?:local\s+)?[\w.]{3,}\s*=\s*(?:async\s+)?function\b"
)
# A call whose text titles a test or a suite, with what it opens.
_TITLED: Final = re.compile(
    r"[\[,@]{0,2}\s*(?!case\b)(?P<word>[\w$.]{0,60}(?i:test|spec|case|should|scenario|example|feature|group|section|suite"
    r"|bench|each|prop|describe|context|given|when|pending|\bf?x?it\b|\brun\b)[\w$.]{0,60}!?)"
    r"(?:<[\w<>, ]*>|\(\[.*\]\))?[ (]+"
    r"(?P<quote>[\"'`])(?P<title>(?:(?!(?P=quote))[^\\]|\\.){2,})(?P=quote)"
    r"(?:\)|\s)*(?:[,{$=:(*]|->|- |do\b|begin\b|function\b|-[A-Z]|$)"
)
_ELEMENT: Final = re.compile(
    r"^<(?:[A-Z][\w.]*|[a-z]+-[\w-]+|(?:template|slot|form|h\d|svelte:\w+)\b)"
    r"|^\{[#@]\w|\s(?:v-(?:if|else|for|model|show|html)|@[a-z]|on:?[a-z]+=\{|bind:|use:)"
)
_TITLES_MOST, _TITLES_WITHIN = 2_000, 4_000  # titles, and rows in which they are searched
_KEYWORD: Final = re.compile(r"[@%.]?[A-Za-z-]{1,24}(?=[\s(])")
_HOLDING: Final = 8  # rows of a shape that come first as holders
_HIDDEN: Final = re.compile(r"(?:\s\S*\[hidden\]){2,}")
_WORD: Final = re.compile(r"[\w.-]{2,60}")
_NO_NAMES: Final = frozenset({"key", "keys", "private", "tokens"})
_IDENTIFIED: Final = re.compile(r"\[hidden\] /\* (.+?) \*/")  # an Xcode object
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_NO_WORDS: Final = str.maketrans("", "", string.ascii_letters + string.digits + " _.-")


def rows(
    language: str, text: str, room: int, size: int, symbols: Sequence[SymbolRecord]
) -> tuple[tuple[SymbolRecord, ...], bool]:
    """Return the rows of a text that fit into `room` tokens, if they tell more than `symbols` or all of them fit."""
    outlined = any(one.kind not in SLIGHT for one in symbols)
    by_rows = language in SHOWN_BY_ROWS or (language in _STYLES and size < _STYLED)
    by_rows = by_rows or (language == "json" and text.count("\n") * _JSON_LINE > len(text))
    whole = outlined and not by_rows
    if language in SHOWN_BY_SYMBOLS or room < 15 or (whole and (language in CODE or room < size * _NEARLY)):
        return (), False
    lines = text.split("\n")
    every = list(read(lines[:_LOOKED_AT]))
    roots = nested(every)
    if len(lines) > _LOOKED_AT and roots:
        _extend(roots[-1], len(lines) - (not lines[-1]))
    chosen = _choose(roots, room)
    unread = sum(1 for line in lines[_LOOKED_AT:] if line.strip())
    last = len(lines) - (not lines[-1])
    found = _records(roots, unread, last)
    free = [row for row in every if not (row.chosen or row.comment) and (row.parent is None or row.parent.chosen)]
    _fill(free, room - estimate("\n".join(_shown(found))), chosen)
    found = _records(roots, unread, last)
    while chosen and estimate("\n".join(_shown(found))) > room:
        for _ in range(len(chosen) // 16 + 1):
            chosen.pop().chosen = False
        found = _records(roots, unread, last)
    room -= estimate("\n".join(_shown(found)))
    for row in chosen:
        if row.longer and (cost := estimate(row.longer) - estimate(row.told) + 3) <= room:
            room, row.told, row.longer = room - cost, row.longer, ""
    found = _records(roots, unread, last)
    hidden = unread or any(not row.chosen for row in every)
    if hidden and whole:
        return (), False
    return found, bool(found)


def stretch_rows(
    lines: Sequence[str], first: int, end: int, room: int, *, whole: bool, component: bool = False
) -> Iterator[SymbolRecord]:
    """Yield the definitions among the rows from `first` to `end` (exclusive, from 0); or, with
    `whole`, the rows that tell most, of a `component` those with components, conditions, loops and actions.
    """
    stretch = lines[first : min(end, first + _LOOKED_AT)]
    if not whole and not any(_DEFINED.match(line.lstrip()) for line in stretch):
        return
    every = list(read(stretch, has_header=first == 0))
    roots = nested(every)
    chosen: list[TextRow] = []
    if component:
        _fill([row for row in every if _ELEMENT.search(row.text)], room, chosen)
    elif whole:
        chosen = _choose([row for row in _hoisted(roots) if not row.comment], room, dull=False)
    else:
        _fill([row for row in every if _DEFINED.match(row.text)], room, chosen)
    for row in chosen:
        text, last = (row.longer or row.told).removesuffix("{").removesuffix(" do").rstrip(), min(first + row.end, end)
        yield SymbolRecord(kind="inside", name=text[:40], start=first + row.number, end=last, signature=text)


def _hoisted(rows: Iterable[TextRow]) -> Iterator[TextRow]:
    """Yield rows, and in place of tags that only hold others what these hold."""
    for row in rows:
        if _HOLDER.match(row.text):
            yield from _hoisted(row.children)
        else:
            yield row


def titled_rows(lines: Sequence[str], known: Container[int]) -> tuple[SymbolRecord, ...]:
    """Return the calls of tests and suites with their titles, nested, if there are two that are not `known`."""
    every = list(read(lines[:_TITLES_WITHIN]))
    found = _titled(nested(every), [_TITLES_MOST], known)
    return tuple(found) if len(found) > 1 or any(one.children for one in found) else ()


def _titled(rows: Iterable[TextRow], most: list[int], known: Container[int]) -> list[SymbolRecord]:
    found: list[SymbolRecord] = []
    for row in rows:
        if row.comment:
            continue
        if row.text.endswith("(") and row.children and row.children[0].text[0] in "\"'`":
            row.text += row.children[0].text
        if row.text.startswith("])("):  # the end of a table of cases
            row.text = "each" + row.text[2:]
        title = _TITLED.match(row.text) if most[0] > 0 and row.number not in known else None
        if title is not None and row.end == row.number and title["word"].partition(".")[0] not in ("it", "test"):
            title = None
        inner = _titled(row.children, most, known)
        if title is None:
            found += inner
            continue
        most[0] -= 1
        told = _safe(row)
        shown = f"{title['word']} '{title['title']}'" if title["title"] in told else told
        found.append(
            SymbolRecord(
                kind="test",
                name=title["title"] if title["title"] in told else told,
                start=row.number,
                end=row.end,
                signature=shorten(shown, LINE_CHARS),
                children=tuple(inner),
            )
        )
    return found


def _shown(records: Sequence[SymbolRecord], depth: int = 0) -> Iterator[str]:
    """Yield the lines of a briefing that show these records."""
    for one in records:
        lines = f" L{one.start}-{one.end}" if one.end > one.start else f" L{one.start}" if one.start else ""
        yield f"{'  ' * depth}{one.signature}{lines}"
        yield from _shown(one.children, depth + 1)


def _extend(row: TextRow, end: int) -> None:
    """End what holds the last row that was looked at with the text."""
    while row.children:
        row.end = end
        row = row.children[-1]


def _choose(roots: list[TextRow], room: int, *, dull: bool = True) -> list[TextRow]:
    """Choose rows level by level, `dull` ones last; return them in that order."""
    level, chosen = roots, list[TextRow]()
    comments: list[TextRow] = []
    later: list[TextRow] = []
    for _ in range(_DEPTH):
        if not level or room <= 0:
            break
        told: list[TextRow] = []
        for row in level:
            told_last = _DULL.match(row.text) and (not row.children or row.text[0] in "-ewp")
            (later if told_last else told).extend([row] if not row.comment or row.children else [])
        deeper = level is not roots and any(row.children for row in told)
        room = _fill([row for row in told if row.children or row.at < _LEAVES] if deeper else told, room, chosen)
        room = _fill(comments, room, chosen)
        comments = [row for row in level if row.comment and not row.children]
        level = [child for row in told if row.chosen for child in row.children]
    room = _fill(comments, room, chosen)
    if dull:
        _fill([row for row in later if row.parent is None or row.parent.chosen], room, chosen)
    return chosen


def _fill(level: list[TextRow], room: int, chosen: list[TextRow]) -> int:
    """Choose of a level what fits: first what holds other rows and what looks new, then rows from all over."""
    if room <= 0:
        return 0
    shapes: dict[tuple[int, str], list[TextRow]] = {}
    numbers = 0
    for row in level[:: len(level) // _WEIGHED + 1]:
        numbers += (numeric := _numeric(row.text))
        if not numeric or numbers <= _NUMBERS:
            word = _KEYWORD.match(row.text)
            shape = f"{word[0] if word else ''} {row.text[:60].translate(_NO_WORDS)}"
            shapes.setdefault((id(row.parent), shape), []).append(row)
    ranked = []
    for same in shapes.values():
        for seen, at in enumerate(sorted(range(len(same)), key=_spread)):
            row = same[at]
            early = min(row.at if row.parent else seen // _HOLDING if row.children else seen, 3)
            early += (not row.children) - 3 * (_DEFINES.match(row.text) is not None)
            ranked.append((early, seen, _spread(row.number), row))
    ranked.sort(key=lambda one: one[:3])
    bare = _crowded([row for *_, row in ranked if not row.children], room)
    missed = 0
    for *_, row in ranked[:_CANDIDATES]:
        row.told = _safe(row)
        if row.told == "[hidden]":
            continue
        if bare and not row.children and (name := _NAMED.match(row.told)):
            row.longer, row.told = row.told, name[1] or name[0].rstrip()
        wide = row.end > row.number and not row.told.endswith(":")
        cost = estimate(row.told) + (6 if wide else 2)
        if cost > room:
            missed += 1
            if missed > _MISSED or room < _MIN_ROW:
                return 0
            continue
        row.chosen = True
        chosen.append(row)
        room -= cost
    return 0 if missed or len(ranked) > _CANDIDATES or len(level) > _WEIGHED else room


def _crowded(rows: list[TextRow], room: int) -> bool:
    """Return whether rows are too many for the room and have names that tell them apart."""
    if sum(min(len(row.text), LINE_CHARS) + (24 if row.end > row.number else 8) for row in rows) < 4 * room:
        return False
    names = {name[0] if (name := _NAMED.match(row.text)) else "" for row in rows}
    return len(names) > 0.9 * len(rows)


@lru_cache(4_096)
def _spread(number: int) -> int:
    """Order numbers so that the first of them come from everywhere."""
    return int(f"{number:020b}"[::-1], 2)


def _records(siblings: list[TextRow], unread: int, last: int) -> tuple[SymbolRecord, ...]:
    """Return the chosen rows in order; neighbours without rows below them share a record, the rest is counted."""
    found: list[SymbolRecord] = []
    shared: list[TextRow] = []
    text = ""
    skipped = unread
    for row in siblings:
        if not row.chosen:
            skipped += not row.comment or bool(row.children)
            continue
        alone = row.comment or any(child.chosen for child in row.children)
        alone = alone or (row.end > row.number and not row.told.endswith(":"))
        if shared and (alone or len(text) + len(row.told) > LINE_CHARS):
            found.append(_record(shared, text))
            shared, text = [], ""
        if not shared or row.told != shared[-1].told:
            text = f"{text.rstrip(':')}; {row.told}" if text else row.told
        shared.append(row)
        if alone:
            found.append(_record(shared, text, _records(row.children, 0, row.end)))
            shared, text = [], ""
    if shared:
        found.append(_record(shared, text))
    if skipped >= _WORTH_COUNTING and found:
        more = f"… {skipped:,} more to L{last}"
        found.append(SymbolRecord(kind="row", name="…", start=0, end=0, signature=more))
    return tuple(found)


def _record(shared: list[TextRow], text: str, children: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
    start, end = shared[0].number, shared[-1].end
    return SymbolRecord(kind="row", name=text[:40], start=start, end=end, signature=text, children=children)


def _safe(row: TextRow) -> str:
    """Return a row without secrets: values of secret names are hidden, also where the name is beside or above."""
    if row.comment:
        told = doc_of(strip_markers(row.text), code_allowed=True)
        told = said(masked(told or " ".join(row.text.split("\n")[0].split()).lstrip("# ")))
        return shorten("# " + told, LINE_CHARS)
    text = masked(row.text) if _MASKABLE.search(row.text) else row.text
    if "[hidden]" not in text and "[redacted" not in text and not _HARMLESS.search(row.text):
        beside = row.among[max(0, row.at - 1) : row.at + 2] if _VALUE.match(row.text) else []
        named = _name_of_secret(row)
        if named is not None:
            text = f"{text[: named.end()]} [hidden]" if _LETTERS.search(text, named.end()) else text
        elif any(_name_of_secret(other) for other in (*_above(row), *beside)):
            key = _KEYED.match(text)
            text = f"{key[0] if key else ''}[hidden]"
    weak = _WEAK.search(text) is not None
    text = _MIXED.sub(lambda match: "[hidden]" if _random(match[0], weak) else match[0], text)
    text = _TAGGED.sub(
        r"\1 \2", _IDENTIFIED.sub(r"\1", _HIDDEN.sub(" [hidden]", " ".join(text.replace(HIDDEN, "[hidden]").split())))
    )
    return shorten(text.rstrip(",;") if text[:1].isalpha() else text, LINE_CHARS)


def _random(token: str, weak: bool) -> bool:
    """Return whether letters and digits alternate as in a password; beside a `weak` name, whether both occur at all."""
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(token))
    cased = token.lower() != token and token.upper() != token
    return (changes >= 3 and (cased or len(token) >= 8)) or (weak and changes > 0)


def _above(row: TextRow) -> Iterator[TextRow]:
    """Yield the rows that hold a row."""
    above = row.parent
    while above is not None:
        yield above
        above = above.parent


def _name_of_secret(row: TextRow) -> re.Match[str] | None:
    """Return the name of a secret in a row that is neither prose nor a declaration; remembered, for other rows ask."""
    if row.asked != row.text:
        row.asked, row.named, text = row.text, None, row.text[:300]
        if perhaps(text) and not prose(row.text) and not _DECLARED.search(text):
            words = _WORD.finditer(text)
            row.named = next((word for word in words if word[0].lower() not in _NO_NAMES and secret_key(word[0])), None)
    return row.named


def _numeric(text: str) -> bool:
    return "=" not in text and ":" not in text and 3 * sum(map(str.isalpha, text)) < len(text)
