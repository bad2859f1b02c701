"""Which memories match a query, how well beside each other, and how sure it is that any of them is an answer.

Words and meaning are fused (`fusion.py`), a share of each score goes to what was recorded beside it (`neighbours.py`),
and the query's confidence (`confidence.py`) tells whether the best is any good. Search and injection both ask here, so
what one finds the other ranks alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest

from sidecar.memories.catalogue import Catalogue
from sidecar.memories.confidence import FLOOR, Confidence
from sidecar.memories.fusion import fuse
from sidecar.memories.neighbours import spread
from sidecar.memories.selection import Selection

_LOOKED_AT = 30  # best matches among which the surest is sought
_MEANING_ALONE = 0.9  # of the floor: without a word in common nothing is sure


@dataclass(frozen=True)
class Match:
    """`shares` are the scores of all that match as shares of the best one, (0, 1].

    `beside` names, for each that matches by its neighbourhood alone, the match it was recorded beside. `meaning` holds
    cosines, and is empty while there are no embeddings. `confidence` is that of the surest of the best matches, 0 to 1.
    """

    shares: dict[str, float]
    confidence: float = 0.0
    beside: Mapping[str, str] = field(default_factory=dict)
    meaning: Mapping[str, float] = field(default_factory=dict)
    _measure: Confidence | None = None

    @property
    def convinced(self) -> bool:
        """Whether the query has an answer here."""
        return self.confidence >= FLOOR

    def sure(self, id: str, terms: Iterable[str]) -> float:
        """The confidence in one memory, that holds these terms of the query."""
        return 0.0 if self._measure is None else self._measure.of(terms)


def match(catalogue: Catalogue, query: str, selection: Selection) -> Match:
    """Every selected memory that matches. Used inside `with catalogue.current()`."""
    words = catalogue.search(query, selection)
    scores = fuse(words, {}, 0.0)
    if not scores:
        return Match({})
    raised, beside = spread(scores, catalogue.around, selection.ids)
    best = max(raised.values())
    shares = {id: score / best for id, score in raised.items()}
    measure = Confidence(query, catalogue.index)
    held = catalogue.index.matches(query, strongest(shares, _LOOKED_AT)).held
    confidence = max(measure.of(terms) for _, terms in held.values())
    return Match(shares, confidence, beside, {}, measure)


def strongest(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids of the best scores, best first, ties by id; scores are exact, so the cut is the same everywhere."""
    if len(scores) > most:
        least = nlargest(most, scores.values())[-1]
        scores = {id: score for id, score in scores.items() if score >= least}
    return sorted(scores, key=lambda id: (-scores[id], id))[:most]
