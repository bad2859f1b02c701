"""The formulas of standing weight and relevance, by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.index.ranking import DAY_MS, decay, nudge, timeless_weight

NOW = 1_767_225_600_000 + 12 * 3_600_000


def _standing(
    *,
    relevance: float = 1.0,
    updated_at: int = NOW,
    accesses: int = 0,
    category: str | None = None,
    status: str = "active",
    now: int = NOW,
) -> float:
    return timeless_weight(relevance, category, status) * decay(updated_at, now) * log2(accesses + 2)


def test_a_fresh_fact_weighs_one() -> None:
    assert _standing() == 1.0


@pytest.mark.parametrize(("days", "weight"), [(0, 1.0), (30, 0.5), (60, 1 / 3), (90, 0.25)])
def test_a_month_halves_and_goes_on_harmonically(days: int, weight: float) -> None:
    assert _standing(updated_at=NOW - days * DAY_MS) == pytest.approx(weight)


def test_only_midnight_changes_the_age() -> None:
    updated = NOW - 5 * DAY_MS
    assert _standing(updated_at=updated, now=NOW) == _standing(updated_at=updated, now=NOW + DAY_MS // 2 - 1)
    assert _standing(updated_at=updated, now=NOW) > _standing(updated_at=updated, now=NOW + DAY_MS // 2)


def test_an_update_in_the_future_counts_as_today() -> None:
    assert _standing(updated_at=NOW + 10 * DAY_MS) == 1.0


@pytest.mark.parametrize("accesses", [0, 1, 2, 6, 1000])
def test_use_counts_by_its_logarithm(accesses: int) -> None:
    assert _standing(accesses=accesses) == pytest.approx(log2(accesses + 2))


@pytest.mark.parametrize(
    ("category", "weight"),
    [
        ("directive", 1.5),
        ("plan", 1.4),
        ("blocker", 1.3),
        ("decision", 1.2),
        ("procedure", 1.1),
        ("fact", 1.0),
        ("event", 0.9),
        ("conversation", 0.6),
        ("idea", 1.0),
        (None, 1.0),
    ],
)
def test_a_category_has_its_weight(category: str | None, weight: float) -> None:
    assert _standing(category=category) == pytest.approx(weight)


def test_relevance_multiplies_and_suspicion_halves() -> None:
    assert _standing(relevance=0.4) == pytest.approx(0.4)
    assert _standing(status="suspect") == pytest.approx(0.5)


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_the_nudge_is_bounded_and_keeps_the_order(one: float, other: float) -> None:
    assert 0.9 <= nudge(one) <= 1.0
    if one < other:
        assert nudge(one) <= nudge(other)
