"""Models whose weights another package carries: found without importing it, and known by their hash."""

from __future__ import annotations

import hashlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from sidecar.models.embedding import ModelUnavailable

LONGEST = 10_000
"""Characters of a text that are read."""

LONGEST_QUERY = 400
"""The same of a query: a request waits, and what is asked stands at the beginning."""


class PackagedModel(ABC):
    """An `Embedder` that reads one text at a time: beside others a text's vector would be rounded otherwise."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text; zeros for a text of no known piece."""
        return [self._vector(text[:LONGEST]) for text in texts]

    def embed_query(self, text: str) -> bytes:
        """The vector of one text; some milliseconds, a tenth of a second when it is long."""
        return self._vector(text[:LONGEST_QUERY])

    @abstractmethod
    def _vector(self, text: str) -> bytes:
        """The vector of a text that is not too long."""


def packaged_file(package: str, place: str, sha256: str, install: str) -> Path:
    """The file at `place` in a package, checked. Raises ModelUnavailable with the hint `install`."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ModelUnavailable(f"The package {package}, which carries the weights, is not installed.", install)
    path = Path(found.origin).parent / place
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}.", install) from error
    if digest != sha256:
        raise ModelUnavailable(f"{path} is not the file that this version knows.", install)
    return path
