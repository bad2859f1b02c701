"""The interface of an embedding model, and the form of a vector."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Protocol

# The greatest byte whose negative is a signed byte as well.
MAX_COMPONENT = 127


class ModelUnavailable(Exception):
    """Raised for a model that cannot be used now. The message says why, `hint` what to do; neither quotes a text."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Embedder(Protocol):
    """Turns texts into vectors, on any thread."""

    @property
    def name(self) -> str:
        """Return the model and its version. Only vectors of one name can be compared."""

    @property
    def dimensions(self) -> int:
        """Return the number of a vector's components, each of which is one byte."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector of signed bytes per text; zeros for a text of which the model knows nothing.

        For background work, since many texts may take minutes. Raises ModelUnavailable.
        """

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a text for which a request waits. Raises ModelUnavailable rather than take long."""


def quantise(values: Sequence[float]) -> bytes:
    """Scale a vector to signed bytes, its largest component to ±127; return zeros for a vector of length zero.

    Only the direction matters, since vectors are compared by their cosine. Scaling to the whole range loses a third of
    the precision that scaling to length 127 would lose. Raises ValueError if a component is not finite.
    """
    peak = max(map(abs, values), default=0.0)
    if not math.isfinite(peak) or not math.isfinite(sum(values)):
        raise ValueError("a vector has a component that is not a finite number")
    if peak == 0:
        return bytes(len(values))
    scale = MAX_COMPONENT / peak
    return array("b", [round(value * scale) for value in values]).tobytes()


def is_unknown(vector: bytes) -> bool:
    """Return whether a vector is of a text in which its model knows no word."""
    return not any(vector)
