"""Tell whether two statements ask for the same, in whatever words: how a candidate is confirmed by being said again.

`gist.py` asks more, since what it folds is not told to the agent; here a wrong yes makes a memory of something that was
said twice in like words, and a no leaves a wish unheard.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sidecar.memories.gist import denied_by, gist_of
from sidecar.text.words import terms

_LEAST: Final = 0.6  # of the words of the shorter one, and half of that of the longer one
_FEWEST: Final = 2


class Wish(NamedTuple):
    """The words of a statement that tell something, and those that it denies."""

    words: frozenset[str]
    denied: frozenset[str]
    text: str


def wish_of(text: str) -> Wish:
    """What a statement asks for."""
    gist = gist_of(text)
    if gist is None:
        return Wish(frozenset(terms(text)), frozenset(), text)
    return Wish(gist.words, denied_by(gist), text)


def same(one: Wish, other: Wish) -> bool:
    """Whether both ask for the same."""
    if one.words == other.words:
        return one.denied == other.denied
    shared = one.words & other.words
    if len(shared) < _FEWEST or bool(one.denied & shared) != bool(other.denied & shared):
        return False
    shorter, longer = sorted((len(one.words), len(other.words)))
    return len(shared) >= _LEAST * shorter and len(shared) >= _LEAST / 2 * longer
