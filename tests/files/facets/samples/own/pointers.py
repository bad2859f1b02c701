"""Which content stands at each path of a checkout, as far as this process has seen, and what that replaced."""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from sidecar.store.file_store import FileStore
from sidecar.store.records import PointerRecord

OUTRUN_NS = 10_000_000_000


@dataclass(frozen=True)
class Invalidated:
    """A file whose remembered content is no longer what is on disk."""

    path: str
    reason: Literal["changed", "deleted", "renamed"]
    old_hash: str
    hash: str | None = None
    new_path: str | None = None


class Pointers:
    """Path -> content, in this process's own view, written through to the store (None: kept in memory only)."""

    def __init__(self, store: FileStore | None, checkout: str, keep_per_path: int) -> None:
        self._store = store
        self._checkout = checkout
        self._keep = keep_per_path
        self._lock = threading.Lock()
        self._loaded: dict[str, PointerRecord] | None = None
        self.version = 0  # grows whenever what is known to stand at some path changes

    def get(self, path: str) -> PointerRecord | None:
        """What is known to stand at a path; its hash is empty when nothing worth remembering does."""
        with self._lock:
            return self._all().get(path)

    def standing(self) -> dict[str, PointerRecord]:
        """What stands at each path, without the paths where nothing worth remembering does."""
        with self._lock:
            return {path: pointer for path, pointer in self._all().items() if pointer.hash}

    def with_those_below(self, paths: Sequence[str]) -> list[str]:
        """Each path, with the known files below it when it is, or was, a folder."""
        with self._lock:
            pointers = self._all()
            folders = tuple(f"{path}/" for path in paths if path not in pointers)
            below = [path for path in pointers if path.startswith(folders)] if folders else []
        return list(dict.fromkeys([*paths, *below]))

    def places(self, hash: str) -> list[str]:
        """Paths at which this content stands, in order."""
        with self._lock:
            return sorted(path for path, pointer in self._all().items() if pointer.hash == hash)

    def _all(self) -> dict[str, PointerRecord]:
        if self._loaded is None:
            self._loaded = self._store.pointers(self._checkout) if self._store is not None else {}
        return self._loaded
