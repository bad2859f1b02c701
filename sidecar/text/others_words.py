"""Separate a user's own words from mail, chat and other text quoted in the same message.

An introduction ("Translate into French: ...") announces other people's text up to the end of its paragraph, or of the
message if the line ends with the colon. A letter runs from its greeting or header to its sign-off; a chat, from its
first line with a time to its last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import lazy, patterns

_PATTERNS: Final = patterns(Path(__file__), "others")
# A quotation of several sentences; a shorter quotation is read as part of its sentence.
_QUOTED: Final = lazy(
    r"(?<![^\s(:])\"(?=\S)[^\"\n]*[.!?]\s[^\"\n]*(?<=\S)\"(?!\w)|“[^“”]*[.!?]\s[^“”]*”|„[^„“”]*[.!?]\s[^„“”]*[“”]"
    r"|«[^«»]*[.!?]\s[^«»]*»"
)
_MAX_NAME_LINE_CHARS: Final = 40
# This many lines make a conversation without times.
_MIN_TURNS: Final = 3


def own_words(text: str) -> str:
    """Return a message without other people's words. Each remaining line is whole, or ends after an introduction."""
    lines = [line.rstrip() for line in _QUOTED.sub('""', text).split("\n")]
    theirs = {*_chat(lines), *_letters(lines)}
    own_lines: list[str] = []
    rest_of_paragraph = False
    for number, line in enumerate(lines):
        rest_of_paragraph = rest_of_paragraph and bool(line.strip())
        if number in theirs or rest_of_paragraph:
            own_lines.append("")
        elif introduction := _PATTERNS["introduces"].match(line):
            own_lines.append(introduction[0])
            rest_of_paragraph = True
        else:
            own_lines.append(line)
    return "\n".join(own_lines)


def _chat(lines: list[str]) -> Iterator[int]:
    stamped = [number for number, line in enumerate(lines) if _PATTERNS["stamped"].match(line)]
    if stamped and (len(stamped) > 1 or _PATTERNS["surely_stamped"].match(lines[stamped[0]])):
        yield from range(stamped[0], _end_of_paragraph(lines, stamped[-1]))
    turns = [(number, turn[1]) for number, line in enumerate(lines) if (turn := _PATTERNS["turn"].match(line))]
    speakers = Counter(speaker for _, speaker in turns)
    if len(turns) >= _MIN_TURNS and 1 < len(speakers) < len(turns):
        yield from (number for number, _ in turns)


def _letters(lines: list[str]) -> Iterator[int]:
    ends = {number for number in range(len(lines)) if _is_sign_off(lines, number)}
    last_end = max(ends, default=-1)
    headers = {number for number, line in enumerate(lines) if _PATTERNS["header"].match(line)}
    announced = {number for number, line in enumerate(lines) if _PATTERNS["announces"].match(line)}
    start: int | None = None
    free = 0  # the first line that belongs to no letter yet
    for number, line in enumerate(lines):
        if start is None and (
            (number in headers and (number + 1 in headers or last_end > number))
            or (last_end > number and _PATTERNS["greeting"].match(line))
            or number - 1 in announced
        ):
            start = number
        if number in ends and (start is not None or _PATTERNS["formal"].match(line)):
            end = _end_of_paragraph(lines, number)
            yield from range(free if start is None else start, end)
            start, free = None, end
    if start is not None:
        yield from range(start, len(lines))


def _is_sign_off(lines: list[str], number: int) -> bool:
    """Return whether a line closes a letter, with its writer's name on it or below."""
    closing = _PATTERNS["sign_off"].match(lines[number])
    if closing is None:
        return False
    name = closing["name"].strip() or (lines[number + 1].strip() if number + 1 < len(lines) else "")
    return 0 < len(name) <= _MAX_NAME_LINE_CHARS and name[-1] not in ".!?:"


def _end_of_paragraph(lines: list[str], number: int) -> int:
    return next((index for index in range(number, len(lines)) if not lines[index].strip()), len(lines))
