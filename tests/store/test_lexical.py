"""BM25 over the words of memories: scores, likeness, and any order of changes."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store.lexical import LexicalIndex
from sidecar.text.words import query_terms, query_words, terms
from tests.store.lexical_indexes import WORDS, build, document, identifier, loaded

change: st.SearchStrategy[object] = st.one_of(
    st.tuples(st.just("add"), identifier, document), st.tuples(st.just("remove"), identifier, st.just([]))
)


class Naive:
    """BM25 by the book, worked out anew for every query."""

    def __init__(self, k1: float = 0.9, b: float = 0.3) -> None:
        self.k1, self.b = k1, b
        self.documents: dict[str, Counter[str]] = {}

    def add(self, id: str, fields: list[tuple[str, float]]) -> None:
        counts: Counter[str] = Counter()
        for text, weight in fields:
            for term in terms(text):
                counts[term] += weight  # type: ignore[assignment]
        self.documents[id] = counts

    def idf(self, term: str) -> float:
        count = sum(term in held for held in self.documents.values())
        return math.log(1 + (len(self.documents) - count + 0.5) / (count + 0.5))

    def search(self, query: str) -> dict[str, float]:
        lengths = {id: sum(held.values()) for id, held in self.documents.items()}
        scores: dict[str, float] = {}
        for id, held in self.documents.items():
            for term in query_terms(query):
                if held[term]:
                    mean = sum(lengths.values()) / len(lengths)
                    norm = self.k1 * (1 - self.b + self.b * lengths[id] / mean)
                    gain = self.idf(term) * held[term] * (self.k1 + 1) / (held[term] + norm)
                    scores[id] = scores.get(id, 0.0) + gain
        return scores


@given(st.lists(change, max_size=25), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
def test_scores_are_those_of_the_book_after_any_changes(
    changes: list[tuple[str, str, list[tuple[str, float]]]], query: str
) -> None:
    index, naive = LexicalIndex(), Naive()
    for kind, id, fields in changes:
        if kind == "add":
            index.add(id, fields)
            naive.add(id, fields)
        else:
            index.remove(id)
            naive.documents.pop(id, None)
    assert len(index) == len(naive.documents)
    assert {id for id in "abcde" if id in index} == set(naive.documents)
    expected = naive.search(query)
    found = index.search(query)
    assert found.keys() == expected.keys()
    for id, score in expected.items():
        assert found[id] == pytest.approx(score, rel=1e-12)
    assert loaded(index.dump()).search(query) == found


@given(st.dictionaries(identifier, document, min_size=1), st.lists(change, max_size=10), st.randoms())
def test_scores_are_the_same_to_the_bit_in_whatever_order_documents_came(
    documents: dict[str, list[tuple[str, float]]],
    before: list[tuple[str, str, list[tuple[str, float]]]],
    order: random.Random,
) -> None:
    first, second = LexicalIndex(), LexicalIndex()
    for kind, id, fields in before:
        if kind == "add":
            second.add(id, fields)
    for id in {id for _, id, _ in before} - documents.keys():
        second.remove(id)
    for id, fields in documents.items():
        first.add(id, fields)
    shuffled = list(documents.items())
    order.shuffle(shuffled)
    for id, fields in shuffled:
        second.add(id, fields)
    query = " ".join(WORDS)
    assert first.search(query) == second.search(query)
    assert first.holders(query, 5) == second.holders(query, 5)


def test_a_rarer_word_and_a_shorter_document_score_more() -> None:
    index = build({"a": "apple banana", "b": "apple banana cherry grape elder", "c": "apple figs", "d": "apple"})
    scores = index.search("banana")
    assert scores.keys() == {"a", "b"}
    assert scores["a"] > scores["b"]
    both = index.search("apple figs")
    assert max(both, key=lambda id: both[id]) == "c"


def test_a_field_counts_as_often_as_its_weight_says() -> None:
    repeated, weighed, plain = LexicalIndex(), LexicalIndex(), LexicalIndex()
    for index, fields in (
        (repeated, [("apple apple apple banana", 1.0)]),
        (weighed, [("apple", 3.0), ("banana", 1.0)]),
        (plain, [("apple", 1.0), ("banana", 1.0)]),
    ):
        index.add("a", fields)
        index.add("b", [("cherry figs", 1.0)])
    assert repeated.search("apple") == weighed.search("apple")
    assert plain.search("apple")["a"] < weighed.search("apple")["a"]
    weighed.add("a", [("apple", 0.0), ("figs", 1.0)])
    assert weighed.search("apple") == {}


@pytest.mark.parametrize("weight", [-1.0, 1_001.0, math.nan, math.inf])
def test_a_weight_that_is_none_is_refused_and_changes_nothing(weight: float) -> None:
    index = build({"a": "apple"})
    with pytest.raises(ValueError, match="weight"):
        index.add("a", [("banana", weight)])
    assert index.search("apple").keys() == {"a"}


def test_nothing_is_found_in_an_empty_index_or_for_no_words() -> None:
    index = LexicalIndex()
    assert index.search("apple") == {}
    assert index.holders("apple") == []
    index.add("a", [("", 1.0)])
    assert len(index) == 1
    assert index.search("apple") == {}
    assert index.holders("") == []
    index.add("b", [("apple", 1.0)])
    assert index.search("?!") == {}
    index.remove("unknown")
    assert index.search("apple").keys() == {"b"}


def test_only_allowed_documents_are_given_with_unchanged_scores() -> None:
    index = build({"a": "apple banana", "b": "apple cherry banana", "c": "figs"})
    everything = index.search("apple")
    asked: list[str] = []

    def allowed(id: str) -> bool:
        asked.append(id)
        return id == "b"

    assert index.search("apple", allowed) == {"b": everything["b"]}
    assert sorted(asked) == ["a", "b"]
    assert [id for id, _ in index.holders("apple banana", 5, allowed)] == ["b"]


def test_a_document_that_says_more_holds_a_text_as_well() -> None:
    index = build(
        {
            "same": "Use apples for the cherry parser",
            "more": "use apple for a cherry parser on grapes, and figs with dates on every elder tree of November",
            "part": "the parser for cherries",
            "far": "elder figs and dates",
            **{f"other{number}": f"something else number {number}" for number in range(20)},
        }
    )
    found = index.holders("the parser uses cherry apples")
    assert [id for id, _ in found] == ["more", "same", "part"]
    assert [score for _, score in found[:2]] == pytest.approx([1.0, 1.0])
    assert 0.3 < found[2][1] < 1.0
    assert len(index.holders("the parser uses cherry apples", 1)) == 1
    assert index.holders("nothing alike whatsoever here, platypus") == []


def test_the_only_document_holds_its_own_text() -> None:
    index = build({"a": "apple banana November"})
    ((id, share),) = index.holders("apple banana")
    assert id == "a"
    assert share == pytest.approx(1.0)


def test_likeness_is_one_for_the_same_terms_and_falls_with_what_differs() -> None:
    index = build({f"d{number}": f"the common word and number{number}x" for number in range(40)})
    assert index.likeness("Use apples, cherries", "cherry apple use use") == pytest.approx(1.0)
    assert index.likeness("apple", "banana") == index.likeness("", "banana") == index.likeness("", "") == 0.0
    rare, common = index.likeness("apple word", "apple"), index.likeness("apple word", "word")
    assert 0 < common < rare < 1
    assert index.likeness("apple word", "word") == index.likeness("word", "word apple")


def test_in_a_store_of_two_one_other_word_is_little() -> None:
    text = "Deployments go through the staging cluster first, then to production after an hour"
    index = build({"a": text, "b": text})
    assert index.likeness(text, f"{text} locally") > 0.8


@pytest.mark.parametrize("least", [0.3, 0.6])
def test_holders_agree_with_a_full_comparison(least: float) -> None:
    chance = random.Random(5)
    vocabulary = [f"word{number}x" for number in range(60)]
    documents = {f"d{number:03}": " ".join(chance.choices(vocabulary, k=8)) for number in range(200)}
    index = build(documents)
    held = {id: set(terms(text)) for id, text in documents.items()}

    def idf(term: str) -> float:
        count = sum(term in own for own in held.values())
        return math.log(1 + (len(held) - count + 0.5) / (count + 0.5))

    for id in list(documents)[:20]:
        text = documents[id] + " word1x"
        asked = set(terms(text))
        expected = {other: sum(map(idf, asked & own)) / sum(map(idf, asked)) for other, own in held.items()}
        best = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))
        wanted = [(other, score) for other, score in best if score >= least][:5]
        found = index.holders(text, min_share=least)
        # Of two alike the order is not compared: their sums differ by the order of a set of words.
        assert [score for _, score in found] == pytest.approx([score for _, score in wanted])
        assert [score for _, score in found] == pytest.approx([expected[other] for other, _ in found])


def test_overlaps_are_shares_of_the_rare_words() -> None:
    index = build({"a": "apple banana", "b": "apple cherry", "c": "apple figs"})

    def held(query: str, id: str) -> float:
        overlap = index.overlaps(query_words(query), [id]).by_id.get(id)
        return 0.0 if overlap is None else overlap.held

    assert held("apple banana", "a") == pytest.approx(1.0)
    assert 0.5 < held("apple banana", "a") - held("apple banana", "b") < 1
    assert held("apple platypus", "a") < held("banana platypus", "a") < 0.5
    assert held("platypus", "a") == held("what", "a") == 0.0
    both = index.overlaps(query_words("banana platypus"), ["a", "unknown"])
    assert both.by_id.keys() == {"a"}
    assert 0.0 < both.known < 0.5
    assert index.overlaps(query_words("banana apple apples"), ["a"]).by_id["a"].own == pytest.approx(1.0)
    assert index.overlaps([], ["a"]) == (0.0, {})
    before = both.by_id["a"].own
    index.add("d", [("banana", 1.0)])
    assert index.overlaps(query_words("banana"), ["a"]).by_id["a"].own < before  # its word is less rare now


def test_replacing_over_and_over_does_not_grow() -> None:
    index = build({f"d{number}": f"apple {WORDS[number]}" for number in range(5)})
    before = index.search("apple banana")
    for _ in range(1_000):
        index.add("d1", [("figs", 1.0)])
        index.add("d1", [("apple banana", 1.0)])
    assert index.search("apple banana") == before
    assert len(index.dump()) < 1_000


def test_readers_never_see_half_a_change() -> None:
    index = build({f"d{number}": f"apple banana {WORDS[number % 10]}" for number in range(50)})
    done = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not done.is_set():
            try:
                scores = index.search("apple banana")
                # `moving` has both words or none: then its score is that of every document of the same length.
                if len(scores) not in (50, 51) or (len(scores) == 51 and scores["moving"] < min(scores.values())):
                    wrong.append(len(scores))
                index.holders("apple banana cherry")
                index.overlaps([("appl",)], ["moving"])
            except Exception as error:  # the thread's end must not hide it
                wrong.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(400):
        index.add("moving", [("apple banana", 1.0)])
        index.remove("moving")
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_the_same_fields_again_are_not_analysed_again() -> None:
    index = build({"a": "apple"})
    assert index.add("b", [("apple banana", 1.0)])
    assert not index.add("b", [("apple banana", 1.0)])
    for other in ([("apple banana", 2.0)], [("apple", 1.0), ("banana", 1.0)], [("apple banana cherry", 1.0)]):
        assert index.add("b", other)
        assert not loaded(index.dump()).add("b", other)
    assert index.remove("b")
    assert not index.remove("b")
    assert index.add("b", [("apple banana", 1.0)])


def test_matches_tell_what_each_document_holds_of_a_query() -> None:
    index = build({"a": "apple banana", "b": "apple cherry cherry", "c": "apple figs", "d": ""})
    found = index.matches("apple cherry platypus apples", ["a", "b", "d", "unknown"])
    assert found == {"a": ["appl"], "b": ["cherri", "appl"]}
    assert index.matches("?!", ["a"]) == index.matches("apple", []) == {}


def test_terms_of_one_weight_are_in_the_order_of_their_text() -> None:
    index = build({"a": "figs elder dates", "b": "apple"})
    assert index.matches("figs dates elder", ["a"])["a"] == sorted(terms("figs elder dates"))
