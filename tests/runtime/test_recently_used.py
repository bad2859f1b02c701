"""A dictionary of bounded size drops what was not used for longest."""

from __future__ import annotations

from sidecar.runtime.recently_used import RecentlyUsed


def test_the_entry_that_was_not_used_for_longest_is_dropped() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(2)
    entries["a"], entries["b"] = 1, 2
    assert entries.get("a") == 1
    entries["c"] = 3
    assert dict(entries) == {"a": 1, "c": 3}
    entries["a"] = 4
    entries["d"] = 5
    assert dict(entries) == {"a": 4, "d": 5}


def test_a_key_without_an_entry_gets_the_other_value_and_drops_nothing() -> None:
    entries: RecentlyUsed[str, int] = RecentlyUsed(1)
    entries["a"] = 1
    assert (entries.get("b"), entries.get("b", 7)) == (None, 7)
    assert dict(entries) == {"a": 1}
