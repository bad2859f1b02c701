"""Feed the repository map with scans, so that it stays in step with the files.

The map needs a scan of every file, which worker processes make, and the outlines of the few files that it shows. It
does not need the warm-up.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.graph.repo_map import RepoMap
from sidecar.files.importance import importance
from sidecar.files.index.followers import Follower
from sidecar.files.pace import STEADY, Pace
from sidecar.files.pointers import Key
from sidecar.files.retrieval.stored_index import names_of
from sidecar.files.scan.record import Scan
from sidecar.files.scan.scanning import bare
from sidecar.files.workers.pool import WorkerProcesses
from sidecar.files.workers.ranker import pack_scans, rank_in_process, unpack_scans
from sidecar.files.workers.worker import Parsed, batches, parse
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.runtime.priority import return_free_heap
from sidecar.store.file_store import FileStore
from sidecar.store.records import SymbolRecord, every_symbol

log = logging.getLogger(__name__)

MAX_SCANNED_HERE: Final = 64  # files scanned in this process: starting another one costs about as much
MAX_OUTLINED_HERE: Final = 4
SCANS_A_BATCH: Final = 8  # so that a request has the first of them soon
OUTLINES_A_BATCH: Final = 4
LEARNED_AT_ONCE: Final = 512
LEARNED_ASIDE: Final = 64  # in the background, while a request may share the interpreter
SCANS_TOGETHER: Final = 512  # scans stored together, so that a warm-up cut short need not begin again
MIN_CHANGES_TO_SAVE: Final = 32
MAX_UNSAVED_SECONDS: Final = 300.0
MAX_PASSES: Final = 5  # after this many rounds, files that keep changing are taken as they are


class WorkersGone(OSError):
    """All processes that scan files died."""


class MapFiles(Follower[Scan]):
    """Keeps a map in step with the files, which worker processes scan."""

    def __init__(
        self, files: WorkspaceFiles, tree: Tree, map: RepoMap, lock: threading.RLock, store: FileStore, checkout: str
    ) -> None:
        super().__init__(files, map, lock)
        self._tree = tree
        self._map = map
        self.store = store
        self.name = f"map-{checkout}"
        self._scans = f"scans-{checkout}"
        self._since: dict[str, tuple[Key, Scan]] = {}  # scans that are not stored
        self._left = self._scanned()
        self._failed: dict[str, Key] = {}  # contents that no worker could read to the end
        self._kept = 0  # value of `changes` at the last `save`
        self._kept_at = time.monotonic()

    def catch_up(self, pool: WorkerProcesses, pace: Pace = STEADY, patience: float = -1) -> None:
        """Put the scans of changed files. Raises `WorkersGone`; what was put before stays.

        If another thread is catching up, wait `patience` seconds for it (-1: without end).
        """
        if not self.is_behind() or not self._busy.acquire(timeout=patience):
            return
        try:
            self.load()
            for path, key, scan in self._left:  # goes on where the last call stopped
                if self.held.get(path) != key == self._files.pointers.key(path):
                    super()._put(path, key, scan)
                    pace.rest()
            self._files.survey.add_important()
            for surveyed in range(MAX_PASSES):
                if surveyed:
                    self._files.survey.ensure_complete(pace.rest, patience)
                version = self._files.version
                for path in [path for path, key in self._compare_changed().items() if key is None]:
                    self._drop(path)
                todo = sorted(self.waiting, key=importance)
                if todo:
                    self._scan_all(todo, pool, pace)
                elif self._files.survey.complete:
                    self._version = version
                    return
        finally:
            self._busy.release()

    @property
    def waiting(self) -> list[str]:
        others = self._compare_changed()
        behind = [path for path, key in others.items() if key is not None and self._failed.get(path) != key]
        return behind + [path for path in self._files.survey.paths() if self._files.pointers.key(path) is None]

    def save(self) -> None:
        """Save the map for the next process if it is ranked, and its unsaved changes are many or old."""
        new = self.changes - self._kept
        if not new or (new < MIN_CHANGES_TO_SAVE and time.monotonic() - self._kept_at < MAX_UNSAVED_SECONDS):
            return
        with self._lock:
            packing, changes = self._map.packing(self.held), self.changes
        if packing is None:
            return
        self._kept, self._kept_at = changes, time.monotonic()
        try:
            self.store.put_mapped(self.name, packing())
            self._since = {}
            self.store.put_blobs({}, drop=[self._scans])
        except StoreUnavailable as error:
            log.info("The map was not stored: %s", error.message)
            return
        with self._lock:
            if self.changes == changes:  # the saved form takes a third of the memory
                self._restore(self.held)

    def _put(self, path: str, key: Key, value: Scan) -> None:
        if self.held.get(path) == key:
            return
        super()._put(path, key, value)
        self._since[path] = key, value
        if len(self._since) >= SCANS_TOGETHER:
            since, self._since = self._since, {}
            name = f"{self._scans} {time.time_ns():x}"
            with suppress(StoreUnavailable):
                names = msgspec.msgpack.encode([*names_of(self.store, self._scans), name])
                self.store.put_blobs({name: pack_scans(since), self._scans: names})

    def _scanned(self) -> Iterator[tuple[str, Key, Scan]]:
        """Yield the scans made since the map was saved; those of earlier processes first."""
        try:
            for name in names_of(self.store, self._scans):
                yield from unpack_scans(self.store.get_blob(name) or b"")
        except StoreUnavailable as error:
            log.info("The stored scans cannot be read: %s", error.message)
        yield from [(path, *scanned) for path, scanned in self._since.items()]

    def rank(self, pace: Pace) -> None:
        """Let another process rank all files. Save the ranked map, and go on from it."""
        with self._lock:
            contents, since = self.held.copy(), self._since.copy()
        try:
            parts = names_of(self.store, self._scans)
            stored = (self.store.get_blob(name) or b"" for name in parts)
            graph = self.store.get_mapped(self.name) or b""
            self.store.put_mapped(self.name, rank_in_process(contents, graph, chain(stored, [pack_scans(since)]), pace))
            with self._lock:
                held = self._restore()
                if not held:
                    return
                self._since = {path: scanned for path, scanned in self._since.items() if since.get(path) != scanned}
                self._left = self._scanned()
                self._begin_with(held)
                self._version = -1
                self._kept, self._kept_at = self.changes, time.monotonic()
            names = [name for name in names_of(self.store, self._scans) if name not in parts]
            self.store.put_blobs({self._scans: msgspec.msgpack.encode(names)}, drop=parts)
            return_free_heap()
        except (OSError, StoreUnavailable) as error:
            log.warning("The map was not ranked: %s", error)

    def load(self) -> None:
        try:
            super().load()
        except StoreUnavailable as error:
            log.info("The stored map cannot be read: %s", error.message)

    def _restore(self, only: Mapping[str, Key] | None = None) -> dict[str, Key]:
        data = self.store.get_mapped(self.name)
        return (self._map.restore(data, only) if data is not None else None) or {}

    def heads(self, paths: Sequence[str], pool: WorkerProcesses) -> dict[str, Sequence[str]]:
        """Return the heads of definitions of files, made from the contents that the map holds."""
        with self._lock:  # all are of one content
            defined = {path: (self.held[path], self._map.defined(path)) for path in paths if path in self.held}
        outlines = self._outlines({path: key for path, (key, _) in defined.items()}, pool)
        return {path: signatures_of(*defined[path][1], symbols) for path, symbols in outlines.items()}

    def _outlines(self, wanted: Mapping[str, Key], pool: WorkerProcesses) -> dict[str, Sequence[SymbolRecord]]:
        known = self._files.stored_records(set(wanted.values()))
        outlines: dict[str, Sequence[SymbolRecord]] = {
            path: known[key].symbols for path, key in wanted.items() if key in known
        }
        learned: list[Parsed] = []
        missing = [path for path in wanted if path not in outlines]
        for file in self._read(missing, OUTLINES_A_BATCH, MAX_OUTLINED_HERE, pool, scan=False):
            if file.content is not None:
                outlines[file.path] = file.content.symbols
                learned.append(file)
        if learned:
            self._files.store_parsed(learned)
        return outlines

    def _scan_all(self, paths: Sequence[str], pool: WorkerProcesses, pace: Pace) -> None:
        learned: list[Parsed] = []
        lost: list[str] = []
        scanned = 0
        at_once = LEARNED_AT_ONCE if pool.awaited else LEARNED_ASIDE
        try:
            for file in self._read(paths, SCANS_A_BATCH, MAX_SCANNED_HERE, pool, scan=True):
                scanned += 1
                if file.size < 0:
                    lost.append(file.path)
                    continue
                learned.append(file)
                if file.scan is None:
                    self._drop(file.path)
                else:
                    self._put(file.path, (file.hash, file.scan.language), file.scan)
                pace.rest()
                if len(learned) >= at_once:
                    self._files.store_parsed(learned)
                    learned = []
            if scanned < len(paths):
                raise WorkersGone(f"the processes that scan files stopped after {scanned} of {len(paths)} files")
        finally:
            self._files.store_parsed(learned)
            self._files.survey.discard(lost)
            failed = self._left_out(lost)
        if len(failed) == len(paths) > 1:
            raise WorkersGone(f"the processes that scan files stopped at each of {len(paths)} files")
        self._failed.update((path, key) for path, key in failed.items() if key is not None)

    def _left_out(self, lost: Sequence[str]) -> dict[str, Key | None]:
        """Drop the files that could not be scanned; return the known contents of those that still exist."""
        if not lost:
            return {}
        self._files.update(lost)
        current: dict[str, Key | None] = {}
        for path in lost:
            self._drop(path)
            with suppress(FileUnavailable, OutsideWorkspace):
                self._tree.stat(path)
                current[path] = self._files.pointers.key(path)
        return current

    def _read(
        self, paths: Sequence[str], batch: int, most_inline: int, pool: WorkerProcesses, *, scan: bool
    ) -> Iterator[Parsed]:
        work = batches(self._tree, paths, batch, outlines=0 if scan else len(paths), scan=scan)
        results: Iterable[list[Parsed]] = map(parse, work) if len(paths) <= most_inline else pool.run(work)
        for result in results:
            yield from result


def signatures_of(names: Sequence[str], lines: Sequence[int], symbols: Sequence[SymbolRecord]) -> list[str]:
    """Return the outline's signature of each scanned definition, found by name and nearest line; "" without one."""
    heads: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for symbol in every_symbol(symbols):
        heads[bare(symbol.name)].append((symbol.start, symbol.signature))
    return [
        min(heads[name], key=lambda head: (abs(head[0] - line), head))[1] if name in heads else ""
        for name, line in zip(names, lines, strict=True)
    ]
