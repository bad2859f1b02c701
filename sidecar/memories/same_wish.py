"""Tell whether two statements ask for the same, in whatever words: how a candidate is confirmed by being said again.

`gist.py` asks more, since what it folds is not told to the agent; here a wrong yes makes a memory of two wishes in like
words, and a wrong no leaves one unheard. The share was read off all pairs of statements in eight public repositories
whose sessions are references in the issue's data; pairs that share less are about other things more often than not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from sidecar.memories.gist import denied_by, gist_of
from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import terms

_LEAST: Final = 0.45  # of the words of both (Jaccard)
_FEWEST: Final = 2
_CLOSE: Final = 0.6
_CLOSE_FEWEST: Final = 3
_WITHIN_FEWEST: Final = 4
_FRAME: Final = frozenset(
    term
    for word in (
        "able allow also ensure give going just keep let like make remember sure time way "
        "debe deberia deben hay necesito puede quiero ser tiene que la los las del una con para por "
        "bitte ich immer möchte muss nie soll wir und der die das nicht "
        "dois faut jamais toujours veux les des une dans pour "
        "deve nunca preciso quero sempre uma com não"
    ).split()
    for term in terms(word)
)
"""How wishes are put, in six languages: what they are about stands beside it."""


_NAME: Final = lazy(r"`([^`]+)`|\b([\w.]*\d[\w.]*)")


class Wish(NamedTuple):
    """The words of a statement that tell something, those that it denies, and what it names exactly."""

    words: frozenset[str]
    denied: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=4_000)
def wish_of(text: str) -> Wish:
    """What a statement asks for."""
    names = frozenset(code or number for code, number in _NAME.findall(text.casefold()))
    gist = gist_of(text)
    if gist is None:
        words = frozenset(terms(text))
        return Wish(words - _FRAME or words, frozenset(), names)
    told = gist._replace(words=gist.words - _FRAME or gist.words)
    return Wish(told.words, denied_by(told), names)


def same(one: Wish, other: Wish) -> bool:
    """Whether both ask for the same."""
    if one.names - other.names and other.names - one.names:
        return False
    if one.words == other.words:
        return one.denied == other.denied
    shared = one.words & other.words
    if len(shared) < _FEWEST or bool(one.denied & shared) != bool(other.denied & shared):
        return False
    return len(shared) >= _LEAST * len(one.words | other.words)


def close(one: Wish, other: Wish) -> bool:
    """Whether both ask for the same in much the same words, or one adds to what the other says."""
    shared = len(one.words & other.words)
    both, fewer = len(one.words | other.words), min(len(one.words), len(other.words))
    much = shared >= _CLOSE_FEWEST and shared >= _CLOSE * both
    within = shared >= _WITHIN_FEWEST and shared == fewer
    return same(one, other) and (much or within or shared == both)
