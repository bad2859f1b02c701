"""Ages and times as people write them."""

from __future__ import annotations

import contextlib
from datetime import datetime

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.times import When, age
from sidecar.runtime.clock import epoch_ms
from sidecar.text import moments

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
def test_age_is_told_in_one_unit(before: int, expected: str) -> None:
    assert age(10**12 - before, 10**12) == expected


@pytest.mark.parametrize(
    ("text", "span"), [("30m", 30 * _MINUTE), ("12h", 12 * _HOUR), ("7d", 7 * _DAY), ("2w", 14 * _DAY)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_spans_count_from_now(text: str, span: int, sign: int) -> None:
    before = epoch_ms()
    when = When(sign).convert(text, None, None)
    assert before <= when - sign * span <= epoch_ms()


def test_dates_and_milliseconds_are_read_as_times() -> None:
    assert When(1).convert("2026-01-31T00:00:00+00:00", None, None) == 1_769_817_600_000
    assert When(1).convert("1769817600000", None, None) == 1_769_817_600_000
    assert When(-1).convert("2026-01-31", None, None) > 1_769_000_000_000


@given(text=st.text(max_size=20))
def test_any_text_is_a_time_or_a_usage_error(text: str) -> None:
    with contextlib.suppress(click.UsageError):
        assert When(-1).convert(text, None, None) >= 0


_NOW = datetime(2026, 5, 13, 15, 30)  # a Wednesday


@pytest.fixture
def wednesday(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> Clock:
            return cls(*_NOW.timetuple()[:6])

    monkeypatch.setattr(moments, "datetime", Clock)


@pytest.mark.usefixtures("wednesday")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-05-13"),
        ("yesterday", "2026-05-12"),
        ("this week", "2026-05-11"),
        ("last week", "2026-05-04"),
        ("since last month", "2026-04-01"),
        ("last year", "2025-01-01"),
        ("since March", "2026-03-01"),
        ("may", "2026-05-01"),
        ("Nov", "2025-11-01"),
        ("march 2024", "2024-03-01"),
        ("monday", "2026-05-11"),
        ("last friday", "2026-05-08"),
        ("wed", "2026-05-13"),
        ("2025", "2025-01-01"),
        ("2025-10", "2025-10-01"),
        ("3 days ago", "2026-05-10 15:30"),
        ("1M", "2026-04-13 15:30"),
        ("1m", "2026-05-13 15:29"),
        ("2 years", "2024-05-13 15:30"),
    ],
)
def test_words_for_past_times_are_read(text: str, expected: str) -> None:
    assert When(-1).convert(text, None, None) == datetime.fromisoformat(expected).timestamp() * 1000


@pytest.mark.usefixtures("wednesday")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow", "2026-05-14"),
        ("next week", "2026-05-18"),
        ("next month", "2026-06-01"),
        ("march", "2027-03-01"),
        ("december", "2026-12-01"),
        ("friday", "2026-05-15"),
        ("wednesday", "2026-05-20"),
        ("+1M", "2026-06-13 15:30"),
        ("in 2 weeks", "2026-05-27 15:30"),
    ],
)
def test_words_for_future_times_are_read(text: str, expected: str) -> None:
    assert When(1).convert(text, None, None) == datetime.fromisoformat(expected).timestamp() * 1000


def test_a_month_from_its_last_day_ends_on_a_last_day() -> None:
    assert moments.months_later(datetime(2026, 1, 31), 1) == datetime(2026, 2, 28)
    assert moments.months_later(datetime(2024, 3, 31), -1) == datetime(2024, 2, 29)
