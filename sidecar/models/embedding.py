"""What every embedding model here can do, and the form of a vector."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Protocol

PEAK = 127


class ModelUnavailable(Exception):
    """A model that cannot be used now. The message says why, `hint` what to do about it; neither holds a text."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Embedder(Protocol):
    """Turns texts into vectors; may be called from any thread.

    `name` says which vectors can be compared with each other: it differs between models, and between versions of
    one model.
    """

    @property
    def name(self) -> str:
        """The model and its version."""

    @property
    def dimensions(self) -> int:
        """Components of a vector, and its length in bytes."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text: signed 8-bit components; all zero when the model knows nothing of the text.

        For the background: a model may take minutes for many texts. May raise ModelUnavailable.
        """

    def embed_query(self, text: str) -> bytes:
        """The vector of one text that a request waits for: soon, or ModelUnavailable."""


def quantised(values: Sequence[float]) -> bytes:
    """The direction of a vector as signed bytes, its largest component ±127; zeros for a vector of no length.

    Only the direction is kept, since vectors are compared by their cosine. Using the whole range loses a third of
    what rounding at unit length × 127 would. Raises ValueError for a component that is no finite number.
    """
    peak = max(map(abs, values), default=0.0)
    if not math.isfinite(peak) or not math.isfinite(sum(values)):
        raise ValueError("a vector has a component that is not a finite number")
    if peak == 0:
        return bytes(len(values))
    scale = PEAK / peak
    return array("b", [round(value * scale) for value in values]).tobytes()


def unknown(vector: bytes) -> bool:
    """Whether a vector says that its model knows nothing of the text."""
    return not any(vector)
