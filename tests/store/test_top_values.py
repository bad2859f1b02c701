from __future__ import annotations

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store.columns import plain_sum, sum_of
from sidecar.store.top_values import among, greatest, least

FEW = st.lists(st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.25, 0.5]), max_size=40)


def rows() -> list[list[float]]:
    """Long rows, some of which a sample of every eighth value tells nothing true about."""
    dice = random.Random(3)
    even = [dice.random() for _ in range(4_000)]
    ties = [float(dice.randrange(5)) for _ in range(4_000)]
    misleading = [1.0 if at % 8 == 0 else 0.5 + at / 10_000 for at in range(4_000)]
    hidden = [0.001 if at % 8 == 0 else dice.random() for at in range(4_000)]
    sparse = [dice.random() if at % 97 == 0 else 0.0 for at in range(4_000)]
    return [even, ties, misleading, hidden, sparse]


def greatest_by_sorting(values: list[float], most: int, barred: frozenset[int] = frozenset()) -> list[int]:
    may = [at for at, value in enumerate(values) if value > 0.0 and at not in barred]
    if most < 1:
        return []
    ranked = sorted(may, key=lambda at: -values[at])
    return [at for at in may if len(ranked) <= most or values[at] >= values[ranked[most - 1]]]


@given(FEW, st.integers(0, 50))
def test_few_values_are_cut_exactly(values: list[float], most: int) -> None:
    assert greatest(values, most) == greatest_by_sorting(values, most)
    order = sorted(values)
    expected = [at for at, value in enumerate(values) if most >= len(values) or value <= order[most - 1]]
    assert least(values, most) == (expected if most else [])


@pytest.mark.parametrize("values", rows())
@pytest.mark.parametrize("most", [1, 10, 300, 1_000, 2_500, 5_000])
def test_long_rows_are_cut_exactly_whatever_the_sample_says(values: list[float], most: int) -> None:
    assert greatest(array("d", values), most) == greatest_by_sorting(values, most)
    barred = frozenset(greatest_by_sorting(values, 700)[::2])
    assert greatest(values, most, lambda at: at not in barred) == greatest_by_sorting(values, most, barred)
    limit = sorted(values)[min(most, len(values)) - 1]
    assert least(array("d", values), most) == [at for at, value in enumerate(values) if value <= limit]


def test_nothing_is_asked_for() -> None:
    assert among([1, 2], [5.0, 6.0, 7.0], 0) == []
    assert greatest([], 3) == []
    assert least([], 3) == []


def test_sums_are_the_same_to_the_bit_with_and_without_the_library() -> None:
    pytest.importorskip("simsimd")
    dice = random.Random(11)
    for length in (0, 1, 7, 64, 1_001):
        one = array("d", [dice.random() * 10 ** dice.randrange(-9, 9) for _ in range(length)])
        other = array("d", [dice.random() / 3 for _ in range(length)])
        assert sum_of(one, other) == plain_sum(one, other)
