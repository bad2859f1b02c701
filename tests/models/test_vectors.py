"""The index of vectors."""

from __future__ import annotations

import random
import statistics
import threading
from collections.abc import Callable, Collection, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.models.vectors import VectorIndex

Cosine = Callable[[bytes, bytes], float]


def put_many(index: VectorIndex, vectors: Iterable[tuple[str, bytes]]) -> None:
    for id, vector in vectors:
        index.put(id, vector)


def scores(index: VectorIndex, query: bytes, ids: Collection[str] | None = None) -> dict[str, float]:
    return dict(index.closest(query, max(1, len(index)), (), ids).cosines)


def nearest(index: VectorIndex, query: bytes, most: int, ids: Collection[str] | None = None) -> list[tuple[str, float]]:
    found = index.closest(query, most, (), ids).cosines
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def vector(*values: int) -> bytes:
    return bytes(value % 256 for value in values)


def test_scores_are_cosines() -> None:
    index = VectorIndex(2)
    put_many(index, [("same", vector(3, 0)), ("across", vector(0, 9)), ("against", vector(-128, 0))])
    put_many(index, [("between", vector(5, 5)), ("nothing", vector(0, 0))])
    assert scores(index, vector(127, 0)) == pytest.approx(
        {"same": 1.0, "across": 0.0, "against": -1.0, "between": 0.5**0.5, "nothing": 0.0}, abs=1e-5
    )


def test_a_query_of_zeros_is_near_to_nothing() -> None:
    index = VectorIndex(2)
    put_many(index, [("a", vector(1, 2)), ("nothing", vector(0, 0))])
    assert scores(index, bytes(2)) == {"a": 0.0, "nothing": 0.0}


def test_some_of_the_ids() -> None:
    index = VectorIndex(2)
    put_many(index, [(str(number), vector(number, 10)) for number in range(20)])
    every = scores(index, vector(10, 10))
    assert scores(index, vector(10, 10), {"3", "17", "unknown"}) == {"3": every["3"], "17": every["17"]}
    assert scores(index, vector(10, 10), []) == {}


def test_nearest_are_the_best_of_the_scores() -> None:
    dice = random.Random(5)
    index = VectorIndex(8)
    for number in range(300):
        index.put(f"{number:03}", dice.randbytes(8))
    query = dice.randbytes(8)
    expected = sorted(scores(index, query).items(), key=lambda pair: (-pair[1], pair[0]))
    for most in (0, 1, 10, 300, 400):
        assert nearest(index, query, most) == expected[:most]
    few = {"004", "150", "299"}
    assert nearest(index, query, 2, few) == [pair for pair in expected if pair[0] in few][:2]


def test_ties_go_by_id() -> None:
    index = VectorIndex(2)
    for id in "dbca":
        index.put(id, vector(1, 1))
    assert [id for id, _ in nearest(index, vector(1, 1), 3)] == ["a", "b", "c"]


def test_an_empty_index_has_no_scores() -> None:
    index = VectorIndex(4)
    assert scores(index, b"\1" * 4) == {}
    assert nearest(index, b"\1" * 4, 3) == []


def test_wrong_lengths_are_refused() -> None:
    index = VectorIndex(4)
    with pytest.raises(ValueError):
        index.put("a", b"123")
    with pytest.raises(ValueError):
        scores(index, b"12345")
    assert len(index) == 0


