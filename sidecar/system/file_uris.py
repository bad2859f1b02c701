"""The path that a `file://` URI names: `/work`, on Windows also `C:/work` or `//server/share/work`."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

WINDOWS = os.name == "nt"


def path_of_uri(uri: str, *, windows: bool = WINDOWS) -> str:
    """Return the path that a URI names, with the host only on Windows. Raises ValueError for an invalid URI."""
    parts = urlsplit(uri)
    return path_of_parts(unquote(parts.netloc), unquote(parts.path), windows=windows)


def path_of_parts(host: str, path: str, *, windows: bool = WINDOWS) -> str:
    if windows and path and host.lower() not in ("", "localhost"):
        return f"//{host}{path}"
    if windows and re.match(r"/[A-Za-z]:", path):
        return path[1:]
    return path
