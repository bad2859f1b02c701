"""Which memories match a query, how well beside each other, and how likely each is to bear on it.

Words and meaning are fused (`fusion.py`), a share of each score goes to what was recorded beside it (`neighbours.py`),
and `confidence.py` tells how likely it is that each matters. Search and injection both ask here, so what one finds the
other ranks alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from sidecar.memories.catalogue import Catalogue
from sidecar.memories.confidence import Confidence, Evidence
from sidecar.memories.fusion import fuse
from sidecar.memories.neighbours import spread
from sidecar.memories.selection import Selection

MOST = 1_000
"""Matches by words that are ranked, and so the most that a search can page through, but for ties and neighbours."""

LOOKED_AT = 60
"""Best matches that are weighed by themselves."""

WORDS_ALONE = ""
"""In place of a model's name: nothing is compared by meaning."""


class Match(msgspec.Struct, frozen=True):
    """`shares` are the scores of all that match as shares of the best one, (0, 1]; `best` are the `LOOKED_AT` best.

    `beside` names, for each that matches by its neighbourhood alone, the match it was recorded beside. `meaning` holds
    cosines, and is empty while there are no embeddings.
    """

    shares: dict[str, float]
    best: Sequence[str] = ()
    beside: Mapping[str, str] = msgspec.field(default_factory=dict)
    meaning: Mapping[str, float] = msgspec.field(default_factory=dict)
    _confidence: Confidence | None = None

    def evidence(self, ids: Collection[str]) -> dict[str, Evidence]:
        """What speaks for each of these memories."""
        return {} if self._confidence is None else self._confidence.of(ids)

    def likely(self, ids: Collection[str]) -> dict[str, float]:
        """The probability of each of these memories to bear on the query."""
        return {id: one.probability for id, one in self.evidence(ids).items()}


def match(catalogue: Catalogue, query: str, selection: Selection, *, by_meaning: bool = True) -> Match:
    """Every selected memory that matches, by meaning as well if it can be. Used inside `with catalogue.current()`."""
    words = catalogue.search(query, selection, MOST)
    asked = catalogue.meaning.ask(query, selection.ids, words.keys()) if by_meaning else None
    cosines = {} if asked is None else asked.cosines
    scores = fuse(words, cosines, 0.0 if asked is None else asked.share)
    if not scores:
        return Match({})
    raised, beside = spread(scores, catalogue.around, selection.ids)
    best = max(raised.values())
    shares = {id: score / best for id, score in raised.items()}
    first = strongest(shares, LOOKED_AT)
    return Match(shares, first, beside, cosines, Confidence(query, catalogue.index, asked, first))


def strongest(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids of the best scores, best first, ties by id; scores are exact, so the cut is the same everywhere."""
    if len(scores) > most:
        least = sorted(scores.values())[-most]
        scores = {id: score for id, score in scores.items() if score >= least}
    return sorted(scores, key=lambda id: (-scores[id], id))[:most]
