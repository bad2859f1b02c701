"""Estimate the probability that a memory bears on a prompt, for search, injection, hooks and MCP alike.

The estimate is a logistic regression over the words that memory and prompt share, weighted by their rarity in this
store, and over their closeness in meaning. `tests/bench/calibrate.py` fits the coefficients (`calibration.py`) to
judged prompts, separately for each kind of model.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from operator import mul
from types import MappingProxyType
from typing import Final, NamedTuple

from sidecar.memories.index.meaning import OTHER_KIND, QueryCosines
from sidecar.memories.retrieval.calibration import COEFFICIENTS, MEANS
from sidecar.store.lexical import LexicalIndex, Overlap
from sidecar.store.scores import Scores
from sidecar.text.words import query_words

MISTAKE_TOKENS: Final = 550  # cost of not showing a memory: a wrong attempt and its repair, or a question
MIN_LINE_PROBABILITY: Final = 30 / MISTAKE_TOKENS  # least probability at which a memory is worth its line of 30 tokens
MIN_BLOCK_PROBABILITY: Final = (30 + 40) / MISTAKE_TOKENS  # the same for a line and a fence of 40 tokens around it
SURE_PROBABILITY: Final = 0.5  # more likely to matter than not
MIN_SHARE_OF_LIKELIEST: Final = 0.1  # least share of the likeliest memory's probability that another memory needs
LOG_ODDS_PER_RATING: Final = math.log(2)
"""Log odds of one rating, which halves or doubles the odds. Chosen, not fitted: no judged prompt has ratings."""
_MAX_PROMPT_WORDS = 60  # words read of a prompt: a longer prompt quotes more than it asks
_NO_MEANING: Final = QueryCosines(Scores(), 0.0, 0.0, "words", 0.0)
_NO_OVERLAP = Overlap(0.0, 0.0, 0.0)
_MIN_DEVIATION = 1e-3  # of cosines, so that nothing is divided by zero

SIGNALS: Final = {
    "rare shared words": "words",
    "its rarest shared word": "words",
    "share of the memory": "words",
    "words of the prompt that any memory knows": "prompt",
    "a prompt of one word": "prompt",
    "place among the matches": "words",
    "closer than the other memories": "meaning",
    "close without a shared word": "meaning",
    "the closest memory of all": "meaning",
    "shared words and closeness": "meaning",
    "a rare shared word and closeness": "meaning",
}
"""The signals that the regression reads, each with its kind of evidence."""


def min_probability_beside(highest_probability: float) -> float:
    """Return the least probability that a memory needs to be shown beside one of probability `highest_probability`."""
    return max(MIN_LINE_PROBABILITY, MIN_SHARE_OF_LIKELIEST * highest_probability)


class Evidence(NamedTuple):
    """The evidence that one memory bears on a prompt."""

    values: tuple[float, ...]  # one for each of `SIGNALS`
    kind: str  # of the embedding model
    votes: int = 0  # the sum of the ratings of people and agents

    @property
    def odds(self) -> float:
        weights = COEFFICIENTS.get(self.kind, COEFFICIENTS[OTHER_KIND])
        return math.fsum(map(mul, weights, (1.0, *self.values))) + LOG_ODDS_PER_RATING * self.votes

    @property
    def probability(self) -> float:
        return 1.0 / (1.0 + math.exp(-self.odds))

    def gains(self) -> dict[str, float]:
        """Return how much each kind of evidence adds to the log odds that an irrelevant memory would have."""
        _, *weights = COEFFICIENTS.get(self.kind, COEFFICIENTS[OTHER_KIND])
        means = MEANS.get(self.kind, MEANS[OTHER_KIND])
        gains: dict[str, float] = {}
        for kind, weight, value, mean in zip(SIGNALS.values(), weights, self.values, means, strict=True):
            gains[kind] = gains.get(kind, 0.0) + weight * (value - mean)
        return gains if not self.votes else {**gains, "verdict": LOG_ODDS_PER_RATING * self.votes}


class Confidence:
    def __init__(
        self,
        prompt: str,
        index: LexicalIndex,
        meaning: QueryCosines | None,
        order: Sequence[str],
        ratings: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._ratings = ratings
        self._words = list(dict.fromkeys(query_words(prompt)))[:_MAX_PROMPT_WORDS]
        self._index = index
        self._meaning = meaning or _NO_MEANING
        self._ranks = {id: number for number, id in enumerate(order)}
        self._nearest = self._meaning.cosines.greatest(self._meaning.mean) - self._meaning.mean

    def evidence(self, ids: Collection[str]) -> dict[str, Evidence]:
        known_share, overlaps = self._index.overlaps(self._words, ids)
        kind = self._meaning.kind
        ratings = self._ratings
        return {
            id: Evidence(self._signals(id, overlaps.get(id, _NO_OVERLAP), known_share), kind, ratings.get(id, 0))
            for id in ids
        }

    def _signals(self, id: str, overlap: Overlap, known_share: float) -> tuple[float, ...]:
        meaning = self._meaning
        cosine = meaning.cosines.get(id)
        close = max(0.0, cosine or 0.0)
        above = 0.0 if cosine is None else cosine - meaning.mean
        return (
            overlap.held * overlap.rarest,
            overlap.rarest,
            overlap.own,
            known_share,
            float(len(self._words) < 2),
            math.log1p(self._ranks.get(id, len(self._ranks))),
            above / max(meaning.deviation, _MIN_DEVIATION),
            0.0 if overlap.held else close,
            self._nearest,
            overlap.held * close,
            overlap.rarest * close,
        )
