"""Ages and times as people write them."""

from __future__ import annotations

import contextlib

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.times import When, age, now_ms

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (0, "just now"),
        (9 * _SECOND, "just now"),
        (30 * _SECOND, "30 seconds ago"),
        (_MINUTE, "1 minute ago"),
        (119 * _SECOND, "1 minute ago"),
        (59 * _MINUTE, "59 minutes ago"),
        (_HOUR, "1 hour ago"),
        (23 * _HOUR, "23 hours ago"),
        (_DAY, "1 day ago"),
        (3 * _DAY, "3 days ago"),
        (14 * _DAY, "2 weeks ago"),
        (60 * _DAY, "2 months ago"),
        (729 * _DAY, "24 months ago"),
        (730 * _DAY, "2 years ago"),
        (-30 * _SECOND, "just now"),
        (-2 * _DAY, "in 2 days"),
    ],
)
def test_age(before: int, expected: str) -> None:
    assert age(10**12 - before, 10**12) == expected


@pytest.mark.parametrize(
    ("text", "span"), [("30m", 30 * _MINUTE), ("12h", 12 * _HOUR), ("7d", 7 * _DAY), ("2w", 14 * _DAY)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_spans_count_from_now(text: str, span: int, sign: int) -> None:
    before = now_ms()
    when = When(sign).convert(text, None, None)
    assert before <= when - sign * span <= now_ms()


def test_dates_and_milliseconds() -> None:
    assert When(1).convert("2026-01-31T00:00:00+00:00", None, None) == 1_769_817_600_000
    assert When(1).convert("1769817600000", None, None) == 1_769_817_600_000
    assert When(-1).convert("2026-01-31", None, None) > 1_769_000_000_000


@given(text=st.text(max_size=20))
def test_any_text_is_a_time_or_a_usage_error(text: str) -> None:
    with contextlib.suppress(click.UsageError):
        assert When(-1).convert(text, None, None) >= 0
