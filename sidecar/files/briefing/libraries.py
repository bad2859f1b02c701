"""The libraries that a file uses. Files of its own project, and what comes with the language, are no libraries."""

from __future__ import annotations

import re
import sys
from typing import Final

from sidecar.files.clean_text import clean
from sidecar.store.records import ContentRecord

_MAX_LIBRARIES: Final = 8
_LANGUAGES: Final = frozenset("javascript jsx typescript tsx vue svelte python elixir ruby julia".split())
_LIBRARY: Final = re.compile(r"(?!(?:node:|(?:fs|path|os|util)$))(@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*)(?!://)")


def libraries(record: ContentRecord) -> list[str]:
    """Return the libraries that a file imports, in the file's order; none if there are many."""
    found: dict[str, None] = {}
    for imported in record.imports if record.language in _LANGUAGES else ():
        match = _LIBRARY.match(imported)
        name = match[1] if match else ""
        name = name.partition(".")[0] if record.language == "python" else name
        if name and not (record.language == "python" and name in sys.stdlib_module_names):
            found[clean(name, 60)] = None
    return list(found) if len(found) <= _MAX_LIBRARIES else []
