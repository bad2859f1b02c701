"""The index of files by their words: the weight of each field."""

from __future__ import annotations

import pytest

from sidecar.files.retrieval.source_index import SourceIndex
from sidecar.files.words import words_of_text
from sidecar.store.records import ContentRecord

FILLER = " ".join(f"filler{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200))


def index_of(**texts: str) -> SourceIndex:
    index = SourceIndex()
    for name, text in texts.items():
        path = f"src/{name}.txt"
        words = words_of_text("text", text)
        record = ContentRecord(recipe=1, hash="0" * 32, language="python", lines=1, file_tokens=1, words=words)
        index.put(path, index.make(path, record))
    return index


def test_saying_a_word_often_goes_on_to_count() -> None:
    often, seldom = "header " * 20 + FILLER, "header " * 2 + "other " * 18 + FILLER
    scores = index_of(alpha=often, beta=seldom, gamma=FILLER).index.scores({"header": 1.0})
    # With k1 of 0.9, as for short texts, twenty times would count 1.4 times as much as twice.
    assert scores["src/alpha.txt"] > 1.8 * scores["src/beta.txt"]


def test_a_short_file_says_more_with_the_same_word() -> None:
    scores = index_of(alpha="header " + FILLER[:300], beta="header " + FILLER * 5, gamma=FILLER).index.scores(
        {"header": 1.0}
    )
    assert scores["src/alpha.txt"] > 1.8 * scores["src/beta.txt"]


def test_the_path_counts_thrice() -> None:
    scores = index_of(header=FILLER, beta="header " * 3 + FILLER, gamma=FILLER).index.scores({"header": 1.0})
    assert scores["src/header.txt"] == pytest.approx(scores["src/beta.txt"], rel=0.05)
