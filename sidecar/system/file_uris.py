"""The path that a `file://` URI names."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit


def path_of_uri(uri: str) -> str:
    """Return the path that a URI names, without a host. Raises ValueError for an invalid URI."""
    return unquote(urlsplit(uri).path)
