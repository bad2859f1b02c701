"""The formulas of a memory's standing weight: what it is worth by its age, category and ratings, without a query.

With a query, the match decides. Standing weight then only multiplies it by a factor in [0.9, 1]: as an unlimited factor
it halved recall.
"""

from __future__ import annotations

DAY_MS = 86_400_000  # milliseconds
HALF_AGE_DAYS = 30  # after this many days without an update, a memory has half its weight
NUDGE_FLOOR = 0.9  # the least factor by which standing weight changes a match
OVERLAP_BONUS = 0.5  # added to the match of a memory about a file in play or a name in the prompt
SUSPECT_PENALTY = 0.5  # factor of the weight of a suspect memory
WEIGHT_PER_RATING = 1.25  # factor of the weight; chosen by hand, since none of our data has ratings
MAX_RATINGS_COUNTED = 4  # ratings that count, so that none raises or buries a memory for good
SCORE_DIGITS = 9  # of scores; rounding keeps the order of additions in an index from changing a ranking

CATEGORY_WEIGHT = {
    "directive": 1.5,
    "plan": 1.4,
    "blocker": 1.3,
    "decision": 1.2,
    "procedure": 1.1,
    "fact": 1.0,
    "event": 0.9,
    "conversation": 0.6,
}


def rating(useful: int, not_useful: int) -> int:
    """Return the balance of the ratings on a memory, from -4 (not useful) to 4 (useful)."""
    return max(-MAX_RATINGS_COUNTED, min(MAX_RATINGS_COUNTED, useful - not_useful))


def timeless_weight(relevance: float, category: str | None, status: str, votes: int = 0) -> float:
    """Return the part of the standing weight that depends on neither clock nor use; `votes` is a `rating`."""
    weight = relevance * CATEGORY_WEIGHT.get(category or "fact", 1.0) * WEIGHT_PER_RATING**votes
    return weight * SUSPECT_PENALTY if status == "suspect" else weight


def decay(updated_at: int, now: int) -> float:
    """Return 1 / (1 + days / 30); `days` counts the midnights (UTC) since the update."""
    return 1.0 / (1.0 + max(0, now // DAY_MS - updated_at // DAY_MS) / HALF_AGE_DAYS)


def nudge(weight: float, status: str = "active") -> float:
    """Return the factor in [0.9, 1) by which standing weight changes a match; a suspect memory gets a lesser one."""
    positive = 0.0 if status == "suspect" else max(0.0, weight)
    return NUDGE_FLOOR + (1.0 - NUDGE_FLOOR) * positive / (1.0 + positive)


def round_score(score: float) -> float:
    return round(score, SCORE_DIGITS)
