"""Names that are never worth remembering in any repository, whatever its own rules say, from `junk.txt`.

The lists are in gitignore syntax and hold only names that mean one thing everywhere: `build/`, `dist/` and `target/`
are sources in some projects and are left to the project's own `.gitignore`.
"""

from __future__ import annotations

from pathlib import Path

_LISTS = {
    kind: tuple(names.split())
    for kind, _, names in (
        line.partition(": ") for line in Path(__file__).with_name("junk.txt").read_text("utf-8").splitlines()
    )
}
JUNK = _LISTS["junk"]  # version control, dependencies, caches, editors' and systems' leftovers
GENERATED = _LISTS["generated"]  # written by tools from other files: lock files, bundles, source maps
SECRET = _LISTS["secret"]  # their content must reach no memory and no model
_BINARY = frozenset(_LISTS["binary"])
"""A walk skips these without opening them; a request for one is judged by its content."""


def binary_name(name: str) -> bool:
    dot = name.rfind(".")
    return dot > 0 and name[dot:].lower() in _BINARY
