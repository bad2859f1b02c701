"""Words and meaning fused into one score."""

from __future__ import annotations

import math

import pytest

from sidecar.memories.retrieval import matching
from sidecar.store.scores import Scores


def fuse(words: dict[str, float], meaning: dict[str, float], weight: float) -> dict[str, float]:
    cosines = Scores(meaning, list(words), [meaning.get(id, math.nan) for id in words])
    return dict(zip(*matching.fuse(list(words), list(words.values()), cosines, weight), strict=True))


def test_without_meaning_words_decide() -> None:
    assert fuse({"a": 4.0, "b": 1.0}, {}, 0.4) == {"a": 1.0, "b": 0.25}
    assert fuse({"a": 4.0}, {"a": -0.2, "b": 0.0}, 0.4) == {"a": 1.0}
    assert fuse({}, {}, 0.4) == {}


def test_each_score_is_a_share_of_its_best() -> None:
    fused = fuse({"a": 4.0, "b": 2.0}, {"a": 0.3, "b": 0.6}, 0.4)
    assert fused == pytest.approx({"a": 0.6 + 0.2, "b": 0.3 + 0.4})


def test_memory_close_in_meaning_is_found_without_a_common_word() -> None:
    fused = fuse({"a": 4.0}, {"a": 0.1, "near": 0.8, "far": 0.3, "against": -0.5}, 0.4)
    assert fused["near"] == pytest.approx(0.4)
    assert "far" not in fused
    assert "against" not in fused


def test_a_memory_without_a_vector_is_left_to_its_words() -> None:
    assert fuse({"a": 4.0, "new": 4.0}, {"a": 0.5}, 0.4) == pytest.approx({"a": 1.0, "new": 0.6})
