"""How sure one can be that a memory is about what a query asks: the relevance floor's measure.

A score of BM25 says which memory is best, not whether the best is any good. This measure is absolute: the share of the
query's words that a memory holds, rare words counting up to twice as much as common ones, and words that only say
what to do (`fix`, `run`) half. It does not depend on which other memories match, and hardly on how many there are.

The constants were chosen on a coarse grid so that questions put to the wrong collection (conversations, commit
messages of other repositories) stay below the floor and those put to the right one above; figures stand in
tests/bench/README.md. Between 0 and 0.5 more or less of each they hardly matter.
"""

from __future__ import annotations

from collections.abc import Iterable

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


class Confidence:
    """Measures memories against one query."""

    def __init__(self, query: str, index: LexicalIndex) -> None:
        words = list(dict.fromkeys(query_words(query)))
        self._rarities = index.rarities({term for word in words for term in word}, _SMOOTHING)
        self._words = [(word, self._weight(word), set(word) <= _TASK_STEMS) for word in words]
        self._mass = min(sum(weight for _, weight, _ in self._words), _LONG * (1 + _EVEN))

    def _weight(self, word: tuple[str, ...]) -> float:
        weight = max(self._rarities[term] for term in word) + _EVEN
        return weight * _TASK if set(word) <= _TASK_STEMS else weight

    def of(self, terms: Iterable[str]) -> float:
        """0 to 1 for a memory that holds these terms of the query; 0 when all it holds says only what to do."""
        held = frozenset(terms)
        found, topical = 0.0, False
        for word, weight, task in self._words:
            common = sum(self._rarities[term] for term in word if term in held)
            if common:
                found += weight * common / sum(self._rarities[term] for term in word)
                topical = topical or not task
        return min(1.0, found / self._mass) if topical else 0.0
