"""Word ids, names and counts for people, without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sidecar.text import cutting

SHORT_ID_CHARS = 8
_NAME_DIGEST = re.compile(r" \([0-9a-f]{6}\)$")


def short_id(id: str) -> str:
    """Return the end of an id, which is random; its beginning is a time."""
    return id[-SHORT_ID_CHARS:]


def title(name: str) -> str:
    """Return a memory's name on one line, without the digest that distinguishes two derived names."""
    return _NAME_DIGEST.sub("", printable_line(name))


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun, such as `1 memory`. By default, the plural adds an s."""
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def candidates_waiting(count: int) -> str:
    return f"{counted(count, 'candidate waits', 'candidates wait')} to be confirmed"


def did_you_mean(word: str, known_words: Iterable[str], count: int = 2, cutoff: float = 0.5) -> str:
    """Return a question that names the most similar words, after a blank; "" if none is similar."""
    from difflib import get_close_matches  # only for a mistake

    close = get_close_matches(word, list(known_words), count, cutoff)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def printable(text: str) -> str:
    """Return lines that are safe on a terminal, whoever wrote them."""
    return cutting.printable(text, "\n\t")


def printable_line(text: str) -> str:
    return printable(" ".join(text.split()))


def unescape_fence(text: str) -> str:
    """Return a text that was made for a model's fence, with `<` as a person writes it."""
    return text.replace("&lt;", "<")
