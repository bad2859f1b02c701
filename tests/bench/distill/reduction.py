"""From states to rows: centred, reduced to the main directions, weighted by frequency, rounded to bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidecar.models.table_file import MAX_WEIGHT, ZERO_BYTE

DIMENSIONS = 256
WHITENING = 0.25
"""Share of each direction's spread that is divided out: 0 is plain PCA, 1 makes all directions equal. The few
strongest directions of a language model's states tell frequency and form rather than meaning (Mu and Viswanath,
"All-but-the-Top", 2018)."""
A = 1e-3
"""The constant of smooth inverse frequency, as its paper has it."""
FIRST_WORD = 1996
"""Number of `the`: from here on the vocabulary is in the order of frequency, before it stand marks and characters."""
_CHARACTER_RANK = 20
_ZIPF = 11.0  # sum of 1/rank over a vocabulary of this size
_GRID = 2**16


def principal(states: NDArray[np.float32], kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The states by their main directions, strongest first; directions are those of the kept rows.

    Sums go over whole numbers, which are the same in any order. A direction's sign is such that its largest
    component is positive.
    """
    grid = np.rint(states.astype(np.float64) * _GRID)
    centred = grid - np.rint(grid[kept].mean(axis=0))
    used = centred[kept].astype(np.int64)
    covariance = np.zeros((used.shape[1], used.shape[1]), dtype=np.float64)
    for column in range(used.shape[1]):
        covariance[column] = (used * used[:, column : column + 1]).sum(axis=0)
    covariance /= len(used) * float(_GRID) ** 2
    spread, directions = np.linalg.eigh(covariance)
    order = np.argsort(-spread, kind="stable")[:DIMENSIONS]
    directions, spread = directions[:, order], spread[order]
    largest = np.argmax(np.abs(directions), axis=0)
    directions = directions * np.sign(directions[largest, np.arange(len(order))])
    whole = np.rint(directions / spread ** (WHITENING / 2) * _GRID)
    turned: NDArray[np.float64] = centred @ whole
    return turned


def is_special(piece: str) -> bool:
    """Return whether a piece is one of the model's marks rather than text: `[CLS]`, `[unused7]`."""
    return len(piece) > 2 and piece.startswith("[") and piece.endswith("]")


def frequency_weights(vocabulary: list[str]) -> NDArray[np.float64]:
    """a/(a + p) of each piece, p by Zipf's law from its rank; 0 for marks and for signs."""
    ranks = np.arange(len(vocabulary), dtype=np.float64) - (FIRST_WORD - 1)
    ranks[:FIRST_WORD] = _CHARACTER_RANK
    weights = A / (A + 1 / (ranks * _ZIPF))
    weights[[is_special(piece) or not _has_letter(piece) for piece in vocabulary]] = 0
    return weights


def rounded(vectors: NDArray[np.float64]) -> tuple[list[int], bytes]:
    """Weights and rows as the table's file has them: the largest component of each row fills its byte."""
    peaks = np.abs(vectors).max(axis=1)
    weights = np.rint(peaks / peaks.max() * MAX_WEIGHT).astype(np.int64)
    filled = np.where(peaks == 0, 1, peaks)[:, None]
    rows = np.rint(vectors / filled * (ZERO_BYTE - 1)) + ZERO_BYTE
    return [int(weight) for weight in weights], rows.astype(np.uint8).tobytes()


def _has_letter(piece: str) -> bool:
    return any(char.isalnum() for char in piece)
