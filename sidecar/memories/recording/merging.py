"""Merge two texts, so that nothing is lost and nothing is said twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidecar.text.lazy_patterns import lazy

_BULLET = lazy(r"^\s*(?:[-*•+]|\d+[.)])\s+")
_CLAUSE_END = ".,;:!?。，；：！？)"


class _MarkedWord(NamedTuple):
    text: str
    opens: bool  # begins a line, sentence or clause
    closes: bool  # ends a line, sentence or clause


def contains(text: str, part: str) -> bool:
    """Return whether `text` says `part` as whole lines, sentences or clauses: "never use npm" does not say "use npm".

    Case, white space and bullets do not matter.
    """
    words, wanted = _words(text), _words(part)
    if not wanted:
        return part.strip() in text
    first = wanted[0].text
    length = len(wanted)
    texts = [word.text for word in words]
    sought = [word.text for word in wanted]
    for start in range(len(words) - length + 1):
        if words[start].text != first or not words[start].opens or not words[start + length - 1].closes:
            continue
        if texts[start : start + length] == sought:
            return True
    return False


def merge(text: str, addition: str) -> str:
    """Return the text that contains the other, or both joined.

    `addition` replaces `text` only if it has each line of `text`.
    """
    if contains(text, addition):
        return text
    if contains(addition, text) and all(contains(addition, line) for line in text.splitlines() if line.strip()):
        return addition
    return f"{text}\n{addition}"


def normalised(text: str) -> str:
    """Return a text's words as `contains` compares them: equal for texts that say exactly the same."""
    return " ".join(word.text for word in _words(text)) or text.strip()


def union(old: Iterable[str], added: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *added)))


def _words(text: str) -> list[_MarkedWord]:
    words: list[_MarkedWord] = []
    for line in text.splitlines():
        parts = _BULLET.sub("", line).casefold().split()
        opens = True
        for position, part in enumerate(parts):
            bare = part.rstrip(_CLAUSE_END) or part
            closes = bare != part or position == len(parts) - 1
            words.append(_MarkedWord(bare, opens, closes))
            opens = closes
    return words
