"""What a snapshot holds, and what has been put, removed and asked for since."""

from __future__ import annotations

from sidecar.files.graph.shelf import Definers, Shelf


def test_a_shelf_holds_what_was_stored_and_what_was_put() -> None:
    shelf = Shelf(["one", "two", "three"], {"a": 0, "b": 1, "c": 2})
    shelf["b"] = "new"
    shelf["d"] = "four"
    del shelf["c"]
    assert dict(shelf) == {"a": "one", "b": "new", "d": "four"}
    assert len(shelf) == 3
    assert "c" not in shelf
    kept = shelf.as_of_now(["a", "b", "d"])
    shelf["a"] = "later"
    del shelf["d"]
    assert list(kept) == ["one", "new", "four"]
    assert dict(shelf) == {"b": "new", "a": "later"}


def test_definers_that_a_snapshot_has_come_and_go() -> None:
    definers = Definers([("a",), ("a", "b")])
    definers.remove(1, "a")
    definers.remove(0, "a")
    definers.add(2, "c")
    assert [list(definers.get(number)) for number in range(4)] == [[], ["b"], ["c"], []]
    definers.remove(2, "c")
    for number in range(20):
        definers.add(0, f"f{number}")
    assert (len(definers.get(0)), list(definers.get(2))) == (20, [])
