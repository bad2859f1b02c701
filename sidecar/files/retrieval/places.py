"""Find the file that a path in an old commit, a traceback or a prompt means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from sidecar.runtime.made_once import made_once

_SEPARATORS: Final = re.compile(r"[/\\]+")
MAX_NAME: Final = 400


class Places:
    """The paths of a workspace, found by their ends. An end that fits several files finds none."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths = set(paths)
        self._moved: dict[str, str | None] = {}

    @made_once
    def _by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            by_name[path.rpartition("/")[2]].append(path)
        return by_name

    def add(self, path: str) -> None:
        if path not in self._paths:
            self._paths.add(path)
            self._moved.clear()
            if (by_name := Places._by_name.existing(self)) is not None:
                by_name[path.rpartition("/")[2]].append(path)

    def remove(self, path: str) -> None:
        if path in self._paths:
            self._paths.remove(path)
            self._moved.clear()
            if (by_name := Places._by_name.existing(self)) is not None:
                by_name[path.rpartition("/")[2]].remove(path)

    def present_path(self, path: str) -> str | None:
        """Return the path itself, or the only file with its folder and name, as after a move into `src/`."""
        if path in self._paths:
            return path
        if path not in self._moved:
            parts = path.split("/")
            self._moved[path] = _longest(parts, self._by_name.get(parts[-1], ()), least=2)
        return self._moved[path]

    def file_named(self, text: str) -> str | None:
        """Return the file that a path, or the end of one, names."""
        if len(text) > MAX_NAME:
            return None
        parts = [part for part in _SEPARATORS.split(text) if part not in ("", ".", "..")]
        return _longest(parts, self._by_name.get(parts[-1], ()), least=1) if parts else None


def _longest(parts: list[str], candidates: Iterable[str], *, least: int) -> str | None:
    """Return the only candidate that shares the longest end with `parts`, if it shares at least `least` parts."""
    best, depth, rivals = None, least - 1, 0
    for other in candidates:
        pairs = zip(reversed(parts), reversed(other.split("/")), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if same > depth:
            best, depth, rivals = other, same, 0
        elif same == depth:
            rivals += 1
    return None if rivals else best
