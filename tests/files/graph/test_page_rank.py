"""PageRank, alone and from given nodes, against a plain dense computation."""

from __future__ import annotations

import random

import pytest

from sidecar.files.graph.page_rank import DAMPING, LEAST_MASS, Edges, page_rank, rank_from


def graph(count: int, seed: int) -> Edges:
    numbers = random.Random(seed)
    edges = []
    for node in range(count):
        targets = sorted(numbers.sample([n for n in range(count) if n != node], numbers.randint(0, 4)))
        weights = [numbers.random() for _ in targets]
        edges.append((targets, [weight / sum(weights) for weight in weights]))
    return edges


def dense(edges: Edges, restart: list[float], dangling: bool) -> list[float]:
    count = len(edges)
    rank = restart[:]
    for _ in range(300):
        lost = sum(rank[node] for node in range(count) if not edges[node][0]) if dangling else 0.0
        fresh = [(1 - DAMPING) * restart[node] + DAMPING * lost * restart[node] for node in range(count)]
        for node, (targets, shares) in enumerate(edges):
            for target, share in zip(targets, shares, strict=True):
                fresh[target] += DAMPING * rank[node] * share
        rank = fresh
    return rank


@pytest.mark.parametrize("seed", range(4))
def test_the_rank_of_all(seed: int) -> None:
    edges = graph(30, seed)
    found = page_rank(edges)
    assert sum(found) == pytest.approx(1.0)
    assert found == pytest.approx(dense(edges, [1 / 30] * 30, dangling=True), abs=0.02)
    assert page_rank(edges) == found


@pytest.mark.parametrize("seed", range(4))
def test_the_rank_from_given_nodes(seed: int) -> None:
    edges = graph(30, seed)
    restart = [0.0] * 30
    restart[3], restart[9] = 0.75, 0.25
    found = rank_from(edges, {9: 1.0, 3: 3.0})
    expected = dense(edges, restart, dangling=False)
    for node, mass in enumerate(expected):
        assert found.get(node, 0.0) == pytest.approx(mass, abs=30 * LEAST_MASS)


def test_nothing_to_rank() -> None:
    assert page_rank([]) == []
    assert rank_from(graph(5, 1), {}) == {}
    assert page_rank([([], []), ([], [])]) == pytest.approx([0.5, 0.5])