def test_growth_keeps_what_was_there() -> None:
    index = VectorIndex(3)
    for number in range(1_000):
        index.put(str(number), vector(number, number // 256, 1))
    assert len(index) == 1_000
    assert all(index.get(str(number)) == vector(number, number // 256, 1) for number in range(1_000))


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | st.binary(min_size=3, max_size=3)), max_size=60))
def test_any_order_of_changes_gives_what_is_held(changes: list[tuple[str, bytes | None]]) -> None:
    index = VectorIndex(3)
    held: dict[str, bytes] = {}
    for id, value in changes:
        if value is None:
            assert index.remove(id) == (held.pop(id, None) is not None)
        else:
            index.put(id, value)
            held[id] = value
    assert len(index) == len(held)
    assert {id: index.get(id) for id in held} == held
    fresh = VectorIndex(3)
    put_many(fresh, held.items())
    assert scores(index, b"\1\2\3") == scores(fresh, b"\1\2\3")
    assert scores(index, b"\1\2\3").keys() == held.keys()
    assert index.get("z") is None
    assert "z" not in index


@given(st.lists(st.binary(min_size=16, max_size=16), min_size=1, max_size=20), st.binary(min_size=16, max_size=16))
def test_scores_are_those_of_plain_arithmetic(cosine: Cosine, rows: list[bytes], query: bytes) -> None:
    index = VectorIndex(16)
    opened = {str(number): number for number in range(len(rows) // 2)}
    index.open(opened, memoryview(bytearray(b"".join(rows[: len(opened)]))))
    put_many(index, [(str(number), row) for number, row in enumerate(rows) if number >= len(opened)])
    assert scores(index, query) == pytest.approx({str(n): cosine(query, row) for n, row in enumerate(rows)}, abs=1e-9)


def test_threads_write_and_read_at_once(cosine: Cosine) -> None:
    index = VectorIndex(64)
    dice = random.Random(3)
    vectors = {str(number): dice.randbytes(64) for number in range(400)}
    query = dice.randbytes(64)
    expected = {id: cosine(query, row) for id, row in vectors.items()}
    wrong: list[tuple[str, float]] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            wrong.extend((id, score) for id, score in scores(index, query).items() if abs(score - expected[id]) > 1e-3)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(5):
        for id, row in vectors.items():
            index.put(id, row)
        for id in vectors:
            index.remove(id)
    stop.set()
    reader.join()
    assert not wrong


def test_the_closest_and_others_come_of_one_scan() -> None:
    index = VectorIndex(2)
    put_many(index, [(str(at), vector(at, 50 - at)) for at in range(1, 40)])
    query = vector(40, 10)
    expected = dict(nearest(index, query, 3)) | scores(index, query, ["5", "6"])
    everything = list(scores(index, query).values())
    found = index.closest(query, 3, ["5", "6", "unknown"])
    assert dict(found.cosines) == pytest.approx(expected, abs=1e-6)
    assert found.mean == pytest.approx(statistics.fmean(everything), abs=1e-6)
    assert found.deviation == pytest.approx(statistics.pstdev(everything), abs=1e-5)
    some = [str(at) for at in range(1, 20)]
    few = index.closest(query, 2, ["5", "39"], some)
    assert dict(few.cosines) == pytest.approx(
        dict(nearest(index, query, 2, some)) | scores(index, query, ["5"]), abs=1e-6
    )
    assert few.mean == pytest.approx(statistics.fmean(scores(index, query, some).values()), abs=1e-6)
    assert VectorIndex(2).closest(query, 3, ["5"])[1:] == (0.0, 0.0)


@given(
    st.dictionaries(st.integers(0, 40), st.binary(min_size=8, max_size=8), min_size=1),
    st.sets(st.integers(0, 40)),
    st.binary(min_size=8, max_size=8),
    st.randoms(use_true_random=False),
)
def test_closest_vectors_do_not_depend_on_the_order_of_changes(
    rows: dict[int, bytes], gone: set[int], query: bytes, dice: random.Random
) -> None:
    kept = {f"{number:02}": row for number, row in rows.items() if number not in gone}
    ids = list(kept)
    straight, winding = VectorIndex(8), VectorIndex(8)
    put_many(straight, kept.items())
    for number in dice.sample(sorted(rows), len(rows)):
        winding.put(f"{number:02}", bytes(dice.randrange(256) for _ in range(8)))
    for number in dice.sample(sorted(gone), len(gone)):
        winding.remove(f"{number:02}")
    for id in dice.sample(ids, len(ids)):
        winding.put(id, kept[id])
    expected = straight.closest(query, 5, ids[:3])
    assert winding.closest(query, 5, ids[:3]) == expected
    assert straight.closest(query, 5, ids[:3], dice.sample(ids, len(ids))) == expected
