"""The index of files in the store: the same answers as one in memory, after a restart, and when bytes are damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.files.retrieval import stored_index
from sidecar.files.retrieval.stored_index import StoredIndex, names_of
from sidecar.files.retrieval.term_index import TermIndex
from sidecar.store.file_store import FileStore
from sidecar.store.lexical_fields import idf

WORDS = [f"word{number}" for number in range(400)]
QUERY = {"word1": 1.0, "word2": 2.0, "word7": 1.0, "word350": 1.5, "nowhere": 1.0}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileStore]:
    monkeypatch.setattr(stored_index, "IN_MEMORY", 20)
    opened = FileStore.open(tmp_path / "store")
    yield opened
    opened.close()


def index_over(store: FileStore | None) -> StoredIndex:
    return StoredIndex(store, "words here", "1", k1=3.0, b=0.6)


def document(number: int) -> dict[str, int]:
    lot = random.Random(number)
    return {lot.choice(WORDS[: 1 + lot.randrange(400)]): lot.randrange(1, 9) for _ in range(60)}


def same(index: StoredIndex, numbers: dict[str, int]) -> None:
    plain = TermIndex(k1=3.0, b=0.6)
    for path, number in numbers.items():
        plain.put(path, document(number))
    assert index.scores(QUERY) == plain.scores(QUERY)
    assert [index.idf(term) for term in QUERY] == [idf(len(plain), plain.count(term)) for term in QUERY]
    for path in list(numbers)[::7]:
        assert index.held_terms(path, QUERY) == plain.held_terms(path, QUERY)
    assert len(index) == len(numbers)


def test_stored_index_scores_as_one_in_memory(store: FileStore) -> None:
    lot = random.Random(3)
    index, standing = index_over(store), dict[str, int]()
    for step in range(300):
        path = f"p{lot.randrange(90)}.py"
        if lot.random() < 0.2:
            index.remove(path)
            standing.pop(path, None)
        else:
            index.put(path, (str(step), "python"), document(step))
            standing[path] = step
        if step % 50 == 49:
            same(index, standing)
    index.save()
    again = index_over(store)
    held = again.load()
    # What is gone, or in a segment that is dropped since few of its files are left, is told by who knows what stands.
    for path in held.keys() - standing.keys():
        again.remove(path)
    assert len(held.keys() & standing.keys()) > 30
    for path, step in standing.items():
        if held.get(path) != (str(step), "python"):
            again.put(path, (str(step), "python"), document(step))
    same(again, standing)


def test_segments_of_two_processes_are_read_by_a_third(store: FileStore) -> None:
    first, second = index_over(store), index_over(store)
    for number in range(50):
        (first if number % 2 else second).put(f"p{number}", (str(number), "python"), document(number))
    first.save()
    second.save()
    third = index_over(store)
    assert len(third.load()) == 50
    same(third, {f"p{number}": number for number in range(50)})


@pytest.mark.parametrize("damaged", [b"", b"x", b"\x93"])
def test_damaged_index_is_reported_and_made_anew(store: FileStore, damaged: bytes) -> None:
    index = index_over(store)
    for number in range(40):
        index.put(f"p{number}", (str(number), "python"), document(number))
    segment = names_of(store, "words here")[0]
    store.put_blob(f"{segment} 0", damaged)
    again = index_over(store)
    again.load()
    again.scores(QUERY)
    assert sorted(again.lost) == sorted(f"p{number}" for number in range(20))
    for number in range(20):
        again.put(f"p{number}", (str(number), "python"), document(number))
    same(again, {f"p{number}": number for number in range(40)})
    assert store.get_blob(segment) is None
    store.put_blob("words here", damaged)
    assert index_over(store).load() == {}


def test_a_segment_of_another_version_is_none(store: FileStore) -> None:
    index = index_over(store)
    index.put("a", ("1", "python"), document(1))
    index.save()
    assert StoredIndex(store, "words here", "2", k1=3.0, b=0.6).load() == {}


def test_many_small_segments_become_one(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_index, "MAX_SMALL", 3)
    index = index_over(store)
    for number in range(6):
        index.put(f"p{number}", (str(number), "python"), document(number))
        index.save()
    again = index_over(store)
    assert again.load() == {}
    again.put("p0", ("0", "python"), document(0))
    again.save()
    assert index_over(store).load() == {"p0": ("0", "python")}
