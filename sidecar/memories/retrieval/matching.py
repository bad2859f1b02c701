"""Match memories with a query, for search (`searching.py`) and injection (`choosing.py`) alike.

The scores of words (BM25) and of meaning (cosines) are each divided by the best one, weighted and added; fusing ranks
instead was measured to be worse. A memory then gives a share of its score to the memories recorded just before and
after it in the same session. Windows of one to three places were measured; best were two places on each side, with a
falling share (tests/bench/README.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from math import isnan
from operator import neg

import msgspec

from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.selection import Selection
from sidecar.memories.retrieval.confidence import Confidence, Evidence
from sidecar.store.columns import ones, weighted_sum
from sidecar.store.scores import Scores, best_places, pick

NEIGHBOURS_SHARE = 0.25  # share of a match's score that its neighbours get, since they often hold the answer
SHARE_DECAY = 0.7  # by which the share falls with each further place
_MAX_SHARING_MATCHES = 100  # best matches that give a share; a weaker match's share would change no first page
_MIN_COSINE = 0.5  # a memory without a word of the query needs this share of the best cosine
MAX_WORD_MATCHES = 1_000  # matches by words that are ranked, and so can be listed page by page
MAX_ESTIMATED_MATCHES = 60  # best matches whose probability is estimated
WORDS_ALONE = ""  # stands for a model's name where nothing is compared by meaning


def fuse(
    ids: Sequence[str], words: Sequence[float], meaning: Scores, weight: float
) -> tuple[Sequence[str], Sequence[float]]:
    """Return `ids` with fused scores (0 to 1) in the same order, followed by other memories close in meaning.

    `words` and the column of `meaning` are in the order of `ids`; `weight` is the share of meaning. If no cosine is
    positive, words alone decide.
    """
    highest = max(words, default=0.0)
    closest = meaning.greatest(0.0)
    if closest <= 0.0:
        return (ids, [score / highest for score in words]) if highest > 0.0 else ((), ())
    by_word = (1.0 - weight) / highest if highest > 0.0 else 0.0
    by_meaning = weight / closest
    fused = [
        by_word * score + by_meaning * cosine if cosine > 0.0 else by_word * score
        for score, cosine in zip(words, meaning.column, strict=True)
    ]
    others = set(meaning.few).difference(ids)
    near = [id for id in others if meaning.few[id] >= _MIN_COSINE * closest]
    return [*ids, *near], fused + [by_meaning * meaning.few[id] for id in near]


class Match(msgspec.Struct, frozen=True):
    """How the selected memories match a query."""

    shares: Scores = msgspec.field(default_factory=Scores)  # scores divided by the best one: (0, 1]
    best: Sequence[str] = ()  # the ids of the `MAX_ESTIMATED_MATCHES` best, best first
    # for a memory without a score of its own, the best match beside it
    recorded_next_to: Mapping[str, str] = msgspec.field(default_factory=dict)
    meaning: Scores = msgspec.field(default_factory=Scores)  # cosines
    _confidence: Confidence | None = None

    def evidence(self, ids: Collection[str]) -> dict[str, Evidence]:
        return {} if self._confidence is None else self._confidence.evidence(ids)

    def likely(self, ids: Collection[str]) -> dict[str, float]:
        return {id: evidence.probability for id, evidence in self.evidence(ids).items()}


def share_with_neighbours(
    scores: Mapping[str, float], neighbours_of: Callable[[str], list[tuple[str, int]]], allowed: Container[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return two values: the scores with the shares that allowed neighbours get, and where shares come from.

    The latter names, for each memory without a score of its own, the best match beside it.
    """
    givers = strongest(scores, _MAX_SHARING_MATCHES, ties=True)
    raised = dict(scores)
    next_to: dict[str, str] = {}
    for giver in givers:
        for id, distance in neighbours_of(giver):
            if id not in allowed:
                continue
            gain = NEIGHBOURS_SHARE * SHARE_DECAY ** (distance - 1) * scores[giver]
            raised[id] = raised.get(id, 0.0) + gain
            if id not in scores:
                next_to.setdefault(id, giver)
    return raised, next_to


def match(index: MemoryIndex, query: str, selection: Selection, *, by_meaning: bool = True) -> Match:
    """Match every selected memory by words and, if possible, by meaning; the caller holds the index."""
    matching_ids, words = index.search(query, selection, MAX_WORD_MATCHES)
    answer = index.meaning.compare(query, selection.ids, matching_ids) if by_meaning else None
    cosines, weight = (Scores(), 0.0) if answer is None else (answer.cosines, answer.share)
    ids, scores = fuse(matching_ids, words, cosines, weight)
    if not ids:
        return Match()
    next_to: dict[str, str] = {}
    if index.in_sessions:
        raised, next_to = share_with_neighbours(dict(zip(ids, scores, strict=True)), index.neighbours, selection.ids)
        ids, scores = list(raised), list(raised.values())
    shares = weighted_sum(array("d", scores), ones(len(scores)), 1.0 / max(scores), 0.0)
    places = best_places(shares, MAX_ESTIMATED_MATCHES, (1.0, 0.0))
    first = sorted(zip(map(neg, pick(shares, places)), pick(ids, places), places, strict=True))[:MAX_ESTIMATED_MATCHES]
    top = {id: -share for share, id, _ in first}
    for _, id, at in first:
        if at < len(cosines.column) and not isnan(cosines.column[at]):
            cosines.few[id] = cosines.column[at]
    confidence = Confidence(query, index.words, answer, list(top), index.ratings)
    return Match(Scores(top, ids, shares), list(top), next_to, cosines, confidence)


def strongest(scores: Mapping[str, float], limit: int, *, ties: bool = False) -> list[str]:
    """Return the ids of the `limit` best scores; of equal scores, the lesser id comes first.

    With `ties`, also return all ids whose score equals the last one's.
    """
    if len(scores) > limit:
        least = sorted(scores.values())[-limit]
        scores = {id: score for id, score in scores.items() if score >= least}
    return sorted(scores, key=lambda id: (-scores[id], id))[: None if ties else limit]
