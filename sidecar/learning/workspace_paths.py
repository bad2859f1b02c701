"""Paths and texts relative to the workspace, without home folders."""

from __future__ import annotations

import contextlib
import posixpath
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from sidecar.learning.tools import WORDS
from sidecar.system.file_uris import path_of_uri
from sidecar.text.lazy_patterns import lazy

MAX_PATH_CHARS = 1_024  # characters
_MANIFESTS = WORDS["manifests"].split()
_MAX_MANIFEST_BYTES = 100_000  # bytes
_MAX_MANIFESTS = 30

_HOME = lazy(r"(?<![\w.-])(?:/(?:home|Users)/[^/\s:'\"`]+|/root(?![\w.-])|(?<!\w)[A-Za-z]:\\Users\\[^\\\s:'\"`]+)")
_WINDOWS_PATH = lazy(r"[A-Za-z]:[\\/]|\.{1,2}\\|[^/]+\\[^/]*$")
_MADE_FOLDERS = frozenset(WORDS["made"].split())
"""Created, installed or kept by tools: nobody edits these by hand, so statements about them are worthless."""


class WorkspacePaths:
    """A workspace's folder, under every name known for it (absolute POSIX paths)."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(sorted({root.rstrip("/") for root in roots if root.rstrip("/")}, key=len))[::-1]
        names = "|".join(re.escape(root) for root in self._roots)
        self._inside = re.compile(rf"(?<![\w.-])(?:file://)?(?:{names})(?P<end>/|(?![\w.-]))") if names else None

    def relative(self, path: str, folder: str | None = None) -> str | None:
        """Return a path relative to the workspace; None if it is outside. A relative path starts at `folder`."""
        if not path or len(path) > MAX_PATH_CHARS or "\0" in path or "\n" in path:
            return None
        if path.startswith("file:"):
            path = path_of_uri(path)
        if _WINDOWS_PATH.match(path):
            path = path.replace("\\", "/")
        if not path.startswith("/") and path[1:3] != ":/":
            if folder is not None:
                start = self.relative(folder)
                if start is None:
                    return None
                path = posixpath.join(start, path)
            return _inner(posixpath.normpath(path))
        path = posixpath.normpath(path)
        for root in self._roots:
            if path == root:
                return "."
            if path.startswith(f"{root}/"):
                return _inner(path[len(root) + 1 :])
        return None

    def edited(self, path: str, folder: str | None = None) -> str | None:
        """Do the same as `relative` for a file that a person or agent writes; return None for what tools create."""
        relative = self.relative(path, folder)
        if relative is None or relative == "." or _MADE_FOLDERS.intersection(relative.split("/")[:-1]):
            return None
        return relative

    def manifests(self, folder: str) -> dict[str, str]:
        """Return, by path, the texts of the files that name the project's commands, at the top and in `folder`."""
        forms = [(root, directory, form) for root in self._roots for directory in {".", folder} for form in _MANIFESTS]
        paths = (path for root, directory, form in forms for path in Path(root, directory).glob(form))
        texts: dict[str, str] = {}
        for path in islice(paths, _MAX_MANIFESTS):
            with contextlib.suppress(OSError), path.open("rb") as file:
                texts[path.as_posix()] = file.read(_MAX_MANIFEST_BYTES).decode("utf-8", "replace")
        return texts

    def local(self, text: str) -> str:
        """Remove the workspace's folder from paths in a text, and shorten home folders to `~`."""
        if self._inside is not None:
            text = self._inside.sub(lambda match: "" if match["end"] else ".", text)
        return _HOME.sub("~", text)


def _inner(path: str) -> str | None:
    return None if path == ".." or path.startswith("../") else path
