"""The present contents at the paths of a checkout, and the contents of single symbols.

`memories/index/judging.py` judges by them whether a memory still holds. An answer is kept until `forget_changed` or
`forget` drops it, or until there are `KEPT_PATHS`. `forget_changed` compares `lstat` results, in microseconds. Whoever
notices a change, the catalogue still learns of it by `take_changed`.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sidecar.checkout.tree import FileBytes, Tree
from sidecar.checkout.walk import mark
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace
from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.checkout.history import History

log = logging.getLogger(__name__)

KEPT_PATHS = 100_000
# At most this many moved files are looked up in git, about 10 ms each, until HEAD moves.
_MAX_GIT_LOOKUPS = 8


class _PresentContent(NamedTuple):
    hash: str | None
    state: tuple[int, ...] | None


class PresentFiles:
    """The present state of one checkout. Thread-safe. Unreadable files count as absent."""

    def __init__(self, tree: Tree, files: WorkspaceFiles, symbols: SymbolCache) -> None:
        self._head: tuple[object, ...] | None = None
        self._renamed_paths: dict[str, str | None] = {}  # by the path before, as of that state of HEAD
        self._tree = tree
        self._files = files
        self._root = str(tree.root)
        self._lock = threading.Lock()
        self._contents: dict[str, _PresentContent] = {}
        self._unjudged: set[str] = set()  # paths found changed, by which nobody has judged memories again
        self._symbols = symbols

    @made_once
    def _history(self) -> History:
        from sidecar.checkout.history import History

        return History(self._tree.root)

    def content(self, path: str) -> str | None:
        """Return the hash of the file's content; None if the file is missing or not worth remembering."""
        reading = self._contents.get(path)
        if reading is None:
            reading = self._read_now(path)
            with self._lock:
                if len(self._contents) >= KEPT_PATHS:
                    self._unjudged.update(self._contents)  # from here on no change of theirs would be found
                    self._contents.clear()
                self._contents[path] = reading
        return reading.hash

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        """Return the present hashes of those of a file's symbols that it has."""
        hash = self.content(path)
        if hash is None:
            return {}
        hashes = self._symbols.cached(path, hash, names)
        if hashes is not None:
            return hashes
        file = self.read(path)
        if file is None or file.hash != hash:
            self._drop([path])
            return self.symbols(path, names) if file is not None and self.content(path) == file.hash else {}
        return self._symbols.hashes(path, self._files.record_of(file), file.data, names)

    def read(self, path: str) -> FileBytes | None:
        try:
            return self._tree.read(path)
        except (FileUnavailable, OutsideWorkspace, OSError) as error:
            log.debug("%s cannot be read for comparison: %s", path, error)
            return None

    def moved(self, hash: str, path: str) -> str | None:
        """Return a present path of the content that was once at `path`, if file memory or git knows one."""
        for place in self._files.pointers.paths_of(hash):
            if self.content(place) == hash:
                return place
        renamed = self._renamed(path)
        return renamed if renamed is not None and self.content(renamed) == hash else None

    def _renamed(self, path: str) -> str | None:
        state = self._history.state()
        if state != self._head:
            self._head, self._renamed_paths = state, {}
        if path not in self._renamed_paths and len(self._renamed_paths) < _MAX_GIT_LOOKUPS:
            self._renamed_paths[path] = self._history.renamed_path(path)
        return self._renamed_paths.get(path)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget the contents of these paths and of the paths below them."""
        stripped = {path.rstrip("/") for path in paths}
        with self._lock:
            for path in [
                path for path in self._contents if not stripped.isdisjoint(accumulate(path.split("/"), "{}/{}".format))
            ]:
                del self._contents[path]

    def forget_changed(self, paths: Iterable[str]) -> None:
        """Forget the contents of those of `paths` that have changed."""
        readings = [(path, reading) for path in paths if (reading := self._contents.get(path)) is not None]
        self._drop([path for path, reading in readings if self._state(path) != reading.state])

    def take_changed(self, paths: Collection[str]) -> list[str]:
        """Return those of `paths` whose change nobody took before, to judge memories by their present contents."""
        self.forget_changed(paths)
        with self._lock:
            changed = [path for path in paths if path in self._unjudged]
            self._unjudged.difference_update(changed)
        return changed

    def _drop(self, changed: Collection[str]) -> None:
        if changed:
            with self._lock:
                self._unjudged.update(changed)
                for path in changed:
                    self._contents.pop(path, None)

    def _read_now(self, path: str) -> _PresentContent:
        state = self._state(path)  # before the read, so that a change meanwhile shows as outdated
        if state is None:
            return _PresentContent(None, None)
        last, last_mark = self._files.pointers.key_and_mark(path)
        if last is not None and last_mark == mark(state[0], max(state[1], state[2])):
            return _PresentContent(last[0], state)
        file = self.read(path)
        return _PresentContent(None if file is None else file.hash, state)

    def _state(self, path: str) -> tuple[int, ...] | None:
        if path.startswith("/") or ".." in path.split("/"):
            return None  # outside the checkout: records may come from another program
        try:
            stat = os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
        return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
