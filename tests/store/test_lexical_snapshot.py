"""Snapshots of the lexical index: opened, changed, put together, damaged."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store.columns import pack, unpack
from sidecar.store.lexical import LexicalIndex
from sidecar.text.words import query_words
from tests.store.lexical_indexes import WORDS, build, document, identifier, loaded


def test_a_snapshot_holds_everything_and_can_be_changed() -> None:
    index = LexicalIndex(k1=1.4, b=0.6)
    for number, word in enumerate(WORDS * 3):
        index.add(f"d{number}", [(f"{word} apple", 1.0), ("banana", 0.5)])
    for number in range(0, 30, 4):
        index.remove(f"d{number}")
    copy = loaded(index.dump(), k1=1.4, b=0.6)
    assert len(copy) == len(index)
    assert copy.dump() == index.dump()
    for changed in (index, copy):
        changed.add("new", [("apple 数据库", 1.0)])
        changed.remove("d1")
        changed.add("d2", [("figs", 1.0)])
    for query in ("apple", "banana figs", "数据库 header", "a.py"):
        assert copy.search(query) == index.search(query)
    assert copy.holders("apple 数据库") == index.holders("apple 数据库")


def test_a_damaged_snapshot_is_refused() -> None:
    index = build({"a": "apple banana", "b": "apple cherry"})
    blob = index.dump()
    for damaged in (b"", b"\xc1", b"nonsense", blob[:-3], blob[:20], b"\x93\x01\x02\x03", b"\x90" * 5_000):
        with pytest.raises(ValueError, match="snapshot"):
            loaded(damaged)
    parts = dict(unpack(blob))
    head = msgspec.msgpack.decode(parts["head"])
    heads = [
        [*head[:place], value, *head[place + 1 :]] for place, value in ((0, 99), (1, 99), (4, ["a"]), (4, ["a"] * 2))
    ]
    wrong: list[dict[str, Any]] = [{"head": msgspec.msgpack.encode(each)} for each in heads]
    wrong += [{"head": b"\xc1"}, {"prints": b"abc"}, {"words": b"a"}, {"counts": b""}, {"own": b"1234"}]
    for replaced in wrong:
        with pytest.raises(ValueError, match="snapshot"):
            loaded(pack({**parts, **replaced}))
    with pytest.raises(ValueError, match="snapshot"):
        loaded(pack({"head": parts["head"]}))


@given(
    st.dictionaries(st.sampled_from([str(n) for n in range(9)]), st.lists(st.sampled_from("apple fig kiwi".split()))),
    st.lists(
        st.tuples(st.sampled_from([str(n) for n in range(9)]), st.sampled_from(["", "fig", "kiwi apple", "plum"]))
    ),
)
def test_any_changes_to_an_opened_snapshot_are_those_of_the_index_it_is_of(
    first: dict[str, list[str]], changes: list[tuple[str, str]]
) -> None:
    straight = build({id: " ".join(words) for id, words in first.items()})
    opened = loaded(straight.dump())
    for id, text in changes:
        for index in (straight, opened):
            if text:
                index.add(id, [(text, 1.0)])
            else:
                index.remove(id)
        query = "apple fig kiwi plum"
        assert opened.search(query) == straight.search(query)
        assert opened.holders(query) == straight.holders(query)
        ids = [str(number) for number in range(9)]
        assert opened.overlaps(query_words(query), ids) == straight.overlaps(query_words(query), ids)
        assert opened.matches(query, ids) == straight.matches(query, ids)
    assert loaded(opened.dump()).search("apple plum") == straight.search("apple plum")
    assert opened.dump() == straight.dump()


@given(
    st.dictionaries(identifier, document),
    st.dictionaries(st.sampled_from(["v", "w", "x"]), document),
    st.sets(identifier),
)
def test_an_index_put_together_from_snapshots_is_the_index_of_all(
    first: dict[str, list[tuple[str, float]]], second: dict[str, list[tuple[str, float]]], removed: set[str]
) -> None:
    whole = LexicalIndex()
    for id, fields in {**first, **second}.items():
        whole.add(id, fields)
    for id in removed:
        whole.remove(id)
    parts = LexicalIndex()
    assert parts.absorb(whole.dump(first)) == [id for id in first if id not in removed]
    assert parts.absorb(whole.dump(set(second))) == list(second)
    query = " ".join(WORDS)
    assert parts.search(query) == whole.search(query)
    assert parts.holders(query) == whole.holders(query)
    assert parts.matches(query, [*first, *second]) == whole.matches(query, [*first, *second])
    for id, fields in {**first, **second}.items():
        assert parts.add(id, fields) == (id in removed)
        parts.remove(id)
    assert (len(parts), parts.search(query)) == (0, {})


def test_a_partial_snapshot_holds_no_word_of_the_others() -> None:
    index = build({"a": "apple banana", "b": "banana cherry", "c": "cherry platypus"})
    assert b"platypus" in index.dump()
    assert b"platypus" not in index.dump({"a", "b"})
    index.remove("c")
    assert b"platypus" not in index.dump()


def test_absorbing_a_known_id_or_nonsense_changes_nothing() -> None:
    index = build({"a": "apple", "b": "banana"})
    before = index.dump()
    for blob in (build({"c": "cherry", "b": "figs"}).dump(), b"nonsense", before[:-2]):
        with pytest.raises(ValueError, match="snapshot"):
            index.absorb(blob)
        assert index.dump() == before
