"""The formulas of a memory's standing weight, by clock, category and verdicts.

With a query, the match decides, and standing weight only nudges by a factor in [0.9, 1], since as a free factor it
halved recall.
"""

from __future__ import annotations

DAY = 86_400_000  # milliseconds
HALF_AGE_DAYS = 30  # after which a memory that nobody updates has half its weight
NUDGE_FLOOR = 0.9  # the least factor by which standing weight changes a match
OVERLAP_BONUS = 0.5  # added to the match of a memory about a file in play or a name in the prompt
SUSPECT_PENALTY = 0.5  # factor of the weight of a suspect memory
PER_VERDICT = 1.25  # chosen, not fitted: none of our data has verdicts
MAX_VOTES = 4  # so that no memory is raised or buried for good
DIGITS = 9  # to which scores are rounded, so that the order of additions in an index cannot change a ranking

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


def verdict(useful: int, not_useful: int) -> int:
    """Return the sum of the verdicts on a memory, from -4 (not useful) to 4."""
    return max(-MAX_VOTES, min(MAX_VOTES, useful - not_useful))


def timeless_weight(relevance: float, category: str | None, status: str, votes: int = 0) -> float:
    """Return the part of the standing weight that depends neither on the clock nor on use; `votes` is a `verdict`."""
    weight = relevance * CATEGORY_WEIGHT.get(category or "fact", 1.0) * PER_VERDICT**votes
    return weight * SUSPECT_PENALTY if status == "suspect" else weight


def decay(updated_at: int, now: int) -> float:
    """Return 1 / (1 + days / 30), where `days` counts the midnights (UTC) since the update."""
    return 1.0 / (1.0 + max(0, now // DAY - updated_at // DAY) / HALF_AGE_DAYS)


def nudge(weight: float, status: str = "active") -> float:
    """Return a standing weight as a factor in [0.9, 1), least if the memory is suspect."""
    positive = 0.0 if status == "suspect" else max(0.0, weight)
    return NUDGE_FLOOR + (1.0 - NUDGE_FLOOR) * positive / (1.0 + positive)


def round_score(score: float) -> float:
    return round(score, DIGITS)
