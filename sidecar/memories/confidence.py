"""How sure one can be that a memory is about what a query asks: the relevance floor's measure.

A score of BM25 says which memory is best, not whether the best is any good. This measure is absolute: the share of the
query's words that a memory holds, rare words counting up to twice as much as common ones, and words that only say
what to do (`fix`, `run`) half. It does not depend on which other memories match, and hardly on how many there are.

The constants were chosen on a coarse grid so that questions put to the wrong collection (conversations, commit
messages of other repositories) stay below the floor and those put to the right one above; figures stand in
tests/bench/README.md. Between 0 and 0.5 more or less of each they hardly matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sidecar.patterns import lazy
from sidecar.store.lexical import LexicalIndex
from sidecar.text.stems import stem
from sidecar.text.stop_words import TASK_WORDS
from sidecar.text.words import query_words

FLOOR = 0.4
"""A query whose best memory is below this has no answer here: nothing is injected for it."""

_EVEN = 1.0  # added to a rarity of 0 to 1, so that no word counts for nothing
_TASK = 0.5
_SMOOTHING = 50  # documents
_LONG = 6.0  # no more of a query counts than this many of the rarest words: a long one is never held whole
_TASK_STEMS = frozenset(stem(word) for word in TASK_WORDS)

# A short memory is about each of its few words, so that one rare word is enough: `Use pnpm, never npm.` for `npm`.
_SHORT = 4  # distinct terms of a memory, without those that say only what to do or when it was recorded
_SHORT_HELD = 1 / 3  # of those is in the query ...
_SHORT_RARE = 0.55  # ... being that rare, ...
_SHORT_SHARE = 0.15  # ... and so much of the query, at least
_SHORT_SURE = 0.5
_NO_TOPIC = _TASK_STEMS | {stem(word) for word in ("always", "never", "prefer", "avoid", "instead")}
_MONTHS = "january february march april may june july august september october november december".split()
_WHEN = lazy(r"\A(?:[12]\d{3}|" + "|".join(stem(month) for month in _MONTHS) + r")\Z")


class Confidence:
    """Measures memories against one query."""

    def __init__(self, query: str, index: LexicalIndex) -> None:
        self._index = index
        words = list(dict.fromkeys(query_words(query)))
        self._rarities = index.rarities({term for word in words for term in word}, _SMOOTHING)
        self._mass = min(sum(self._weight(word) for word in words), _LONG * (1 + _EVEN))
        # What each term adds: of a word of several terms, its part by rarity.
        self._gains: dict[str, float] = {}
        self._topical = set[str]()
        self._known: dict[frozenset[str], float] = {}
        for word in words:
            parts = sum(self._rarities[term] for term in word)
            for term in set(word) if parts else ():
                share = word.count(term) * self._rarities[term] / parts
                self._gains[term] = self._gains.get(term, 0.0) + self._weight(word) * share
                if self._rarities[term] and not set(word) <= _TASK_STEMS:
                    self._topical.add(term)

    def _weight(self, word: tuple[str, ...]) -> float:
        weight = max(self._rarities[term] for term in word) + _EVEN
        return weight * _TASK if set(word) <= _TASK_STEMS else weight

    def of(self, terms: Iterable[str]) -> float:
        """0 to 1 for a memory that holds these terms of the query; 0 when all it holds says only what to do."""
        held = frozenset(terms)
        if held not in self._known:  # many memories hold the same few words
            self._known[held] = self._measured(held)
        return self._known[held]

    def _measured(self, held: frozenset[str]) -> float:
        if held.isdisjoint(self._topical):
            return 0.0
        return min(1.0, math.fsum([self._gains.get(term, 0.0) for term in held]) / self._mass)

    def short(self, id: str, terms: Iterable[str], sure: float) -> float:
        """What a short memory that is about a rare word of the query is sure of at least; 0 for all others.

        `sure` is `of(terms)`.
        """
        held = frozenset(terms)
        rare = {term for term in held - _NO_TOPIC if self._rarities.get(term, 0.0) >= _SHORT_RARE}
        if not rare or sure < _SHORT_SHARE:
            return 0.0
        own = {term for term in self._index.terms_of(id) if term not in _NO_TOPIC and not _WHEN.match(term)}
        return _SHORT_SURE if len(own) <= _SHORT and len(rare) >= _SHORT_HELD * len(own) else 0.0
