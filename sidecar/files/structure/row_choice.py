"""Choose which rows of a text are shown: level by level, names before detail, until the room is used."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.row_masks import comment_text, shown_text
from sidecar.files.structure.row_reading import PATTERNS, STYLES, TABLE, TextRow
from sidecar.text.tokens import estimate

_LATE_RANK, _NEVER_RANK = 9, 10  # of rows that are shown after all others of their level, or not at all
_MAX_SKIPPED_ROWS, _MIN_ROW_TOKENS = 6, 6  # rows that are too long may be skipped, while a short row still fits
_DISTINCT_SHARE: Final = 0.9  # names stand for the rows of a level if at least this share of them differs
_MAX_ALIKE_SHOWN, _MAX_NUMBERS_SHOWN = 10, 3  # the number of rows of one shape shown of a list that does not fit
_SCARCE_CHARS: Final = 36  # the length of a row when room is scarce
_CODE_CHARS, _DOC_CHARS = 60, 90  # the lengths of a script's row with a comment, and of that comment
_MAX_DEPTH: Final = 8  # levels that are chosen by rank
_MAX_FILLED_DEPTH: Final = 100  # levels that may fill the room left; who reads the rows descends into them by recursion
SHARED_LINES, _MAX_SHARED_DECLARATION_LINES = 3, 9  # lines of neighbours that share a line for want of room
_RANKED_LANGUAGES: Final = frozenset({"makefile", "dockerfile", "cmake", "text"})  # definitions come first in these
DECLARES: Final = re.compile(r"(?i:create (?:function|procedure|aggregate|view|table|index|type) )")
_CUT_BLOCK: Final = re.compile(r"[^={]* \{")  # of a rule whose first declarations do not fit
_EMPTY_STEP: Final = re.compile(r"else(?:; then)?(?: (?:return|exit) [01])?|(?:return|exit)(?: [01])?|fi|then|do")
_NO_WORDS: Final = str.maketrans("", "", string.ascii_letters + string.digits + " _.-")
SCRIPTS: Final = frozenset(TABLE["scripts"].split())
_DEFINES, _ROW_NAME, _DULL, _PROPERTY = (PATTERNS[name] for name in "defines named dull property".split())


def choose(roots: list[TextRow], room: int, language: str = "") -> list[TextRow]:
    """Choose rows level by level, the most informative of each level first; return them in that order."""
    level, chosen, much = list(opened(roots)), list[TextRow](), room // 3
    quoted: list[TextRow] = []  # texts of a page, chosen last
    for depth in range(_MAX_DEPTH):
        if language == "html" and depth:
            quoted += filter(_quoted, level)
            level = [row for row in level if not _quoted(row)]
        level = [row for row in level if _rank(row, depth, language) < _NEVER_RANK]
        main = [row for row in level if _rank(row, depth, language) < _LATE_RANK]
        fitting, left = choose_fitting(main, room, whole=True, deep=depth > 1) if depth else ([], room)
        chosen += fitting
        if left < room:
            room, level = left, list(opened(_below(main)))
            continue
        classes = sorted(level, key=lambda row: _rank(row, depth, language))
        if not depth:
            chosen, room = choose_fitting(classes, room)
            room = _add_comments(chosen, room)
            level = list(opened(_below(row for row in level if row.chosen)))
            if room <= 0:
                break
            continue
        for number, rows in groupby(classes, key=lambda row: _rank(row, depth, language)):
            fitting, room = choose_fitting(list(rows), room, whole=number > 1 and room < much, deep=depth > 1)
            chosen += fitting
            if room <= 0:
                break
        if room <= 0:
            break
        level = list(opened(_below(row for row in level if row.chosen)))
    if room > 0 and quoted:
        chosen += choose_fitting([row for row in quoted if row.parent is None or row.parent.chosen], room)[0]
    return chosen


def _quoted(row: TextRow) -> bool:
    return row.text.startswith(("“", "a ", "img "))


def fill(rows: Iterable[TextRow], room: int) -> None:
    """Choose as many of the remaining rows as fit, then of the rows below chosen ones."""
    level = list(rows)
    for _ in range(_MAX_FILLED_DEPTH):
        for row in level:
            worded = not row.comment and any(map(str.isalpha, row.text))
            if not row.chosen and worded and (cost := _cost(row, room)) <= room and row.shown not in ("", "[hidden]"):
                row.chosen, room = True, room - cost
        level = [child for row in level if row.chosen or row.comment for child in row.children]


def _add_comments(rows: Iterable[TextRow], room: int) -> int:
    """Add comments to chosen rows while there is room; return the room left."""
    for row in rows:
        doc = row.full.partition(" — ")[2] if row.above is not None and " — " not in row.shown else ""
        if doc and (cost := estimate(doc) + 1) <= room:
            room, row.shown = room - cost, f"{row.shown} — {doc}"
    return room


def _below(rows: Iterable[TextRow]) -> Iterator[TextRow]:
    for row in rows:
        yield from () if row.comment else row.children


def opened(rows: Iterable[TextRow]) -> Iterator[TextRow]:
    """Yield rows; a comment is followed by the rows below it."""
    for row in rows:
        yield row
        if row.comment:
            yield from opened(row.children)


def _rank(row: TextRow, depth: int, language: str) -> int:
    """Return the rank of a row on its level. Low ranks are chosen first."""
    bare = row.only is None and (not row.children or (depth > 0 and language in SCRIPTS))
    dull = bare and row.above is None and _DULL.match(row.text)
    if row.comment and row.children:
        return -1
    if language in STYLES and depth and _PROPERTY.match(row.text):
        return _NEVER_RANK
    if dull:
        return _LATE_RANK
    if language == "html" and _quoted(row):
        return 5
    if row.comment:
        return _NEVER_RANK if language == "html" else 4
    if not depth or (depth == 1 and language == "dockerfile"):
        if language == "sql":
            late = 1 + min(row.index // 4, 7) if row.parent is not None else 1
            return 0 if row.text[:6].lower() in ("create", "alter ") else late
        if language in _RANKED_LANGUAGES:
            return 0 if row.children or _DEFINES.match(row.text) else 1
        return 0 if row.parent is None or not row.parent.comment else 1
    if (
        row.children
        or row.only is not None
        or language in ("sql", "toml")
        or row.above is not None
        or _DEFINES.match(row.text)
    ):
        return 0
    return 5 if language in SCRIPTS else min(row.index, 1) if row.index < 4 else min(row.index // 4 + 1, 8)


def choose_fitting(
    level: list[TextRow], room: int, *, whole: bool = False, deep: bool = False
) -> tuple[list[TextRow], int]:
    """Choose rows of a level that fit (`whole`: all or none). Return them and the room left, 0 if one is missing."""
    costs = _shorten_level(level, room, deep=deep)
    if whole and sum(costs) > room:
        return [], room
    most = _max_alike(level) if sum(costs) > room else len(level)
    chosen: list[TextRow] = []
    skipped = 0
    for row, cost in zip(level, costs, strict=True):
        if row.shown in ("", "[hidden]"):
            continue
        if cost <= room and len(chosen) < most:
            row.chosen, room = True, room - cost
            chosen.append(row)
        elif skipped == _MAX_SKIPPED_ROWS or room < _MIN_ROW_TOKENS or len(chosen) >= most:
            return chosen, 0
        else:
            skipped += 1
    return chosen, 0 if skipped else room


def _shorten_level(level: list[TextRow], room: int, *, deep: bool) -> list[int]:
    """Write the texts of rows, shortened if they do not fit, the costliest first. Return their tokens."""
    for row in level:
        row.shown, row.full, row.crowded = "", "", False
    costs = [_cost(row, room) for row in level]
    distinct = {(id(row.parent), name_of(row.shown)) for row in level}
    named = len(distinct) > _DISTINCT_SHARE * len(level)
    over = sum(costs) - (2 * room // 3 if any(row.children for row in level) else room)
    for most in (_CODE_CHARS, _SCARCE_CHARS, 0) if over > 0 else ():
        for at in sorted(range(len(level)), key=lambda at: -costs[at]):
            if over > 0 and (most or (named and (level[at].children or not deep))):
                _shorten(level[at], most)
                cost = tokens_of(level[at])
                over, costs[at] = over - costs[at] + cost, cost
    return costs


def _max_alike(level: list[TextRow]) -> int:
    """Return how many rows of a level are shown that does not fit: few of a list whose rows have one shape."""
    bare = [row for row in level if not (row.children or row.full or row.shown.endswith(":"))]
    shapes = {row.text[:60].translate(_NO_WORDS) for row in bare}
    if len(shapes) >= len(bare) // 5 or 2 * len(bare) <= len(level):
        return len(level)
    return _MAX_ALIKE_SHOWN if any(map(str.isalpha, bare[0].text)) else _MAX_NUMBERS_SHOWN


def _shorten(row: TextRow, most: int) -> None:
    """Shorten a row's text to `most` characters. The name stays whole; with 0, only the name stays."""
    text, _, doc = row.shown.partition(" — ") if row.above is not None else (row.shown, "", "")
    name = name_of(text)
    most = max(most, _CODE_CHARS) if row.comment or (most and row.end > row.number) else most
    if row.above is not None and most < _CODE_CHARS:
        row.full, row.shown = row.full or row.shown, f"{name} — {doc}" if most else name
    elif most and len(row.shown) > most and row.above is None:
        short = shorten(row.shown, max(most, len(name) + 1 if name != text else 0))
        cut = short[-1] == "…" and _CUT_BLOCK.match(short, len(name)) is not None
        row.full, row.shown = (
            row.full or row.shown,
            name if cut or not (name == text or short.startswith(name)) else short,
        )
    elif not most and not row.comment and name != row.shown:
        row.full, row.shown = row.full or row.shown, name
    row.crowded = not most and not row.comment


