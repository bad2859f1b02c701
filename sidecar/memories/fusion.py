"""Two measures of how well memories match, made one: words (BM25) and meaning (cosine of embeddings).

Each is divided by the best that any memory reaches, so that both go from 0 to 1 whatever their units, and the two are
added by weight. Fusing ranks instead (reciprocal rank fusion) was measured to make results worse (DESIGN.md,
"Retrieval"): it forgets by how much the best is better.
"""

from __future__ import annotations

from collections.abc import Mapping

_LEAST = 0.5  # of the best cosine, for what has no word of the query


def fuse(words: Mapping[str, float], meaning: Mapping[str, float], weight: float) -> dict[str, float]:
    """Scores of 0 to 1 of every memory in `words`, and of others close in meaning; `weight` is the share of meaning.

    `meaning` holds cosines, those below zero counting as zero; without any above it the words alone decide.
    """
    best = max(words.values(), default=0.0)
    closest = max(meaning.values(), default=0.0)
    if closest <= 0.0:
        return {id: score / best for id, score in words.items()} if best > 0.0 else {}
    by_word = (1.0 - weight) / best if best > 0.0 else 0.0
    by_meaning = weight / closest
    fused = {
        id: by_word * score + by_meaning * (cosine if (cosine := meaning.get(id, 0.0)) > 0.0 else 0.0)
        for id, score in words.items()
    }
    for id, cosine in meaning.items():
        if id not in words and cosine >= _LEAST * closest:
            fused[id] = by_meaning * cosine
    return fused
