"""How memories are weighed. Pure functions of the clock and of counts as they are handed in.

Without a query a memory has a standing weight. With one, match decides and the standing weight only nudges,
bounded to [0.9, 1]: multiplied freely it was measured to halve recall (DESIGN.md, "Retrieval").
"""

from __future__ import annotations

from math import log2

DAY = 86_400_000
HALF_AGE_DAYS = 30
NUDGE_FLOOR = 0.9
OVERLAP_BONUS = 0.5
SUSPECT_PENALTY = 0.5
DIGITS = 9  # scores are rounded, so that the order of additions inside an index cannot change an order here

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


def standing(
    *, relevance: float, updated_at: int, accesses: int, category: str | None, status: str, now: int
) -> float:
    """relevance × 1 / (1 + days since update / 30) × log2(accesses + 2) × category weight.

    An update in the future counts as today. A suspect memory (recorded against another version of a file) counts half.
    """
    return age_free(relevance, category, status) * decay(updated_at, now) * log2(accesses + 2)


def age_free(relevance: float, category: str | None, status: str) -> float:
    """The part of the standing weight that neither the clock nor use changes."""
    weight = relevance * CATEGORY_WEIGHT.get(category or "fact", 1.0)
    return weight * SUSPECT_PENALTY if status == "suspect" else weight


def decay(updated_at: int, now: int) -> float:
    """1 / (1 + days / 30), days being the midnights (UTC) since the update: the same for a whole day."""
    return 1.0 / (1.0 + max(0, now // DAY - updated_at // DAY) / HALF_AGE_DAYS)


def nudge(weight: float, status: str = "active") -> float:
    """A standing weight as a factor in [0.9, 1): monotone, and the same whatever else is ranked with it.

    A suspect memory gets the least, whatever its weight: half of a small weight would hardly lower it.
    """
    positive = 0.0 if status == "suspect" else max(0.0, weight)
    return NUDGE_FLOOR + (1.0 - NUDGE_FLOOR) * positive / (1.0 + positive)


def rounded(score: float) -> float:
    """A score as it is compared and shown."""
    return round(score, DIGITS)
