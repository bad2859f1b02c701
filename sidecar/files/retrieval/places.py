"""The file meant by a path in an old commit, a traceback or a prompt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

_SEPARATORS: Final = re.compile(r"[/\\]+")
MAX_NAME: Final = 400


class Places:
    """The paths of a workspace, found by their ends; an end that fits several files finds none."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths = set(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._moved: dict[str, str | None] = {}
        self.version = 0  # grows when paths are added or removed
        for path in self._paths:
            self._enter(path)

    def add(self, path: str) -> None:
        if path not in self._paths:
            self._paths.add(path)
            self._enter(path)
            self._changed()

    def _enter(self, path: str) -> None:
        for named, name in self._names(path):
            named[name].append(path)

    def remove(self, path: str) -> None:
        if path in self._paths:
            self._paths.remove(path)
            for named, name in self._names(path):
                named[name].remove(path)
                if not named[name]:
                    del named[name]
            self._changed()

    def _names(self, path: str) -> tuple[tuple[dict[str, list[str]], str], ...]:
        """Return the two indexes, each with the key of a path."""
        name = path.rsplit("/", 1)[-1]
        stem = name.split(".", 1)[0]
        folder = stem in ("__init__", "index", "mod")
        return (self._by_name, name), (self._by_stem, _folder(path) if folder else stem)

    def _changed(self) -> None:
        self._moved.clear()
        self.version += 1

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def present_path(self, path: str) -> str | None:
        """Return the path itself, or of the only file with the same folder and name, as after a move into `src/`."""
        if path in self._paths:
            return path
        if path not in self._moved:
            parts = path.split("/")
            self._moved[path] = _longest(parts, self._by_name.get(parts[-1], ()), least=2)
        return self._moved[path]

    def file_named(self, text: str) -> str | None:
        """Return the file that a path, the end of a path, or a dotted module names."""
        if len(text) > MAX_NAME:
            return None
        parts = [part for part in _SEPARATORS.split(text) if part not in ("", ".", "..")]
        if not parts:
            return None
        path = _longest(parts, self._by_name.get(parts[-1], ()), least=1)
        if path is not None or len(parts) > 1:
            return path
        return self._module(text.split("."))

    def _module(self, parts: list[str]) -> str | None:
        """Return the module named by the longest unambiguous prefix of `package.module.Class.method`."""
        for length in range(len(parts), 1, -1):
            wanted = parts[:length]
            paths = [path for path in self._by_stem.get(wanted[-1], ()) if _module_of(path)[-length:] == wanted]
            if len(paths) == 1:
                return paths[0]
        return None


def _folder(path: str) -> str:
    parts = path.rsplit("/", 2)
    return parts[-2] if len(parts) > 1 else ""


def _module_of(path: str) -> list[str]:
    *folders, name = path.split("/")
    stem = name.split(".", 1)[0]
    return folders if stem in ("__init__", "index", "mod") else [*folders, stem]


def _longest(parts: list[str], candidates: Iterable[str], *, least: int) -> str | None:
    """Return the only candidate with the longest common ending with `parts`, of at least `least` parts."""
    best, depth, rivals = None, least - 1, 0
    for other in candidates:
        same = 0
        for mine, its in zip(reversed(parts), reversed(other.split("/")), strict=False):
            if mine != its:
                break
            same += 1
        if same > depth:
            best, depth, rivals = other, same, 0
        elif same == depth:
            rivals += 1
    return None if rivals else best
