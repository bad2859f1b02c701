"""Find files of a folder that are worth showing: long enough, hand-written, and not tests or examples.

The search is breadth first and bounded in files, bytes and seconds, so that a home directory or a monorepo of a million
files costs no more than a small folder.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sidecar.checkout.content import classify
from sidecar.checkout.tree import Tree
from sidecar.cli.tour.edits import CODE

MAX_FILES = 6_000
MAX_SECONDS = 2.5
MAX_FILES_READ = 400
MAX_BYTES = 300_000
MAX_CANDIDATES = 6
_IDEAL_LINES = 400
_MAX_NON_SOURCES = 60
_TEST_OR_EXAMPLE = re.compile(
    r"(^|[/_.-])(tests?|spec|examples?|fixtures?|vendor|third_party|deps|external|migrations|docs?)([/_.-]|$)", re.I
)


class Survey(NamedTuple):
    """The files to show; `complete` is False if the folder holds more than the `files` that were examined."""

    files: int
    complete: bool
    candidates: list[str]


def survey(folder: Path) -> Survey:
    """Return at most `MAX_CANDIDATES` files, the most interesting first."""
    deadline = time.monotonic() + MAX_SECONDS
    paths, complete = _paths(Tree(folder), deadline)
    sources = [path for path in paths if PurePosixPath(path).suffix.lower() in CODE] or paths[:_MAX_NON_SOURCES]
    sources.sort(key=lambda path: (bool(_TEST_OR_EXAMPLE.search(path)), path.count("/"), path))
    lines: dict[str, int] = {}
    for path in sources[:MAX_FILES_READ]:
        if time.monotonic() > deadline:
            break
        data = _read(folder / path)
        if data is not None and classify(path, data) == "text":
            lines[path] = data.count(b"\n")
    ranked = sorted(
        lines, key=lambda path: (bool(_TEST_OR_EXAMPLE.search(path)), abs(lines[path] - _IDEAL_LINES), path)
    )
    return Survey(len(paths), complete, ranked[:MAX_CANDIDATES])


def _paths(tree: Tree, deadline: float) -> tuple[list[str], bool]:
    """Return files that are not ignored, breadth first; the flag is False if there are more."""
    paths: list[str] = []
    folders = deque([""])
    while folders:
        folder = folders.popleft()
        try:
            entries = sorted(os.scandir(tree.root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if len(paths) >= MAX_FILES or time.monotonic() > deadline:
                return paths, False
            if entry.is_symlink() or entry.name.startswith(".") or tree.ignored(path):
                continue
            if entry.is_dir():
                folders.append(path)
            elif entry.is_file():
                paths.append(path)
    return paths, True


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError:
        return None
