"""How the static table is trained."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.models.static_table import StaticTable

np = pytest.importorskip("numpy", reason="the extra distill is not installed")


def cosines(vectors: Any) -> object:
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]


def test_training_brings_sums_of_rows_near_to_the_model_on_texts_it_has_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.bench.distill import training
    from tests.bench.distill.training import train

    monkeypatch.setattr(training, "BATCH", 64)

    lot = np.random.default_rng(3)
    meant = lot.standard_normal((60, 24)).astype(np.float32)
    bags = [lot.integers(0, 60, lot.integers(2, 9)).astype(np.int32) for _ in range(6_000)]
    bags[7] = bags[0][:0]  # a text without any known word
    vectors = np.stack([meant[bag].sum(axis=0) for bag in bags])
    start = meant[:, :8].astype(np.float64) + lot.standard_normal((60, 8)) * 2
    rows = train(start, bags, vectors, len(bags))

    unseen = [lot.integers(0, 60, 5) for _ in range(200)]
    whole = cosines(np.stack([meant[bag].sum(axis=0) for bag in unseen]))
    before = np.corrcoef(cosines(np.stack([start[bag].sum(axis=0) for bag in unseen])), whole)[0, 1]
    after = np.corrcoef(cosines(np.stack([rows[bag].sum(axis=0) for bag in unseen])), whole)[0, 1]
    assert rows.shape == start.shape
    assert after > before + 0.2


def test_the_same_texts_give_the_same_rows() -> None:
    from tests.bench.distill.training import train

    lot = np.random.default_rng(4)
    bags = [lot.integers(0, 9, 4).astype(np.int32) for _ in range(300)]
    vectors = lot.standard_normal((300, 12)).astype(np.float32)
    start = lot.standard_normal((9, 6))
    assert (train(start, bags, vectors, 250) == train(start, bags, vectors, 250)).all()


def test_the_pieces_of_a_text_are_the_rows_that_it_is_the_sum_of(table: StaticTable) -> None:
    both = table.pieces("parseHTTPHeader, of 7f3a9c1e77b2 [SEP].")
    assert both == table.pieces("parse http header of sep")
    assert table.pieces("... 7f3a9c1e77b2") == []
    assert table.embed(["header parse of sep http"]) == table.embed(["parseHTTPHeader of [SEP]"])
