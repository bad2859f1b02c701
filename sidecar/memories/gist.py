"""Tell when one memory says all that another says, so that a block need not say it twice.

Like `contradiction.py`, right when it speaks and silent otherwise: what is left out here is not told to the agent. The
words of the shorter text all stand in the longer one, which is not much longer, and both forbid or both allow.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sidecar.memories.contradiction import contradicts
from sidecar.text.words import terms

_LONGEST: Final = 400  # characters: a longer text says many things
_FEWEST: Final = 2  # words that say something
_LEAST_SHARE: Final = 0.5  # of the words of the longer text
# What hardly changes what a wish says. Words that negate are counted apart.
_FILLERS: Final = frozenset(
    term
    for word in (
        "always please must should use used using prefer need want user here repo project rather instead"
    ).split()
    for term in terms(word)
)
_NEGATIONS: Final = frozenset("not no never don't doesn't isn't cannot can't avoid without".split())
_EITHER: Final = frozenset("instead rather over than".split())


class Gist(NamedTuple):
    """What a short text says: its words, whether it forbids something, and the text."""

    words: frozenset[str]
    forbids: bool
    text: str


def gist_of(text: str) -> Gist | None:
    """The gist; None of a text that is too long or too short to be compared."""
    if len(text) > _LONGEST:
        return None
    words = frozenset(terms(text)) - _FILLERS
    plain = {word.strip(".,;:!?()`'\"") for word in text.casefold().replace("’", "'").split()}
    forbids = bool(plain & _NEGATIONS or plain & _EITHER)
    return Gist(words, forbids, text) if len(words) >= _FEWEST else None


def says_all(longer: Gist, shorter: Gist) -> bool:
    """Whether nothing is lost when only the longer one is told."""
    return (
        shorter.words <= longer.words
        and len(shorter.words) >= _LEAST_SHARE * len(longer.words)
        and shorter.forbids == longer.forbids
        and contradicts(shorter.text, longer.text) is None
    )
