"""File memory: what is known about each file's content, always for the bytes now on disk."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.tree import FileBytes, Tree
from sidecar.files.briefing.advice import advice
from sidecar.files.briefing.cache import Briefings
from sidecar.files.briefing.notes import NOTHING, Note
from sidecar.files.fault import Faults
from sidecar.files.language import language_of
from sidecar.files.outline import RECIPE, outline
from sidecar.files.pointers import FoundContent, Invalidated, Key, Pointers
from sidecar.files.unread import UnreadPaths, read_each, unkept, unread
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.runtime.event import Event
from sidecar.store.file_store import FileStore
from sidecar.store.records import ContentRecord

if TYPE_CHECKING:
    from sidecar.files.workers.worker import Parsed

log = logging.getLogger(__name__)

RECENT = 512
"""Parsed contents held in memory; all others are one store read away."""

BRIEFING_TOKENS = 4_000
"""Size of the largest briefing: a header with a thousand names is not listed name by name."""


class FileBriefing(msgspec.Struct, frozen=True):
    """The briefing of one file. `advice`, if any, says why to read the file instead."""

    path: str
    hash: str
    text: str
    tokens: int
    advice: str | None
    content: ContentRecord
    note: Note = NOTHING


class LookupCounts(msgspec.Struct):
    """How often a content was already known when a briefing was requested."""

    hits: int = 0
    misses: int = 0


class FileMemory:
    """The file memory of one checkout, over a store shared by all checkouts of the workspace. Thread-safe.

    Every answer starts by reading and hashing the file, so none can be stale: hashing a megabyte takes well under a
    millisecond. What a path held before is this object's own view, not the store's: several processes may share a
    store, and each must notice a change for its own client.

    `store` is None while memory is switched off: briefings are then computed and nothing is kept.
    """

    def __init__(self, store: FileStore | None, tree: Tree, checkout: str, *, keep_per_path: int = 16) -> None:
        self._store = store
        self._tree = tree
        self.checkout = checkout
        self.snapshot = FolderSnapshot(tree)
        self._listings = f"folders-{checkout}"
        self.pointers = Pointers(store, checkout, keep_per_path)
        self.paths_changed: Event[[Sequence[str]]] = Event()
        """Something else may be at these paths, or below them."""
        self.invalidated: Event[[Sequence[Invalidated]]] = Event()
        self._lock = threading.Lock()
        self._recent: OrderedDict[tuple[str, str], ContentRecord] = OrderedDict()
        self._briefings = Briefings(tree)
        self._telling = threading.Lock()  # so that the client is notified in the order in which the pointers moved
        self._warned = False
        self._learned = 0  # number of occasions on which contents became known
        self.counts = LookupCounts()
        self.faults = Faults()
        self.lacking = UnreadPaths()
        self._indexed: Callable[[], Mapping[str, Key]] = dict
        self._surveying = threading.RLock()
        self._surveyed: list[str] = []  # what the last survey found unread

    def attach_index(self, contents: Callable[[], Mapping[str, Key]]) -> None:
        """Count contents that the index of all files holds as read, although no record of them may be stored."""
        self._indexed = contents

    def briefing(
        self,
        wire_path: str,
        intent: str = "explore",
        budget: int = BRIEFING_TOKENS,
        noted: Callable[[FileBytes, ContentRecord], Note] | None = None,
    ) -> FileBriefing:
        """Return the briefing of a file, given by URI or path, in at most `budget` tokens.

        `noted` returns what else is known about the file. Raises `OutsideWorkspace` or `FileUnavailable`.
        """
        path = self._tree.relative(wire_path)
        try:
            file = self._tree.read(path)
        except FileUnavailable as error:
            if error.reason == "missing":
                with self._telling:
                    self._tell(self.pointers.gone([path]))
            raise
        content = self.outlined(file)
        with self._telling:
            self._tell(self.pointers.move([_at(file, content.language)]))
        note = noted(file, content) if noted is not None else NOTHING
        shown = self._briefings.of(content, path, min(budget, BRIEFING_TOKENS), note)
        size = content.lines, content.file_tokens, shown.tokens
        return FileBriefing(
            path=path,
            hash=file.hash,
            text=shown.text,
            tokens=shown.tokens,
            advice=advice(*size, intent, content.partial, content.unparsed, shown.text),
            content=content,
            note=note,
        )

    def apply(self, reported: Iterable[str]) -> list[str]:
        """Process reported changes of files, by path or URI, and tell all who know them; return as `changed`."""
        paths = self._tree.relatives(reported)
        if any(path.endswith(".gitignore") for path in paths):
            self._tree.ignores.invalidate()
        unread_paths = self.changed(paths)
        self.paths_changed(paths)
        return unread_paths

    def changed(self, paths: Sequence[str]) -> list[str]:
        """Look again at files that may have changed, report those that did, and return the paths worth warming.

        Paths are relative; ignored ones and repeats change nothing. A folder stands for the known files below it.
        """
        self._briefings.files_changed()
        seen: list[FoundContent] = []
        gone: list[str] = []
        for path, file in read_each(self._tree, self.pointers.with_those_below(paths)):
            if file is None:
                gone.append(path)
            else:
                if file.path != path:  # a symlink replaced it and has no memory of its own
                    gone.append(path)
                seen.append(_at(file, language_of(path, file.data)))
        with self._telling:
            self._tell([*self.pointers.gone(gone), *self.pointers.move(seen)])
        held = self._indexed()
        new = {at.path: key for at in seen if held.get(at.path) != (key := (at.hash, at.language))}
        unknown = self._unknown(set(new.values()))
        todo = [path for path, key in new.items() if key in unknown]
        self.lacking.discard(gone)
        self.lacking.add(todo)
        return todo

    def renamed(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Note files or folders moved from the first path of each pair to the second; otherwise as `apply`."""
        moves: dict[str, FoundContent] = {}
        rest: list[str] = []
        for pair in pairs:
            try:
                old, new = map(self._tree.relative, pair)
            except OutsideWorkspace:
                rest += pair
                continue
            for path in self.pointers.with_those_below([old]):
                moved = new + path.removeprefix(old)
                moved_file = self._moved_file(path, moved)
                if moved_file is None:
                    rest += [path, moved]
                else:
                    moves[path] = moved_file
        with self._telling:
            gone = self.pointers.gone(moves)
            self.pointers.move(moves.values())
            pairs_told = [(old, moves[old.path]) for old in gone]
            self._tell([replace(old, reason="renamed", hash=at.hash, new_path=at.path) for old, at in pairs_told])
        unread_paths = self.changed(self._tree.relatives(rest))
        self.paths_changed(self._tree.relatives(path for pair in pairs for path in pair))
        return unread_paths

    def unread(self, check: Callable[[], None]) -> list[str]:
        """Return files whose content, judging by `stat`, is not yet known, important ones first; `check` may raise."""
        before = self._surveyed
        with self._surveying:
            if self._surveyed is not before:  # another thread surveyed while this one waited
                return list(filter(self.lacking.paths().__contains__, self._surveyed))
            files = self._walked(check)
            unread_paths, gone = unread(self._tree, files, self.pointers, self._store, self._indexed(), check)
            if gone:
                self.changed(gone)
            self.lacking.add(unread_paths)
            self.lacking.surveyed = True
            self._surveyed = unread_paths
        return unread_paths

    def _walked(self, check: Callable[[], None]) -> dict[str, int]:
        """Return the files on disk with their marks; folders that an earlier process listed are listed if changed."""
        first, listings = not self.lacking.surveyed, self.snapshot.listings
        stored = self._store.get_mapped(self._listings) if first and self._store is not None else None
        if stored is not None:
            listings.open(stored)
        files = self.snapshot.all(check, again=not first)
        if listings.renewed and self._store is not None:
            with suppress(StoreUnavailable):
                self._store.put_mapped(self._listings, listings.packed())
        return files

    def first(self) -> list[str]:
        """Return a few important unread files, found without a walk; empty once all files have been surveyed."""
        if self.lacking.surveyed or self.pointers.current():
            return []
        from sidecar.files.importance import tracked_first  # loads the graph, which no hook needs

        important_paths = tracked_first(self._tree)
        self.lacking.add(important_paths)
        return important_paths

    def survey(self, check: Callable[[], None], patience: float) -> None:
        """Make `lacking` list all unread files, looking for them once.

        `check` may raise; `patience` is how many seconds to wait for another thread's survey (-1: as long as it takes).
        """
        if not self.lacking.surveyed and self._surveying.acquire(timeout=patience):
            try:
                if not self.lacking.surveyed:
                    self.unread(check)
            finally:
                self._surveying.release()

    def learn(self, parsed: Sequence[Parsed]) -> None:
        """Store what workers read; first report files that they found changed."""
        if self._store is not None:
            self._store.put_contents([file.content for file in parsed if file.content])
        self._learned += 1
        seen: list[FoundContent] = []
        for file in parsed:
            record = file.content or file.scan
            seen.append(FoundContent(file.path, file.hash, record.language if record else "", file.size, file.mtime_ns))
            self.faults.note(
                file.path,
                file.hash,
                next((parts.fault for parts in (file.content, file.scan) if parts and parts.fault), ""),
            )
        with self._telling:
            invalidated = self.pointers.move(seen)
            self.lacking.discard(file.path for file in parsed if file.content or file.terms or not file.hash)
            self._tell([t if t.hash else replace(t, reason="deleted", hash=None) for t in invalidated])

    def outlined(self, file: FileBytes) -> ContentRecord:
        """Return the record of a file that was just read, made and stored if new."""
        language = language_of(file.path, file.data)
        key = (file.hash, language)
        self.lacking.discard([file.path])
        with self._lock:
            recent = self._recent.get(key)
            if recent is not None:
                self._recent.move_to_end(key)
                self.counts.hits += 1
                return recent
        content = self._stored(file.hash, language)
        with self._lock:
            if content is None:
                self.counts.misses += 1
            else:
                self.counts.hits += 1
        if content is None:
            content = outline(file.path, file.data, file.hash)
            self.faults.note(file.path, file.hash, content.fault)
            self._store_content(content)
            self._learned += 1
        with self._lock:
            self._recent[key] = content
            while len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        return content

    @property
    def version(self) -> int:
        """Version that changes whenever `current` may give another answer or a content it lists became known."""
        return self.pointers.version + self._learned + self.lacking.version

    def current(self) -> dict[str, tuple[str, str]]:
        """Return the hash and language of the content at each path, as far as this process has seen."""
        return {path: (pointer.hash, pointer.language) for path, pointer in self.pointers.current().items()}

    def known(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ContentRecord]:
        """Return the stored records of many contents, by hash and language. Raises `StoreUnavailable`."""
        if self._store is None:
            return {}
        contents = self._store.contents((hash, language, RECIPE) for hash, language in wanted)
        return {(hash, language): content for (hash, language, _), content in contents.items()}

    def read(self, path: str) -> tuple[FileBytes, ContentRecord] | None:
        """Return the bytes now at a path and their record, parsed if needed; None if there are none."""
        try:
            file = self._tree.read(path)
        except (FileUnavailable, OutsideWorkspace):
            return None
        content = self.outlined(file)
        with self._telling:
            self._tell(self.pointers.move([_at(file, content.language)]))
        return file, content

    def read_now(self, path: str) -> ContentRecord | None:
        seen = self.read(path)
        return None if seen is None else seen[1]

    def exists(self, path: str) -> bool:
        """Return whether there is a regular, not ignored file at a path, with or without a briefing."""
        return self._tree.exists(path)

    def outdated(self, paths: Iterable[str]) -> list[str]:
        """Return the paths whose size or time differs from what was last seen."""
        stale: list[str] = []
        for path in paths:
            pointer = self.pointers.get(path)
            try:
                state = os.lstat(self._tree.root / path)
            except (OSError, ValueError):
                stale.append(path)
            else:
                changed_at = max(state.st_mtime_ns, state.st_ctime_ns)  # the time that the tree uses
                if pointer is None or (pointer.size, pointer.mtime_ns) != (state.st_size, changed_at):
                    stale.append(path)
        return stale

    def count(self) -> int:
        return self._store.count() if self._store is not None else 0

    def _unknown(self, contents: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
        new = {content for content in contents if content not in self._recent}
        try:
            return set(unkept(self._store, new, lambda: None)) if self._store is not None else set()
        except StoreUnavailable as error:
            self._without_store(error)
            return new

    def _stored(self, hash: str, language: str) -> ContentRecord | None:
        try:
            return self._store.content(hash, language, RECIPE) if self._store is not None else None
        except StoreUnavailable as error:
            self._without_store(error)
            return None

    def _store_content(self, content: ContentRecord) -> None:
        try:
            if self._store is not None:
                self._store.put_contents([content])
        except StoreUnavailable as error:
            self._without_store(error)

    def _without_store(self, error: StoreUnavailable) -> None:
        """Log that nothing is kept; a briefing can always be made from the file."""
        log.log(logging.INFO if self._warned else logging.WARNING, "Briefings are not stored: %s", error.message)
        self._warned = True

    def _tell(self, invalidated: Sequence[Invalidated]) -> None:
        if invalidated:
            self.invalidated(invalidated)

    def _moved_file(self, old: str, new: str) -> FoundContent | None:
        """Return what is now at `new`; None if this was not a plain rename of a known file."""
        before = self.pointers.get(old)
        if before is None or not before.hash or self._tree.exists(old):
            return None
        try:
            file = self._tree.read(new)
        except (FileUnavailable, OutsideWorkspace):
            return None
        return _at(file, language_of(new, file.data))


def _at(file: FileBytes, language: str) -> FoundContent:
    return FoundContent(file.path, file.hash, language, file.size, file.mtime_ns)
