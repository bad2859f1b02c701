"""What was recorded next to a match in the same session: an answer often stands beside the words that were asked for.

A share of each match's score goes to the memories recorded up to `REACH` places before and after it in its session,
less for the farther ones. Two places and a falling share were the best of windows 1 to 3 on conversations, and cost
nothing where sessions hold unrelated memories (tests/bench/README.md).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Container, Mapping

SHARE = 0.25
FALLING = 0.7  # of the share, with each further place
REACH = 2
_GIVERS = 100  # best matches: what weaker ones would give changes no first page

Place = tuple[int, str]


class Sessions:
    """The memories of each session in the order they were recorded."""

    def __init__(self) -> None:
        self._orders: dict[str, list[Place]] = {}

    def add(self, session: str, created_at: int, id: str) -> None:
        """A memory is new, or known again after `remove`."""
        insort(self._orders.setdefault(session, []), (created_at, id))

    def remove(self, session: str, created_at: int, id: str) -> None:
        """A memory is gone, or about to change; it was added with the same values."""
        order = self._orders[session]
        del order[bisect_left(order, (created_at, id))]
        if not order:
            del self._orders[session]

    def around(self, session: str, created_at: int, id: str) -> list[tuple[str, int]]:
        """Those up to `REACH` places away, each with how many, nearest first."""
        order = self._orders[session]
        at = bisect_left(order, (created_at, id))
        found = []
        for distance in range(1, REACH + 1):
            found += [
                (order[place][1], distance)
                for place in (at - distance, at + distance)
                if 0 <= place < len(order)
            ]
        return found


def spread(
    scores: Mapping[str, float],
    around: Callable[[str], list[tuple[str, int]]],
    allowed: Container[str],
) -> tuple[dict[str, float], dict[str, str]]:
    """Scores with what neighbours give, and for each memory without a score of its own the best that gave to it.

    Only allowed memories take part. The result is the same whatever the order of `scores`.
    """
    least = sorted(scores.values())[-_GIVERS] if len(scores) > _GIVERS else 0.0
    givers = sorted((id for id, score in scores.items() if score >= least), key=lambda id: (-scores[id], id))
    raised = dict(scores)
    beside: dict[str, str] = {}
    for giver in givers:
        for id, distance in around(giver):
            if id not in allowed:
                continue
            gain = SHARE * FALLING ** (distance - 1) * scores[giver]
            raised[id] = raised.get(id, 0.0) + gain
            if id not in scores:
                beside.setdefault(id, giver)
    return raised, beside
