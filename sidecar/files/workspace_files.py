"""File memory: what is known about each file's content, always for the bytes now on disk.

The engine's handlers call `WorkspaceFiles.briefing`; the watcher's reports arrive at `update_reported`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.states import mark_at
from sidecar.checkout.tree import FileBytes, Tree
from sidecar.files.briefing.advice import advice
from sidecar.files.briefing.cache import Briefings
from sidecar.files.briefing.notes import NOTHING, Note
from sidecar.files.fault import Faults
from sidecar.files.invalidations import Invalidations
from sidecar.files.language import language_of
from sidecar.files.outline import RECIPE, outline
from sidecar.files.pointers import FoundContent, Key, Pointers
from sidecar.files.survey import Survey, listings_name, missing_contents, read_each
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.runtime.event import Event
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.file_store import FileStore
from sidecar.store.records import ContentRecord

if TYPE_CHECKING:
    from sidecar.files.workers.worker import Parsed

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_RECENT_RECORDS = 512
MAX_BRIEFING_TOKENS = 4_000


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
    hits: int = 0
    misses: int = 0


class WorkspaceFiles:
    """The file memory of one checkout. Thread-safe.

    What is said about one file is never stale: the file is read and hashed first, which takes well under a millisecond
    for a megabyte. What is said about all files is as they were last read.

    All checkouts of the workspace share one store. While memory is off there is none: briefings are made, and not kept.
    """

    def __init__(self, store: FileStore | None, tree: Tree, checkout: str, *, keep_per_path: int = 16) -> None:
        self._store = store
        self._tree = tree
        self.checkout = checkout
        self.pointers = Pointers(store, checkout, keep_per_path)
        self.paths_changed: Event[[Sequence[str]]] = Event()
        """Tells other parts of the workspace which paths, of files or folders, may have changed."""
        self.invalidated = Invalidations()
        """Announces outdated contents; those found during a report, after `paths_changed` has announced it."""
        self._lock = threading.Lock()
        self._recent: RecentlyUsed[Key, ContentRecord] = RecentlyUsed(MAX_RECENT_RECORDS)
        self._briefings = Briefings(tree)
        self._warned = False
        self._learned = 0  # number of occasions on which contents became known
        self.counts = LookupCounts()
        self.faults = Faults()
        self.snapshot = FolderSnapshot(tree, lambda: store.get_mapped(listings_name(checkout)) if store else None)
        self.indexed: dict[str, Key] = {}
        """The contents of the index, which keeps them here; they count as read even if the store lacks their record."""
        self.outlined: Event[[str]] = Event()
        """Announces the path of a file whose content was unknown and has just been outlined."""
        self.survey = Survey(tree, store, self.pointers, self.indexed, self.snapshot)
        self.survey.vanished.subscribe(self.update)

    def briefing(
        self,
        wire_path: str,
        intent: str = "explore",
        budget: int = MAX_BRIEFING_TOKENS,
        noted: Callable[[FileBytes, ContentRecord], Note] | None = None,
    ) -> FileBriefing:
        """Return the briefing of a file, given by URI or path. Raises `OutsideWorkspace` or `FileUnavailable`.

        `noted` returns what else is known about the file.
        """
        path = self._tree.relative(wire_path)
        try:
            file = self._tree.read(path)
        except FileUnavailable as error:
            if error.reason == "missing":
                self._record_seen(gone=[path])
            if error.reason == "generated" and (names := self._definitions_in_generated(path)):
                raise FileUnavailable(f"{error.message} {names}", reason=error.reason, hint=error.data.hint) from error
            raise
        content = self.record_of(file)
        self._record_seen([_found_content(file, content.language)])
        note = noted(file, content) if noted is not None else NOTHING
        rendered = self._briefings.of(content, path, min(budget, MAX_BRIEFING_TOKENS), note)
        size = content.lines, content.file_tokens, rendered.tokens
        return FileBriefing(
            path=path,
            hash=file.hash,
            text=rendered.text,
            tokens=rendered.tokens,
            advice=advice(*size, intent, content.partial, content.unparsed, rendered.text),
            content=content,
            note=note,
        )

    def _definitions_in_generated(self, path: str) -> str:
        """Return what generated a file, by its own words, and the file's main definitions."""
        from sidecar.files.briefing.generated import held_by

        with suppress(FileUnavailable):
            file = self._tree.read(path, generated=True)
            return held_by(path, file.data, file.hash)
        return ""

    def update_reported(self, reported: Iterable[str]) -> list[str]:
        """Take in changed files, reported by path or URI, and announce their paths. Return what `update` returns."""
        paths = self._tree.relative_paths(reported)
        if any(path.endswith(".gitignore") for path in paths):
            self._tree.ignores.invalidate()
        with self.invalidated.reporting():
            unread_paths = self._update_unannounced(paths)
            self.paths_changed.announce(paths)
        return unread_paths

    def update(self, paths: Sequence[str]) -> list[str]:
        """Read files that may have changed and report the changes; return the paths whose contents the store lacks.

        Paths are relative. A folder stands for the known files below it.
        """
        unread_paths = self._update_unannounced(paths)
        self.invalidated.announce_added()
        return unread_paths

    def _update_unannounced(self, paths: Sequence[str]) -> list[str]:
        """Do what `update` does, but leave it to the caller to announce what is invalidated."""
        self._briefings.files_changed()
        contents: list[FoundContent] = []
        vanished_paths: list[str] = []
        for path, file in read_each(self._tree, self.pointers.with_those_below(paths)):
            if file is None:
                vanished_paths.append(path)
            else:
                if file.path != path:  # a symlink took the file's place
                    vanished_paths.append(path)
                contents.append(_found_content(file, language_of(path, file.data)))
        with self.invalidated.adding() as unannounced:
            unannounced += [*self.pointers.record_gone(vanished_paths), *self.pointers.record_found(contents)]
        new = {found.path: found.key for found in contents if self.indexed.get(found.path) != found.key}
        unknown = self._unknown(set(new.values()))
        todo = [path for path, key in new.items() if key in unknown]
        self.survey.discard(vanished_paths)
        self.survey.add(todo)
        return todo

    def update_renamed(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """Take in files and folders that were moved, given as (old, new) pairs. Return what `update` returns."""
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
        with self.invalidated.reporting():
            with self.invalidated.adding() as unannounced:
                left = [(old, moves[old.path]) for old in self.pointers.record_gone(moves)]
                self.pointers.record_found(moves.values())
                unannounced += [replace(old, reason="renamed", hash=new.hash, new_path=new.path) for old, new in left]
            unread_paths = self._update_unannounced(self._tree.relative_paths(rest))
            self.paths_changed.announce(self._tree.relative_paths(path for pair in pairs for path in pair))
        return unread_paths

    def store_parsed(self, parsed: Sequence[Parsed]) -> None:
        """Store the contents that workers parsed, and report the files that changed."""
        if self._store is not None:
            self._store.put_contents([file.content for file in parsed if file.content])
        self._learned += 1
        contents: list[FoundContent] = []
        for file in parsed:
            record = file.content or file.scan
            language = record.language if record else ""
            contents.append(FoundContent(file.path, file.hash, language, file.size, file.mtime_ns))
            faults = [part.fault for part in (file.content, file.scan) if part and part.fault]
            self.faults.record(file.path, file.hash, faults[0] if faults else "")
        with self.invalidated.adding() as unannounced:
            replaced = self.pointers.record_found(contents)
            self.survey.discard(file.path for file in parsed if file.content or file.terms or not file.hash)
            unannounced += [
                change if change.hash else replace(change, reason="deleted", hash=None) for change in replaced
            ]
        self.invalidated.announce_added()
        self.pointers.fold(share=0.3)  # in parts, since all of a large checkout would take much memory

    def record_of(self, file: FileBytes) -> ContentRecord:
        """Return the record of a file that was just read. If it is new, outline the file and store the record."""
        language = language_of(file.path, file.data)
        key = (file.hash, language)
        self.survey.discard([file.path])
        with self._lock:
            recent: ContentRecord | None = self._recent.get(key)
            if recent is not None:
                self.counts.hits += 1
                return recent
        content = self._from_store(lambda store: store.content(file.hash, language, RECIPE), None)
        with self._lock:
            self.counts.misses += content is None
            self.counts.hits += content is not None
        if content is None:
            content = made = outline(file.path, file.data, file.hash)
            self.faults.record(file.path, file.hash, content.fault)
            self._from_store(lambda store: store.put_contents([made]), None)
            self._learned += 1
            self.outlined.announce(file.path)
        with self._lock:
            self._recent[key] = content
        return content

    @property
    def version(self) -> int:
        """A number that grows when a path's content changes or a content becomes known."""
        return self.pointers.version + self._learned + self.survey.version

    def stored_records(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], ContentRecord]:
        """Return the stored records of many contents, by hash and language. Raises `StoreUnavailable`."""
        if self._store is None:
            return {}
        contents = self._store.contents((hash, language, RECIPE) for hash, language in wanted)
        return {(hash, language): content for (hash, language, _), content in contents.items()}

    def read(self, path: str) -> tuple[FileBytes, ContentRecord] | None:
        """Return the file now at a path and its record; None if it is not worth remembering."""
        try:
            file = self._tree.read(path)
        except (FileUnavailable, OutsideWorkspace):
            return None
        content = self.record_of(file)
        self._record_seen([_found_content(file, content.language)])
        return file, content

    def read_record(self, path: str) -> ContentRecord | None:
        file_and_record = self.read(path)
        return None if file_and_record is None else file_and_record[1]

    def exists(self, path: str) -> bool:
        """Return whether a regular file that is not ignored is at a path. It need not have a briefing."""
        return self._tree.exists(path)

    def changed_since_read(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` whose files changed in size or time since they were last read."""
        return [path for path in paths if self.pointers.mark(path) != mark_at(f"{self._tree.root}/{path}")]

    def count(self) -> int:
        return self._store.count() if self._store is not None else 0

    def _unknown(self, contents: Collection[Key]) -> set[Key]:
        new = {content for content in contents if content not in self._recent}
        if self._store is None:
            return set()
        return self._from_store(lambda store: set(missing_contents(store, new, lambda: None)), new)

    def _from_store(self, ask: Callable[[FileStore], T], otherwise: T) -> T:
        """Return what the store answers, or `otherwise` without a working store."""
        try:
            return ask(self._store) if self._store is not None else otherwise
        except StoreUnavailable as error:
            log.log(logging.INFO if self._warned else logging.WARNING, "Briefings are not stored: %s", error.message)
            self._warned = True
            return otherwise

    def _record_seen(self, seen: Sequence[FoundContent] = (), *, gone: Sequence[str] = ()) -> None:
        """Record what was found at paths now, and announce what that invalidates."""
        with self.invalidated.adding() as unannounced:
            replaced = [*self.pointers.record_gone(gone), *self.pointers.record_found(seen)]
            unannounced += replaced
        if replaced:
            self.invalidated.announce_added()

    def _moved_file(self, old: str, new: str) -> FoundContent | None:
        """Return the file at `new` if a known file was moved there from `old`, else None."""
        if self.pointers.key(old) is None or self._tree.exists(old):
            return None
        try:
            file = self._tree.read(new)
        except (FileUnavailable, OutsideWorkspace):
            return None
        return _found_content(file, language_of(new, file.data))


def _found_content(file: FileBytes, language: str) -> FoundContent:
    return FoundContent(file.path, file.hash, language, file.size, file.mtime_ns)