def name_of(text: str) -> str:
    name = _ROW_NAME.match(text)
    return (name[1] or name[0].rstrip()) if name is not None else text


def _cost(row: TextRow, room: int) -> int:
    """Write the text of a row; return its estimated tokens, more than `room` if that is used up."""
    if room <= 0:
        return 1
    row.shown = shown_text(row)
    if _EMPTY_STEP.fullmatch(row.shown):
        row.shown = ""
    if row.shown in ("", "[hidden]"):
        return 0
    if row.above is not None:
        row.full = f"{row.shown} — {shorten(comment_text(row.above), _DOC_CHARS)}"
        most = 0 if DECLARES.match(row.shown) else _CODE_CHARS
        code = shorten(row.shown, max(most, len(name_of(row.shown)) + 1))
        row.shown = f"{code} — {shorten(comment_text(row.above), _DOC_CHARS)}"
        row.full = "" if row.full == row.shown else row.full
    return tokens_of(row)


def tokens_of(row: TextRow) -> int:
    declared = DECLARES.match(row.shown) if row.crowded else None
    own = row.end - row.number > (most_lines(row) if row.crowded else 0)
    return estimate(row.shown[declared.end() :] if declared else row.shown) + (5 if own else 2 if row.crowded else 1)


def most_lines(row: TextRow) -> int:
    """Return how many lines a row may have to share a line with its neighbours."""
    return _MAX_SHARED_DECLARATION_LINES if DECLARES.match(row.shown) else SHARED_LINES
