"""Find files of a folder worth showing: long enough, hand-written, and used by others.

The search is breadth first and bounded in files, bytes and seconds, so that a home directory or a monorepo of a million
files costs no more than a small folder.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections import deque
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sidecar.checkout.content import classify
from sidecar.checkout.tree import Tree
from sidecar.cli.tour.edits import CODE

MOST_FILES = 6_000
MOST_SECONDS = 2.5
MOST_READ = 400
MOST_BYTES = 300_000
SHOWN = 6
_GOOD_LINES = 400
_MOST_OTHER = 60
_IMPORT = re.compile(rb"^\s*(?:import|from|use|require|include|#include|export|using|package|mod)\b.*$", re.M)
_ANY_IMPORT = re.compile(rb"^.*\b(?:require|import)\s*\(.*$", re.M)
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,}")
_NAMELESS = frozenset({"__init__", "index", "mod", "main", "lib", "types", "utils", "setup"})
_ASIDE = re.compile(
    r"(^|[/_.-])(tests?|spec|examples?|fixtures?|vendor|third_party|deps|external|migrations|docs?)([/_.-]|$)", re.I
)


class Survey(NamedTuple):
    """What was found; `complete` is False if the folder holds more than was examined."""

    files: int
    complete: bool
    candidates: list[str]


def survey(folder: Path) -> Survey:
    """Return at most `SHOWN` files, the most interesting first."""
    deadline = time.monotonic() + MOST_SECONDS
    tree = Tree(folder)
    paths, complete = _paths(tree, deadline)
    sources = [path for path in paths if PurePosixPath(path).suffix.lower() in CODE] or paths[:_MOST_OTHER]
    sources.sort(key=lambda path: (bool(_ASIDE.search(path)), path.count("/"), path))
    texts: dict[str, bytes] = {}
    for path in sources[:MOST_READ]:
        if time.monotonic() > deadline:
            break
        data = _read(folder / path)
        if data is not None and classify(path, data) == "text":
            texts[path] = data
    imported = {path: _imported(data) for path, data in texts.items()}

    def interest(path: str) -> float:
        name, lines = PurePosixPath(path).stem, texts[path].count(b"\n")
        nameless = name.lower() in _NAMELESS
        users = 0 if nameless else sum(name.encode() in words for other, words in imported.items() if other != path)
        length = min(lines, _GOOD_LINES) / _GOOD_LINES * min(1.0, 1_500 / max(lines, 1))
        aside = 0.2 if nameless or _ASIDE.search(path) else 1.0
        return (1 + math.log2(1 + users)) * length * aside * (0.1 if lines <= 100 else 1.0)

    ranked = sorted(texts, key=lambda path: (-interest(path), path))
    return Survey(len(paths), complete, ranked[:SHOWN])


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
            if len(paths) >= MOST_FILES or time.monotonic() > deadline:
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
        if path.stat().st_size > MOST_BYTES:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _imported(data: bytes) -> frozenset[bytes]:
    """Return every word of every line that imports something."""
    lines = (line for pattern in (_IMPORT, _ANY_IMPORT) for line in pattern.findall(data))
    return frozenset(word for line in lines for word in _WORD.findall(line))
