"""Remove secrets from a file's text before anything is made of it.

Searching every line for all kinds of secrets costs eight times as much as an outline. So only suspicious lines and
their neighbours are searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.text.lazy_patterns import lazy

_MIN_VALUE_CHARS = 16
# For text of one byte a character: each digit becomes a zero, and what is in no token a blank.
_TO_TOKENS = bytes(
    ord("0") if chr(byte).isdecimal() else byte if chr(byte).isalnum() or byte in b"_+/=.~:-" else ord(" ")
    for byte in range(256)
)
_TOKEN = re.compile(rb" [^ ]{%d,}" % _MIN_VALUE_CHARS)
_LONG_WORD = re.compile(rb"[a-z]{28}")
_WIDE_LETTER = lazy(r"(?![\x00-\xff])\w")
_VALUE_PATTERN = r"[^\n]{0,80}[^\s\"'`]{8}"
_TABLE_CELL_PATTERN = r"\w*[^\S\n]*\|"
# Signs of a secret in lower-case text, and what must follow each. Faster than one pattern for all.
_PATTERN_AFTER_SIGN = {
    **dict.fromkeys(("-----begin", "passw", "passphrase", "pwd"), lazy("")),
    "://": lazy(r"[^\s/@]+@"),
    "key": lazy(rf"(?:\b|[\"'`]?\s*[:=|]){_VALUE_PATTERN}|{_TABLE_CELL_PATTERN}"),
    **dict.fromkeys(("secret", "token"), lazy(f"{_VALUE_PATTERN}|{_TABLE_CELL_PATTERN}")),
    **dict.fromkeys(("credential", "auth", "bearer"), lazy(_VALUE_PATTERN)),
}

# As `\b(?:is|was) `, but beginning with letters, which are searched for faster.
_SENTENCE = lazy(r"(?:is |was )(?<!\wis )(?<!\wwas )(?:the|our|my|a) (?:[\w-]+ ){0,3}(?:key|token|secret|credential)")
# Lines before and after are also searched: a value may be on the line below its name.
_LINES_ASIDE = 1
# The longest key or table.
_MAX_BLOCK_LINES = 120


def without_secrets(text: str) -> str:
    """Replace secrets with marks. The number of lines stays."""
    lines, suspect = _suspect_lines(text)
    if not suspect:
        return text
    from sidecar.text.secrets import remove_secrets_of

    return remove_secrets_of(text, "\n".join(lines[at] for at in sorted(suspect)))


def without_suspects(text: str) -> str:
    """Leave out the lines that may hold a secret, and their neighbours, in a fifth of the time."""
    lines, suspect = _suspect_lines(text)
    return "\n".join([line for at, line in enumerate(lines) if at not in suspect]) if suspect else text


def _suspect_lines(text: str) -> tuple[list[str], set[int]]:
    """Return all lines, and the numbers of those to search; no lines if there are none to search."""
    places = _suspect(text)
    suspect: set[int] = set()
    lines = text.split("\n") if places else []
    for at in _lines(text, places):
        line = lines[at]
        block = _MAX_BLOCK_LINES if "-----BEGIN" in line or "|" in line or "PuTTY" in line else _LINES_ASIDE
        suspect.update(range(max(0, at - _LINES_ASIDE), min(len(lines), at + block + 1)))
    return lines, suspect


def _suspect(text: str) -> list[int]:
    """Return the offsets at which a secret or the name of one may begin."""
    low = text.lower()
    if len(low) != len(text):  # some letter becomes two in lower case
        low = "".join(char if len(lower := char.lower()) > 1 else lower for char in text)
    places = list(_generated(low))
    for sign, after in _PATTERN_AFTER_SIGN.items():
        places += _at(low, sign, after)
    if any(name in low for name in ("key", "token", "secret", "credential")):
        places += [match.start() for match in _SENTENCE.finditer(low)]
    return places


def _at(text: str, sign: str, after: re.Pattern[str]) -> Iterator[int]:
    """Yield, for each line, the first offset of `sign` that the pattern `after` follows."""
    at = text.find(sign)
    while at >= 0:
        end = at + len(sign)
        if after.match(text, end):
            yield at
            if (end := text.find("\n", end)) < 0:
                return
        at = text.find(sign, end)


def _generated(low: str) -> Iterator[int]:
    """Yield the offsets of long tokens that have a digit or a very long word."""
    try:
        data = f" {low}".encode("latin-1")
    except UnicodeEncodeError:
        narrow = _WIDE_LETTER.sub(lambda match: "0" if match[0].isdecimal() else "µ", low)
        data = f" {narrow}".encode("latin-1", "replace")
    for match in _TOKEN.finditer(data.translate(_TO_TOKENS)):
        if b"0" in match[0] or _LONG_WORD.search(match[0]):
            yield match.start()  # of the blank before the token, in a text that begins with one more


def _lines(text: str, places: list[int]) -> set[int]:
    """Return the numbers, from 0, of the lines that contain the offsets `places`."""
    numbers: set[int] = set()
    line = at = 0
    for place in sorted(places):
        line += text.count("\n", at, place)
        at = place
        numbers.add(line)
    return numbers
