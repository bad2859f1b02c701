"""The best of many values, exactly."""

from __future__ import annotations

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store import columns
from sidecar.store.columns import weighted_sum
from sidecar.store.scores import best_places, best_places_among

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
    assert best_places(values, most, (1.0, 0.0)) == greatest_by_sorting(values, most)
    order = sorted(values)
    expected = [at for at, value in enumerate(values) if most >= len(values) or value <= order[most - 1]]
    assert best_places(values, most, (0.0, 1.1)) == (expected if most else [])


@pytest.mark.parametrize("values", rows())
@pytest.mark.parametrize("most", [1, 10, 300, 1_000, 2_500, 5_000])
@pytest.mark.parametrize("looseness", [1.0, 3.0, 1e6])
def test_long_rows_are_cut_exactly_whatever_the_sample_says(values: list[float], most: int, looseness: float) -> None:
    scale = (looseness * max(values), 0.0)
    assert best_places(array("d", values), most, scale) == greatest_by_sorting(values, most)
    barred = frozenset(greatest_by_sorting(values, 700)[::2])
    allowed = best_places(array("d", values), most, scale, lambda at: at not in barred)
    assert allowed == greatest_by_sorting(values, most, barred)
    limit = sorted(values)[min(most, len(values)) - 1]
    least = best_places(array("d", values), most, (0.0, scale[0] + 1.0))
    assert least == [at for at, value in enumerate(values) if value <= limit]


def test_values_at_both_ends_of_the_scale_and_beside_them_are_told_apart() -> None:
    values = [0.0, 5e-324, 1e-300, 1.0 - 2**-53, 1.0] * 200
    assert best_places(array("d", values), 3, (1.0, 0.0)) == [at for at, value in enumerate(values) if value == 1.0]
    assert best_places(array("d", values), 3, (0.0, 1.0)) == [at for at, value in enumerate(values) if value == 0.0]
    assert best_places(array("d", values), 600, (1.0, 0.0)) == [
        at for at, value in enumerate(values) if value >= 1e-300
    ]


def test_nothing_is_asked_for() -> None:
    assert best_places_among([1, 2], [5.0, 6.0, 7.0], 0) == []
    assert best_places([], 3, (1.0, 0.0)) == []
    assert best_places([0.0] * 500, 3, (0.0, 0.0)) == []
    assert best_places(array("d", [0.0] * 500), 3, (1.0, 0.0)) == []


def test_sums_round_once() -> None:
    dice = random.Random(5)

    def column() -> array[float]:
        return array("d", [dice.uniform(-1e3, 1e3) * 10.0 ** dice.randrange(-9, 9) for _ in range(999)])

    one, other = column(), column()
    assert list(weighted_sum(one, other)) == [a + b for a, b in zip(one, other, strict=True)]
    assert list(weighted_sum(one, columns.ones(999), 1.0, -3.5)) == [a - 3.5 for a in one]
    assert weighted_sum(array("d"), array("d")) == array("d")
