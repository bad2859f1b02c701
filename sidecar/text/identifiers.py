"""Split identifiers into their words."""

from __future__ import annotations

import unicodedata

from sidecar.text.lazy_patterns import lazy

_ASCII_PARTS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def split_identifier(word: str) -> list[str]:
    """Return an identifier's words, in order and in their own case.

    `parseHTTPHeader2` gives `parse`, `HTTP`, `Header`, `2`: it is split at anything that is neither letter nor digit,
    between digits and letters, and at changes of case. Punctuation alone gives an empty list.
    """
    if word.isascii():
        return _ASCII_PARTS.findall(word)
    parts: list[str] = []
    start, before = 0, ""
    for index, char in enumerate(word):
        kind = _kind(char)
        if kind == "mark" and before:
            continue
        if before == "upper" == kind:
            # The last capital belongs to the small letters after it.
            if index + 1 < len(word) and _kind(word[index + 1]) == "lower":
                parts.append(word[start:index])
                start = index
        elif not (kind == before or (before == "upper" and kind == "lower")):
            if before:
                parts.append(word[start:index])
            start = index
        before = "" if kind == "mark" else kind
    if before:
        parts.append(word[start:])
    return parts


def _kind(char: str) -> str:
    """Return `lower` (also letters without case), `upper`, `digit`, `mark` (belongs to the letter before it) or ""."""
    if char.isupper() or char.istitle():
        return "upper"
    if char.isalpha():
        return "lower"
    if char.isdigit():
        return "digit"
    return "mark" if unicodedata.category(char) in ("Mn", "Mc") else ""
