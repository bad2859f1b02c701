"""Weights that another package carries: found without importing it, and known by their hash."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from sidecar.models.embedding import ModelUnavailable

LONGEST = 10_000
"""Characters of a text that are read."""

LONGEST_QUERY = 400
"""The same of a query: a request waits, and what is asked stands at the beginning."""


def packaged_file(package: str, place: str, sha256: str, install: str) -> Path:
    """The file at `place` in a package, checked. Raises ModelUnavailable with the hint `install`."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ModelUnavailable(
            f"The package {package}, which carries the weights, is not installed.", install
        )
    path = Path(found.origin).parent / place
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}.", install) from error
    if digest != sha256:
        raise ModelUnavailable(f"{path} is not the file that this version knows.", install)
    return path
