"""PageRank of a weighted graph (Page, Brin, Motwani, Winograd 1999), and its personalised form, in plain Python.

PageRank is linear in the vector from which the walk restarts (Jeh and Widom 2003), so a personalised rank is the global
rank plus the rank of the files in play, pushed from these files alone (Andersen, Chung and Lang 2006).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

DAMPING: Final = 0.85
MAX_ROUNDS: Final = 25
LEAST_MASS: Final = 1e-3  # smallest mass worth pushing, as a share of all mass pushed
Edges = Sequence[tuple[Sequence[int], Sequence[float]]]  # the targets of each node and their shares, in sum 1


def page_rank(edges: Edges) -> list[float]:
    """Return the rank of each node, in sum 1."""
    count = len(edges)
    if not count:
        return []
    rank = [1.0 / count] * count
    dead = [node for node, (targets, _) in enumerate(edges) if not targets]
    live = [(node, list(targets), list(shares)) for node, (targets, shares) in enumerate(edges) if targets]
    for _ in range(MAX_ROUNDS):
        lost = sum([rank[node] for node in dead])
        fresh = [(1.0 - DAMPING + DAMPING * lost) / count] * count
        for node, targets, shares in live:
            give = DAMPING * rank[node]
            for target, share in zip(targets, shares, strict=True):
                fresh[target] += give * share
        rank = fresh
    return rank


def rank_from(edges: Edges, start: Mapping[int, float]) -> dict[int, float]:
    """Return the ranks of nodes reached by a walk that restarts at the nodes of `start` in proportion to weight.

    Mass below LEAST_MASS is not pushed further and mass at nodes without targets is lost: ranks add up to 1 at most.
    """
    total = sum(start.values())
    if total <= 0:
        return {}
    rank: dict[int, float] = {}
    waiting = {node: weight / total for node, weight in sorted(start.items()) if weight > 0}
    queue = deque(waiting)
    queued = set(waiting)
    while queue:
        node = queue.popleft()
        queued.discard(node)
        mass = waiting.pop(node)
        rank[node] = rank.get(node, 0.0) + (1.0 - DAMPING) * mass
        give = DAMPING * mass
        get = waiting.get
        for target, share in zip(*edges[node], strict=True):
            waiting[target] = now = get(target, 0.0) + give * share
            if now > LEAST_MASS and target not in queued:
                queued.add(target)
                queue.append(target)
    for node, mass in sorted(waiting.items()):
        rank[node] = rank.get(node, 0.0) + (1.0 - DAMPING) * mass
    return rank
