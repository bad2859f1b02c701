"""Trains rows so that the sum of a text's rows has the direction that MiniLM gives the text.

What is made small is 1 - the cosine to MiniLM's vector, and beside it the squared differences between the cosines of
the texts of a batch and MiniLM's cosines of them, which are what a search compares. The descent is Adam (Kingma and
Ba, 2015) on the rows that a batch touches. The idea to train a static table on whole texts is Tokenlearn's
(Tulkens and van Dongen, 2024).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int64]

EPOCHS = 5
BATCH = 1024
RATE = 2e-3
RELATIONAL = 0.1
"""Share of the cosines within a batch, beside the cosine to MiniLM."""
KEPT = 0.33
"""Share of the rows before training that is added to the trained ones, sums of both being of one length: their mean
imitates hardly less and keeps more of how the words differ (Wortsman et al., "Robust fine-tuning", 2022)."""
HELD_OUT = 10
"""Every so manieth text is not trained on, and only tells how well the table imitates."""

_WARMING = 100  # steps
_MOMENTUM, _DECAY = 0.9, 0.99
_COMPARED = 40_000  # pairs
_MEASURED = 4_000  # texts
_log = logging.getLogger("distill")


class _Bags:
    """Rows of many texts laid end to end."""

    def __init__(self, bags: Sequence[NDArray[np.int32]]) -> None:
        self._pieces = np.concatenate(bags).astype(np.int64)
        self._lengths = np.array([len(bag) for bag in bags], dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths

    def take(self, texts: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The rows of some texts end to end, how many each has, and where each begins."""
        lengths = self._lengths[texts]
        starts = np.cumsum(lengths) - lengths
        return (
            self._pieces[np.repeat(self._starts[texts] - starts, lengths) + np.arange(lengths.sum())],
            lengths,
            starts,
        )

    def sums(self, rows: Floats, texts: Numbers) -> Floats:
        """The direction of each text."""
        parts = []
        for first in range(0, len(texts), BATCH):
            pieces, _, starts = self.take(texts[first : first + BATCH])
            parts.append(np.add.reduceat(rows[pieces], starts))
        return _unit(np.concatenate(parts))


def train(
    start: NDArray[np.float64], bags: Sequence[NDArray[np.int32]], vectors: Floats, texts: int
) -> NDArray[np.float64]:
    """The trained rows. The first `texts` of the bags are texts, of which some are held out, the others words."""
    used = np.array([number for number, bag in enumerate(bags) if len(bag)], dtype=np.int64)
    held = (used % HELD_OUT == HELD_OUT - 1) & (used < texts)
    laid = _Bags([bag for bag in bags if len(bag)])
    learned, unseen = np.flatnonzero(~held), np.flatnonzero(held)
    whole = _unit(vectors[used])
    goals = _unit(whole @ _directions(whole[learned], start.shape[1]))
    rows = start.astype(np.float32)
    _log.info("correlation of cosines before %.3f", _likeness(laid.sums(rows, unseen), whole[unseen]))
    turned = _scaled(_turned(rows, laid, goals, learned), laid, learned)
    rows = turned.copy()
    _descend(rows, laid, goals, learned)
    rows = _scaled(rows, laid, learned) + np.float32(KEPT) * turned
    _log.info("correlation of cosines after %.3f", _likeness(laid.sums(rows, unseen), whole[unseen]))
    return rows.astype(np.float64)


def _descend(rows: Floats, bags: _Bags, goals: Floats, learned: Numbers) -> None:
    """Changes the rows in place."""
    lot = np.random.default_rng(5)
    slope, spread = np.zeros_like(rows), np.zeros_like(rows)
    touched = np.zeros((len(rows), 1), np.float32)
    batch = min(BATCH, len(learned))
    steps, step = EPOCHS * (len(learned) // batch), 0
    for epoch in range(EPOCHS):
        order, lost = lot.permutation(learned), 0.0
        for first in range(0, len(order) - batch + 1, batch):
            texts = order[first : first + batch]
            pieces, lengths, starts = bags.take(texts)
            sums = np.add.reduceat(rows[pieces], starts)
            lengths_of_sums = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
            loss, pull = _loss(sums / lengths_of_sums, goals[texts])
            step, lost = step + 1, lost + loss * batch / len(order)
            changed, gradient = _by_row(pieces, np.repeat(pull / lengths_of_sums, lengths, axis=0))
            touched[changed] += 1
            slope[changed] += (1 - _MOMENTUM) * (gradient - slope[changed])
            spread[changed] += (1 - _DECAY) * (gradient * gradient - spread[changed])
            rate = RATE * min(1, step / _WARMING) * (1 - step / (steps + 1))
            mean = slope[changed] / (1 - _MOMENTUM ** touched[changed])
            rows[changed] -= rate * mean / (np.sqrt(spread[changed] / (1 - _DECAY ** touched[changed])) + 1e-8)
        _log.info("epoch %d of %d: loss %.4f", epoch + 1, EPOCHS, lost)


def _loss(found: Floats, goals: Floats) -> tuple[float, Floats]:
    """The loss of a batch of directions, and its gradient along the sphere that they lie on."""
    count = len(found)
    off = found @ found.T - goals @ goals.T
    np.fill_diagonal(off, 0)
    loss = 1 - float((found * goals).sum()) / count + RELATIONAL * float((off * off).sum()) / count
    pull = (4 * RELATIONAL * (off @ found) - goals) / count
    return loss, pull - found * (pull * found).sum(axis=1, keepdims=True)


def _by_row(pieces: Numbers, gradients: Floats) -> tuple[Numbers, Floats]:
    """Each row that is touched once, with the sum of its gradients."""
    order = np.argsort(pieces, kind="stable")
    changed, starts = np.unique(pieces[order], return_index=True)
    return changed, np.add.reduceat(gradients[order], starts)


def _directions(vectors: Floats, count: int) -> Floats:
    """The main directions of the vectors, strongest first."""
    wide = vectors.astype(np.float64)
    spread, directions = np.linalg.eigh(wide.T @ wide)
    return directions[:, np.argsort(-spread, kind="stable")[:count]].astype(np.float32)


def _turned(rows: Floats, bags: _Bags, goals: Floats, texts: Numbers) -> Floats:
    """The rows turned as a whole so that the texts come nearest to their goals."""
    left, _, right = np.linalg.svd(bags.sums(rows, texts).T @ goals[texts])
    turned: Floats = (rows @ (left @ right)).astype(np.float32)
    return turned


def _scaled(rows: Floats, bags: _Bags, texts: Numbers) -> Floats:
    """The rows so that half of the texts have sums longer than 1."""
    pieces, _, starts = bags.take(texts[:_MEASURED])
    return rows / np.float32(np.median(np.linalg.norm(np.add.reduceat(rows[pieces], starts), axis=1)))


def _likeness(found: Floats, model: Floats) -> float:
    """Correlation of the cosines of pairs drawn by lot with the model's cosines of them."""
    one, other = np.random.default_rng(1).integers(0, len(found), (2, _COMPARED))
    ours = (found[one] * found[other]).sum(axis=1)
    return float(np.corrcoef(ours, (model[one] * model[other]).sum(axis=1))[0, 1])


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return found
