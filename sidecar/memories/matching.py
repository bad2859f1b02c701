"""Which memories match a query, how well beside each other, and how sure it is that any of them is an answer.

Words and meaning are fused (`fusion.py`), a share of each score goes to what was recorded beside it (`neighbours.py`),
and the query's confidence (`confidence.py`) tells whether the best is any good. Search and injection both ask here, so
what one finds the other ranks alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest

import msgspec
from msgspec.structs import replace

from sidecar.memories.catalogue import Catalogue
from sidecar.memories.confidence import FLOOR, Confidence
from sidecar.memories.fusion import fuse
from sidecar.memories.meaning import Asked, Profile
from sidecar.memories.neighbours import spread
from sidecar.memories.selection import Selection

MOST = 1_000
"""Matches by words that are ranked, and so the most that a search can page through, but for ties and neighbours."""

_LOOKED_AT = 30  # best matches among which the surest is sought
_MEANING_ALONE = 0.9  # of the floor is the most that a cosine gives which its model's profile does not trust


_NO_MEANING = Asked({}, Profile(0.0))
WORDS_ALONE = ""
"""In place of a model's name: nothing is compared by meaning."""


class Match(msgspec.Struct, frozen=True):
    """`shares` are the scores of all that match as shares of the best one, (0, 1].

    `beside` names, for each that matches by its neighbourhood alone, the match it was recorded beside. `meaning` holds
    cosines, and is empty while there are no embeddings. `confidence` is that of the surest of the best matches, 0 to 1.
    """

    shares: dict[str, float]
    confidence: float = 0.0
    beside: Mapping[str, str] = msgspec.field(default_factory=dict)
    meaning: Mapping[str, float] = msgspec.field(default_factory=dict)
    _profile: Profile = _NO_MEANING.profile
    _measure: Confidence | None = None

    @property
    def convinced(self) -> bool:
        """Whether the query has an answer here."""
        return self.confidence >= FLOOR

    def sure(self, id: str, terms: Iterable[str]) -> float:
        """The confidence in one memory, that holds these terms of the query."""
        if self._measure is None:
            return 0.0
        held = tuple(terms)
        cosine = max(0.0, self.meaning.get(id, 0.0))
        by_words = self._measure.of(held) if held else 0.0
        if self._profile.trust and cosine:
            found = min(1.0, max(0.0, by_words + self._profile.trust * (cosine - self._profile.typical)))
        else:
            found = max(by_words, _MEANING_ALONE * FLOOR * cosine)
        return max(found, self._measure.short(id, held, by_words)) if held and found < FLOOR else found

    def topical(self, terms: Iterable[str]) -> bool:
        """Whether these terms of the query say more than what to do."""
        return self._measure is not None and self._measure.of(terms) > 0.0


def match(catalogue: Catalogue, query: str, selection: Selection, *, by_meaning: bool = True) -> Match:
    """Every selected memory that matches, by meaning as well if it can be. Used inside `with catalogue.current()`."""
    words = catalogue.search(query, selection, MOST)
    asked = catalogue.meaning.ask(query, selection.ids, words.keys()) if by_meaning else None
    asked = asked or _NO_MEANING
    scores = fuse(words, asked.cosines, asked.profile.weight)
    if not scores:
        return Match({})
    raised, beside = spread(scores, catalogue.around, selection.ids)
    best = max(raised.values())
    shares = {id: score / best for id, score in raised.items()}
    measure = Confidence(query, catalogue.index)
    found = Match(shares, 0.0, beside, asked.cosines, asked.profile, measure)
    held = catalogue.index.matches(query, strongest(shares, _LOOKED_AT)).held
    return replace(found, confidence=max(found.sure(id, terms) for id, (_, terms) in held.items()))


def strongest(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids of the best scores, best first, ties by id; scores are exact, so the cut is the same everywhere."""
    if len(scores) > most:
        least = nlargest(most, scores.values())[-1]
        scores = {id: score for id, score in scores.items() if score >= least}
    return sorted(scores, key=lambda id: (-scores[id], id))[:most]
