"""Ids are UUIDv7, increasing and unique."""

from __future__ import annotations

import threading
import uuid

from hypothesis import given
from hypothesis import strategies as st

from sidecar.runtime.ids import TimeOrderedIds


def test_id_is_a_uuid_of_version_7_that_tells_its_time() -> None:
    id = uuid.UUID(TimeOrderedIds()(1_790_000_000_123))
    assert (id.version, id.variant) == (7, uuid.RFC_4122)
    assert id.int >> 80 == 1_790_000_000_123


@given(st.lists(st.integers(0, 3), min_size=2, max_size=50))
def test_ids_grow_in_the_order_in_which_they_are_made(steps: list[int]) -> None:
    make, now, made = TimeOrderedIds(), 1_790_000_000_000, []
    for step in steps:
        now += step
        made.append(make(now))
    assert made == sorted(set(made))


def test_ten_thousand_of_one_millisecond_grow() -> None:
    make = TimeOrderedIds()
    made = [make(1_790_000_000_000) for _ in range(10_000)]
    assert made == sorted(set(made))


def test_threads_get_different_ones() -> None:
    make, made = TimeOrderedIds(), list[str]()
    threads = [threading.Thread(target=lambda: made.extend(make(5) for _ in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 2_000


def test_a_clock_set_back_is_believed() -> None:
    make = TimeOrderedIds()
    make(1_790_000_000_000)
    assert uuid.UUID(make(1_780_000_000_000)).int >> 80 == 1_780_000_000_000
