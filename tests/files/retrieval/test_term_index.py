"""BM25 over counted terms: the formula, and independence of the order in which documents came and went."""

from __future__ import annotations

import math
import random

import pytest

from sidecar.files.retrieval import term_index as module
from sidecar.files.retrieval.term_index import TermIndex

DOCUMENTS = {"a": {"parse": 6, "header": 2}, "b": {"parse": 2, "body": 5}, "c": {"other": 2, "body": 2, "words": 8}}


def index_of(names: list[str]) -> TermIndex:
    index = TermIndex()
    for name in names:
        index.put(name, DOCUMENTS[name])
    return index


def test_scores_are_bm25() -> None:
    scores = index_of(["a", "b", "c"]).scores({"header": 2.0})
    idf = math.log(1 + (3 - 1 + 0.5) / 1.5)
    average = (4.0 + 3.5 + 6.0) / 3
    expected = 2.0 * idf * 1.9 * 1.0 / (1.0 + 0.9 * (0.6 + 0.4 * 4.0 / average))
    assert scores == {"a": pytest.approx(expected)}


def test_scores_do_not_depend_on_what_came_and_went() -> None:
    plain = index_of(["a", "b", "c"]).scores({"parse": 1.0, "body": 1.0})
    index = index_of(["c", "a"])
    index.put("x", {"parse": 18})
    index.put("b", {"words": 2})
    index.remove("x")
    index.put("b", DOCUMENTS["b"])
    assert index.scores({"body": 1.0, "parse": 1.0}) == plain
    assert len(index) == 3


def test_gaps_are_closed_without_changing_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPARE_PLACES", 4)
    numbers = random.Random(7)
    documents = {f"d{n}": {f"t{numbers.randrange(30)}": 2 * numbers.randint(1, 9) for _ in range(8)} for n in range(40)}
    index, plain = TermIndex(), TermIndex()
    for _ in range(5):
        for id, frequencies in documents.items():
            index.put(id, frequencies)
    for id, frequencies in documents.items():
        plain.put(id, frequencies)
    query = {f"t{n}": 1.0 for n in range(30)}
    assert index.scores(query) == plain.scores(query)


def test_only_the_most_telling_terms_of_a_long_query_are_looked_at() -> None:
    index = TermIndex()
    for n in range(module.MAX_TERMS + 50):
        index.put(f"d{n}", {f"t{n}": 2, "everywhere": 2})
    found = index.scores({"everywhere": 1.0, **{f"t{n}": 1.0 for n in range(module.MAX_TERMS + 50)}})
    assert len(found) == module.MAX_TERMS


def test_terms_that_a_document_holds() -> None:
    index = index_of(["a", "b", "c"])
    assert index.held_terms("b", ["header", "body", "unknown", "parse"]) == ["body", "parse"]
    assert index.held_terms("unknown", ["body"]) == []
    assert index.count("unknown") < index.count("header") < index.count("parse")


def test_an_empty_index_answers_nothing() -> None:
    index = TermIndex()
    assert index.scores({"a": 1.0}) == {}
    index.put("empty", {})
    assert index.scores({"a": 1.0}) == {}
