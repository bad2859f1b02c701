"""When to advise reading the file instead of its briefing."""

from __future__ import annotations

import re
from collections.abc import Sequence

SHORT_LINES = 50
"""With fewer lines, a file costs little more than its briefing."""

MEDIUM_LINES = 100
"""With at most this many lines, a file is worth more than a briefing that omits names."""

LITTLE_SAVED = 0.95
"""From this share of the file's tokens on, a briefing saves too little."""

LARGE_TOKENS = 20_000
"""With more tokens, reading the whole file is never advised."""


_LEFT_OUT = re.compile(r"(?:… and|\(\+)\s?([\d,]{1,12})(?: more| members?\b|\))")


def _left_out(text: str) -> int:
    return sum(int(number.replace(",", "") or 0) for number in _LEFT_OUT.findall(text))


def advice(
    lines: int,
    file_tokens: int,
    summary_tokens: int,
    intent: str,
    partial: bool,
    unparsed: Sequence[tuple[int, int]] = (),
    text: str = "",
) -> str | None:
    """Return one short sentence that says why to read the file itself; None if the briefing will do.

    `intent` is `explore` or `edit`. `partial` means that parts of the file could not be parsed; `unparsed` has their
    lines, where known. `text` is the briefing. The most pressing reason wins: an edit, then an incomplete briefing,
    then a small file.
    """
    if intent == "edit":
        return "Read the file before you edit it: an edit needs its exact text."
    if partial and unparsed:
        where = ", ".join(f"{start}-{end}" if end > start else str(start) for start, end in unparsed)
        return f"Read L{where} where details matter: it could not be parsed."
    if partial and file_tokens > LARGE_TOKENS:
        return "Search the file where details matter: it is large, and could only be parsed in part."
    if partial:
        return "Read the file where details matter: it could only be parsed in part."
    if lines == 0:
        return "The file is empty."
    if lines < SHORT_LINES:
        return f"Read the file itself: it has only {lines} {'line' if lines == 1 else 'lines'}."
    if file_tokens and summary_tokens >= LITTLE_SAVED * file_tokens:
        return "Read the file itself: this briefing saves little."
    left = _left_out(text) if lines <= MEDIUM_LINES else 0
    if left:
        names = "name" if left == 1 else "names"
        return f"Read the file itself: it has only {lines} lines, and this briefing leaves out {left} {names}."
    return None
