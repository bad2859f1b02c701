"""The index of all files of a checkout: it finds the files that a text is about and draws the repository map.

`engine` makes one per open workspace and calls it for `file/search`, `workspace/repoMap` and prompts. It is held in
memory and brought up to date on demand. A caller that cannot wait gets what is there already.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Final

import msgspec

from sidecar.checkout.history import HeadMoves, History
from sidecar.checkout.tree import Tree
from sidecar.files.graph.repo_map import RepoMap
from sidecar.files.graph.selection import RenderedMap
from sidecar.files.index.catching_up import CatchingUp
from sidecar.files.index.followers import SourceFiles
from sidecar.files.index.map_files import MapFiles, WorkersGone
from sidecar.files.kinds import SourceKind
from sidecar.files.pace import STEADY, Background, Deadline, DeadlineExceeded, Pace, WaitingRequests
from sidecar.files.retrieval.commit_index import Companion
from sidecar.files.retrieval.finding import NAMED_REASON, FoundFile, find_files
from sidecar.files.retrieval.past import PastCommits, PastState
from sidecar.files.retrieval.source_index import Indexed, SourceIndex
from sidecar.files.workers.pool import Turn, WorkerProcesses
from sidecar.files.workers.worker import Parsed
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.file_store import FileStore

log = logging.getLogger(__name__)

SEARCH_SECONDS: Final = 2.0  # time for catching up before a search, in a long-lived process
MAP_SECONDS: Final = 3.0  # time for catching up before a map while the index has fewer than `FEW_MAP_FILES`
FEW_MAP_FILES: Final = 1_000
USUAL_MAP_TOKENS: Final = 4_096
OUTLINED_TOGETHER: Final = 16  # files of a map that are outlined at once, which takes a second
MIN_COVERAGE: Final = 0.3
MIN_SHARE_OF_BEST: Final = 0.6
MAX_ATTEMPTS: Final = 2  # an answer whose files changed meanwhile is made once more


@dataclass(frozen=True)
class IndexState:
    """What the index holds: numbers of files and commits, and of files that wait. `failed` files revealed a defect."""

    files: int
    waiting: int
    commits: int
    history: PastState
    failed: int


class IndexOptions(msgspec.Struct, frozen=True):
    """How the index of all files is made.

    `commits` limits the number of past commits, `workers` the processes that read files for a waiting request. A
    process without background work sets `save_at_once`, so that the index is saved after each answer.
    """

    commits: int = 0
    workers: int | None = None
    save_at_once: bool = False


class CodeIndex:
    """The index of one open checkout. Thread-safe."""

    def __init__(self, files: WorkspaceFiles, tree: Tree, store: FileStore, options: IndexOptions) -> None:
        history, checkout = History(tree.root), files.checkout
        self.files = files
        self._lock = threading.RLock()  # guards sources, commits and places
        self._map_lock = threading.RLock()
        self._sources = SourceIndex(store, f"words {checkout}")
        self._map = RepoMap(parks=not options.save_at_once)
        self.source_follower = SourceFiles(files, self._sources, self._lock)
        self.map_files = MapFiles(files, tree, self._map, self._map_lock, store, checkout)
        self._save_at_once = options.save_at_once
        self._workers = options.workers or min(4, os.cpu_count() or 1)
        self._requests = WaitingRequests()
        self._catching_up = CatchingUp(files, tree, HeadMoves(history))
        self.past = PastCommits(store, history, options.commits, self._lock)
        with suppress(StoreUnavailable):  # the next request tries again
            self.source_follower.load()
        files.outlined.subscribe(self._forget_sketched)

    def state(self) -> IndexState:
        followed = self.source_follower
        return IndexState(
            len(followed.held), len(followed.waiting), len(self.past.index), self.past.state, self._failed()
        )

    def _failed(self) -> int:
        key_of = self.files.pointers.key
        return sum((key := key_of(path)) is not None and key[0] == hash for path, hash in self.files.faults.by_path())

    def pending(self) -> int:
        return self._catching_up.pending(self.source_follower.waiting)

    def history(self) -> PastState:
        """Return the state of the history. It is `waiting` while `find` lacks some commits."""
        return "waiting" if self.past.is_behind() else self.past.state

    def unscanned(self) -> int:
        with self._map_lock:
            unranked = self._map.unranked()
        return self._catching_up.guess({*self.map_files.waiting, *unranked})

    def knows_all(self) -> bool:
        """Return whether `likely_files` searches the commits and every file that was read."""
        followed = self.source_follower
        return not followed.waiting and not followed.is_behind() and not self.past.is_behind()

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name; none while another thread draws the map."""
        if not self._map_lock.acquire(blocking=False):
            return ()
        try:
            return self._map.defining(name)
        finally:
            self._map_lock.release()

    def _forget_sketched(self, path: str) -> None:
        if path in self.source_follower.held:
            self.source_follower.forget([path])

    def prepare(self, check: Callable[[], None], turn: Turn = nullcontext) -> None:
        """Bring everything up to date in the background, with many rests.

        `check` lets requests go first and may raise to stop; it is called about every millisecond. `turn` is held while
        a worker scans a batch.
        """
        pace = Background(self._requests, check)
        self._scan(pace, turn)
        self.source_follower.catch_up(pace)
        self.save_words()
        self.files.pointers.fold()  # before a ranking, after which free memory is returned
        self.past.refresh(pace)
        self._scan(pace, turn)
        with self._map_lock:
            due, large = self._map.is_due(), self._map.is_large
            if due and not large:
                self._map.rank()
        if due and large:
            self.map_files.rank(pace)
            self._scan(pace, turn)
        self.map_files.save()
        if due and large:
            self._outline_shown(pace, turn)

    def _scan(self, pace: Background, turn: Turn) -> None:
        with WorkerProcesses(1, awaited=False, turn=turn) as pool:
            self.map_files.catch_up(pool, pace)

    def _outline_shown(self, pace: Background, turn: Turn) -> None:
        """Outline the files that a usual map shows, so that no request for one waits for that."""
        with self._map_lock:
            unknown = self._map.unknown(self._map.plan(USUAL_MAP_TOKENS))
        with WorkerProcesses(1, awaited=False, turn=turn) as pool:
            for start in range(0, len(unknown), OUTLINED_TOGETHER):
                pace.rest()
                self.map_files.heads(unknown[start : start + OUTLINED_TOGETHER], pool)

    def find(self, text: str, limit: int, kinds: Collection[SourceKind] | None) -> list[FoundFile]:
        """Catch up, at most SEARCH_SECONDS; return the files that a text is about, likeliest first."""
        files: list[FoundFile] = []
        self._catch_up_with_past()  # while another thread may look for unread files
        self._catching_up.read_unread()
        late = self._late(SEARCH_SECONDS)
        for _ in range(MAX_ATTEMPTS):
            with self._requests, suppress(DeadlineExceeded):
                self.source_follower.catch_up(late, -1 if self._save_at_once else SEARCH_SECONDS)
            files = self._find(text, limit, kinds)
            lost = self._sources.lost()
            self.source_follower.forget(lost)
            if not lost and not self._changed_since(file.path for file in files):
                break
        if self._save_at_once:
            self.save_words()
        return files

    def likely_files(self, prompt: str, limit: int) -> list[tuple[str, float, tuple[str, ...]]]:
        """Return (path, score, reasons) of the files that a prompt is clearly about. Never wait: use what is known."""
        files = self._find(prompt, limit, None)
        top = files[0].score if files else 0.0
        return [
            (file.path, file.score, file.reasons)
            for file in files
            if file.score >= MIN_SHARE_OF_BEST * top and (file.coverage >= MIN_COVERAGE or NAMED_REASON in file.reasons)
        ]

    def companions(self, path: str) -> list[Companion]:
        """Return the files that mostly changed together with `path`; none until the commits have been read."""
        if self.past.is_behind():
            return []
        with self._lock:
            return self.past.index.companions(path)

    def draw_map(self, budget: int, files: Sequence[str] = (), identifiers: Sequence[str] = ()) -> RenderedMap:
        """Draw the repository map in at most `budget` tokens, as seen from these files and identifiers."""
        drawn = RenderedMap("", 0, ())
        self._catching_up.read_unread()
        with self._requests, WorkerProcesses(self._workers, awaited=True) as pool:
            for _ in range(MAX_ATTEMPTS):
                late = self._late(MAP_SECONDS if len(self.map_files.held) < FEW_MAP_FILES else SEARCH_SECONDS)
                try:
                    with suppress(DeadlineExceeded):
                        self.map_files.catch_up(pool, late, -1 if self._save_at_once else 1.0)
                except WorkersGone as error:  # the map shows what is there, and the next request tries again
                    log.warning("The map leaves files out: %s", error)
                drawn, changed = self._draw(budget, files, identifiers, pool)
                if not self._changed_since(drawn.files) and changed.isdisjoint(drawn.files):
                    break
        if self._save_at_once:
            self.map_files.save()
            self.save_words()
        return drawn

    def _draw(
        self, budget: int, files: Sequence[str], identifiers: Sequence[str], pool: WorkerProcesses
    ) -> tuple[RenderedMap, set[str]]:
        """Return a map, and the files whose contents have changed since it was planned."""
        with self._map_lock:
            plan = self._map.plan(budget, files, identifiers)
            unknown = self._map.unknown(plan)
            planned = {spot.path: self.map_files.held.get(spot.path) for spot in plan.wanted}
        known = self.map_files.heads(unknown, pool)
        unread: list[str] = []

        def heads(path: str) -> Sequence[str]:
            read = known if path in known else self.map_files.heads([path], pool)
            if path not in read:
                unread.append(path)
            return read.get(path, ())

        with self._map_lock:
            keys = self.map_files.held
            changed = {path for path, key in planned.items() if keys.get(path) != key}
            known = {path: outline for path, outline in known.items() if path not in changed}
            drawn = self._map.draw(plan, heads)
            self._map.forget_lines(unread)
        return drawn, changed

    def _find(self, text: str, limit: int, kinds: Collection[SourceKind] | None) -> list[FoundFile]:
        with self._lock:
            return find_files(text, self._sources, self.past.index, self._sources.places, limit, kinds)

    def _late(self, seconds: float) -> Pace:
        """Return a pace that ends after `seconds`; one without end in a process that serves one answer."""
        return STEADY if self._save_at_once else Deadline(seconds)

    def _catch_up_with_past(self) -> None:
        (self.past.refresh if self._save_at_once else self.past.refresh_briefly)()

    def put_parsed(self, parsed: Sequence[Parsed]) -> None:
        for file in parsed:
            if file.scan is None:
                continue
            key = (file.hash, file.scan.language)
            if file.terms is not None:
                self.source_follower.put(file.path, key, Indexed(key, file.terms))
            self.map_files.put(file.path, key, file.scan)

    def save_words(self) -> None:
        with self._lock:
            self._sources.save()

    def _changed_since(self, paths: Iterable[str]) -> bool:
        """Return whether any of `paths`, on which an answer depends, has changed on disk. Take in the changes."""
        changed = self.files.changed_since_read(paths)
        if changed:
            self.files.update(changed)
        return bool(changed)
