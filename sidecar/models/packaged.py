"""Models whose weights come in another package, which is found without importing it and verified by hash."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from sidecar.models.embedding import ModelUnavailable

MAX_EMBEDDED_CHARS = 10_000
# The question stands at the beginning of a long query.
MAX_QUERY_CHARS = 400


class PackagedModel(ABC):
    """An `Embedder` that reads one text at a time: in a batch, rounding would change a text's vector."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text; zeros for a text without a known piece."""
        return [self._vector(text[:MAX_EMBEDDED_CHARS]) for text in texts]

    def embed_query(self, text: str) -> bytes:
        """Return the vector of one text, in milliseconds; a long text takes a tenth of a second."""
        return self._vector(text[:MAX_QUERY_CHARS])

    @abstractmethod
    def _vector(self, text: str) -> bytes:
        """Return the vector of a text that was already cut to its limit."""


def packaged_file(package: str, relative: str, sha256: str, install: str) -> Path:
    """Return the verified file at `relative` in a package. Raises ModelUnavailable with the hint `install`."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelUnavailable(f"The package {package}, which carries the weights, is not installed.", install)
    import hashlib  # loads OpenSSL

    path = Path(spec.origin).parent / relative
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}.", install) from error
    if digest != sha256:
        raise ModelUnavailable(f"{path} is not the file that this version knows.", install)
    return path
