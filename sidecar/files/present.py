"""What stands at the paths of a checkout now, asked again and again: by content, and by a symbol's own content.

An answer is kept until `outdated` or `forget` drops it. `outdated` compares what `lstat` says, in microseconds, so that
what is about to be shown can be checked each time.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from sidecar.checkout.tree import FileBytes, Tree
from sidecar.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.files.memory import FileMemory
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.symbol_hashes import RECIPE, symbol_hashes
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)

_KEPT_SYMBOLS = 4_096
_KEPT_PATHS = 100_000
_MOVED_KEPT = 4_096

State = tuple[int, ...]
_hashes = msgspec.msgpack.Decoder(dict[str, str])


class _Seen(NamedTuple):
    hash: str | None
    state: State | None


class Present:
    """The present state of one checkout. Safe for any number of threads; errors of files count as their absence."""

    def __init__(self, tree: Tree, files: FileMemory, store: FileStore | None) -> None:
        self._tree = tree
        self._files = files
        self._store = store
        self._root = str(tree.root)
        self._lock = threading.Lock()
        self._seen: dict[str, _Seen] = {}
        self._symbols: OrderedDict[tuple[str, str], dict[str, str | None]] = OrderedDict()
        self._standing: OrderedDict[str, str] = OrderedDict()  # content -> a path at which it was just seen

    def content(self, path: str) -> str | None:
        """The hash of the file's content; None when there is no such file worth remembering."""
        seen = self._seen.get(path)
        if seen is None:
            seen = self._look(path)
            with self._lock:
                if len(self._seen) >= _KEPT_PATHS:
                    self._seen.clear()
                self._seen[path] = seen
        return seen.hash

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        """The hashes of symbols of a file as it is now; a name that it does not have is missing."""
        hash = self.content(path)
        if hash is None:
            return {}
        key = (hash, path.rsplit("/", 1)[-1])
        with self._lock:
            known = self._symbols.get(key)
            if known is not None:
                self._symbols.move_to_end(key)
        if known is None:
            known = self._stored(key)
        missing = [name for name in names if name not in known]
        if missing:
            found = self.read(path)
            if found is None or found.hash != hash:
                self.forget([path])
                return (
                    self.symbols(path, names)
                    if found is not None and self.content(path) == found.hash
                    else {}
                )
            made = symbol_hashes(self._files.outlined(found), found.data, missing)
            known = {**known, **{name: made.get(name) for name in missing}}
            self._keep(key, known)
        with self._lock:
            self._symbols[key] = known
            while len(self._symbols) > _KEPT_SYMBOLS:
                self._symbols.popitem(last=False)
        return {name: value for name in names if (value := known.get(name)) is not None}

    def read(self, path: str) -> FileBytes | None:
        """The file itself; None when it cannot be read."""
        try:
            return self._tree.read(path)
        except (FileUnavailable, OutsideWorkspace, OSError) as error:
            log.debug("%s is not there to be compared: %s", path, error)
            return None

    def moved(self, hash: str) -> str | None:
        """A path at which this content stands now; None when none is known."""
        places = self._files.places(hash)
        with self._lock:
            just = self._standing.get(hash)
        return next((path for path in ([just] if just else []) + places if self.content(path) == hash), None)

    def notice(self, paths: Iterable[str]) -> None:
        """Look at files that came or changed, so that `moved` finds their content."""
        for path in paths:
            hash = self.content(path)
            if hash is not None:
                with self._lock:
                    self._standing[hash] = path
                    while len(self._standing) > _MOVED_KEPT:
                        self._standing.popitem(last=False)

    def forget(self, paths: Iterable[str]) -> None:
        """Look again at these paths, and at those below, when next asked."""
        given = [path.rstrip("/") for path in paths]
        below = tuple(f"{path}/" for path in given)
        with self._lock:
            for path in given:
                self._seen.pop(path, None)
            if len(given) <= 50:
                for path in [path for path in self._seen if path.startswith(below)]:
                    del self._seen[path]
            else:
                folders = set(given)
                for path in [path for path in self._seen if not folders.isdisjoint(_parents(path))]:
                    del self._seen[path]

    def outdated(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths asked for before that are not what they were; they are looked at again when next asked."""
        changed: list[str] = []
        for path in paths:
            seen = self._seen.get(path)
            if seen is not None and self._state(path) != seen.state:
                changed.append(path)
        if changed:
            with self._lock:
                for path in changed:
                    self._seen.pop(path, None)
        return changed

    def _look(self, path: str) -> _Seen:
        state = self._state(path)  # before the read: what changes meanwhile shows as outdated
        if state is None:
            return _Seen(None, None)
        last = self._files.last_seen(path)
        if (
            last is not None
            and last.hash
            and last.size == state[0]
            and last.mtime_ns == max(state[1], state[2])
        ):
            return _Seen(last.hash, state)
        found = self.read(path)
        return _Seen(None if found is None else found.hash, state)

    def _state(self, path: str) -> State | None:
        try:
            found = os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino

    def _stored(self, key: tuple[str, str]) -> dict[str, str | None]:
        try:
            kept = None if self._store is None else self._store.get_blob(_name(key))
            return {} if kept is None else dict(_hashes.decode(kept))
        except (StoreUnavailable, msgspec.MsgspecError) as error:
            log.info("the hashes of symbols are made anew: %s", error)
            return {}

    def _keep(self, key: tuple[str, str], known: Mapping[str, str | None]) -> None:
        """Keep what was made, so that the next start need not parse the file; absent symbols are looked for again."""
        if self._store is None:
            return
        try:
            value = {name: hash for name, hash in known.items() if hash is not None}
            self._store.put_blob(_name(key), msgspec.msgpack.encode(value))
        except StoreUnavailable as error:
            log.info("the hashes of symbols are not kept: %s", error.message)


def _name(key: tuple[str, str]) -> str:
    extension = key[1].rpartition(".")[2]
    return f"symbols {RECIPE} {OUTLINE_RECIPE} {key[0]} {extension}"


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
