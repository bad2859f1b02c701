"""Queries that only editors make: what is remembered about a file or symbol, as plain values to display.

Nothing is written but outlines of files, and the memory file by `place` if asked. Positions are lines from 0 and code
point indexes; the front converts them to its client's units.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from sidecar.checkout.content import decode
from sidecar.checkout.tree import content_hash
from sidecar.engine.editor import page as pages
from sidecar.engine.editor.entries import ShownEntries
from sidecar.engine.editor.mentions import MentionIndex, bare_name
from sidecar.engine.editor.page import PageView
from sidecar.engine.editor.record_views import facets_of, symbols_of, view_of
from sidecar.engine.editor.views import FileView, MemoryPlace, MemoryView, SymbolView, TrackedView
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.workspaces import Workspaces
from sidecar.files.outline import outline
from sidecar.files.workspace_files import FileBriefing
from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memory_file import disk
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, SidecarError
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import ContentRecord, MemoryRecord

MAX_MEMORIES_SHOWN: Final = 200
"""Maximum memories looked up for one file or symbol."""

MAX_OUTLINED_BYTES: Final = 300_000
"""Maximum bytes of an open text that is outlined; for a longer text, the outline of the file on disk serves."""

_MAX_OUTLINES: Final = 16


class EditorQueries:
    """Answers an editor's queries. Thread-safe.

    About a document outside open workspaces, or in one whose memory is off, the answer is None or empty.
    """

    def __init__(self, workspaces: Workspaces, clock: Clock) -> None:
        self._workspaces = workspaces
        self.now = clock
        self._lock = threading.Lock()
        self._indexes: WeakKeyDictionary[MemoryStore, MentionIndex] = WeakKeyDictionary()
        self._shown = ShownEntries()
        self._outlines: RecentlyUsed[tuple[str, str], ContentRecord] = RecentlyUsed(_MAX_OUTLINES)

    def file(self, uri: str, text: str | None = None) -> FileView | None:
        """Return what is known about a file; `text` is its content in the editor, if known."""
        workspace = self._find(uri)
        if workspace is None:
            return None
        try:
            path = workspace.tree.relative(uri)
        except OutsideWorkspace:
            return None
        try:
            briefing: FileBriefing | None = workspace.briefing(path)
        except (FileUnavailable, OutsideWorkspace):
            briefing = None
        content = self._content(path, text, briefing)
        symbols = symbols_of(content) if content is not None else ()
        memories = self._memories(workspace, path, symbols)
        if briefing is None and not memories:
            return None
        note = briefing.note if briefing is not None else None
        return FileView(
            uri=uri,
            workspace_uri=workspace.uri,
            path=path,
            memories=memories,
            facets=(*facets_of(note.facets, True), *facets_of(note.former, False)) if note is not None else (),
            symbols=symbols,
            origin=note.origin if note is not None else None,
            partial=briefing.content.partial if briefing is not None else False,
        )

    def memories_naming(self, uri: str, name: str) -> list[tuple[str, str, MemoryView]]:
        """Return the memories about a symbol of this bare name in other files, each with the file's path and URI."""
        workspace = self._find(uri)
        if workspace is None:
            return []
        found_memories: list[tuple[str, str, MemoryView]] = []
        for record in self._records(workspace, self._index(workspace).memories_of_symbol(workspace.memory_store, name)):
            for path in dict.fromkeys(
                reference.path for reference in record.references if reference.path and reference.symbol
            ):
                view = view_of(record, path)
                if any(bare_name(symbol) == name for symbol in view.symbols):
                    found_memories.append((path, Path(workspace.tree.root, path).as_uri(), view))
        return found_memories

    def memory(self, id: str) -> MemoryView | None:
        return next(
            (view_of(workspace.book.searcher.get(id).record, "") for workspace in self._holding_memory(id)), None
        )

    def workspace_uri_of(self, id: str) -> str | None:
        """Return the URI of the open workspace that has this memory; None if none has it."""
        return next((workspace.uri for workspace in self._holding_memory(id)), None)

    def tracked(self, uri: str, marks: Sequence[str]) -> list[TrackedView]:
        """Return the last known states of the forge items that memories about a document name; send no request."""
        workspace = self._find(uri) if marks else None
        states = workspace.enrichment.known_records(marks) if workspace is not None else {}
        return [TrackedView(mark, item.kind, item.state, item.title) for mark, item in states.items()]

    def search(self, query: str, limit: int) -> list[tuple[MemoryView, MemoryPlace]]:
        """Find memories of all open workspaces that have a place to show them."""
        hits: list[tuple[MemoryView, MemoryPlace]] = []
        filters, hit_ids = Filters(agent=ANY_AGENT), set[str]()
        for workspace in self._workspaces.opened():
            if not workspace.is_enabled:
                continue
            page = (
                workspace.book.searcher.search(query, filters, limit)
                if query.strip()
                else workspace.book.searcher.list(filters, limit)
            )
            records = [hit.record for hit in page.items if hit.record.id not in hit_ids]
            hit_ids.update(record.id for record in records)
            entries = self._entry_places(workspace)
            for record in records:
                place = entries.get(record.id) or self._file_place(workspace, record)
                if place is not None:
                    hits.append((view_of(record, ""), place))
        return hits[:limit]

    def place(self, id: str, *, write: bool = False) -> MemoryPlace | None:
        """Return where a memory can be shown: in the memory file (with `write`, after an update), else in its first
        file.
        """
        for workspace in self._holding_memory(id):
            if write and workspace.is_enabled:
                workspace.memory_file.sync()
            record = workspace.book.searcher.get(id).record
            return self._entry_places(workspace).get(id) or self._file_place(workspace, record)
        return None

    # -- the memory file -------------------------------------------------------------------------------------

    def page(self, uri: str, text: str | None) -> PageView | None:
        """Return the view of the memory file or one of its pages; None for any other document."""
        workspace = self._find(uri)
        form = pages.form_of(workspace, uri) if workspace is not None else None
        if workspace is None or form is None:
            return None
        text = self.text(uri) if text is None else text
        return None if text is None else pages.read_page(self._shown, workspace, form, text, self.now())

    def is_page(self, uri: str) -> bool:
        workspace = self._find(uri)
        return workspace is not None and pages.form_of(workspace, uri) is not None

    def text(self, uri: str) -> str | None:
        """Return the content on disk of a readable file; None for any other."""
        workspace = self._find(uri)
        if workspace is None:
            return None
        try:
            if pages.form_of(workspace, uri) is not None:
                return disk.read_text(workspace.tree.root / workspace.tree.entry(uri))
            return decode(workspace.tree.read(workspace.tree.relative(uri)).data)
        except (FileUnavailable, OutsideWorkspace, disk.UnusableFile):
            return None

    def paths(self, uri: str, beginning: str, limit: int) -> list[str]:
        """Return known files of the workspace whose path, or a trailing part of the path, starts with `beginning`."""
        workspace = self._find(uri)
        if workspace is None:
            return []
        paths = [path for path in sorted(workspace.files.pointers.current()) if f"/{beginning}" in f"/{path}"]
        return sorted(paths, key=lambda path: not path.startswith(beginning))[:limit]

    def symbols(self, uri: str, path: str) -> tuple[SymbolView, ...]:
        workspace = self._find(uri)
        if workspace is None:
            return ()
        try:
            content = workspace.files.read_record(workspace.tree.relative(path))
        except OutsideWorkspace:
            return ()
        return symbols_of(content) if content is not None else ()

    # -- inside ----------------------------------------------------------------------------------------------

    def _holding_memory(self, id: str) -> Iterator[OpenWorkspace]:
        for workspace in self._workspaces.opened():
            try:
                workspace.book.searcher.get(id)
            except SidecarError:  # unknown here, or the store cannot be read
                continue
            yield workspace

    def _find(self, uri: str) -> OpenWorkspace | None:
        handle = self._workspaces.containing(uri) if uri.startswith("file:") else None
        if handle is None or not handle.settings.memory.enabled:
            return None
        return handle.open()

    def _index(self, workspace: OpenWorkspace) -> MentionIndex:
        with self._lock:
            return self._indexes.setdefault(workspace.memory_store, MentionIndex())

    def _records(self, workspace: OpenWorkspace, ids: Iterable[str]) -> list[MemoryRecord]:
        """Return memories as the checkout sees them, without expired and archived ones."""
        now, wanted = self.now(), list(ids)[:MAX_MEMORIES_SHOWN]
        by_id = workspace.book.searcher.get_many(wanted)
        records = [by_id[id] for id in wanted if id in by_id]  # the others were deleted meanwhile
        return [
            record
            for record in records
            if record.status != "archived" and (record.expires_at is None or record.expires_at > now)
        ]

    def _memories(self, workspace: OpenWorkspace, path: str, symbols: Sequence[SymbolView]) -> tuple[MemoryView, ...]:
        """Return the memories that name a file, and those that name only a symbol defined in the file."""
        symbol_names = dict.fromkeys(symbol.name for symbol in symbols)
        index = self._index(workspace)
        ids = index.memories_of_path(workspace.memory_store, path)
        ids += index.memories_of_bare_symbols(workspace.memory_store, {symbol.bare for symbol in symbols})
        views = [view_of(record, path, symbol_names) for record in self._records(workspace, dict.fromkeys(ids))]
        about = [view for view in views if view.symbols or view.whole]
        return tuple(sorted(about, key=lambda view: (view.status == "resolved", -view.updated_at)))

    def _content(self, path: str, text: str | None, briefing: FileBriefing | None) -> ContentRecord | None:
        """Return the outline of the text that the editor shows, without storing the outline."""
        saved = briefing.content if briefing is not None else None
        if text is None or len(text) > MAX_OUTLINED_BYTES:
            return saved
        data = text.encode("utf-8", "replace")
        key = (path, content_hash(data))
        if saved is not None and saved.hash == key[1]:
            return saved
        with self._lock:
            content: ContentRecord | None = self._outlines.get(key)
        if content is None:
            content = outline(path, data, key[1])
            with self._lock:
                self._outlines[key] = content
        return content

    def _entry_places(self, workspace: OpenWorkspace) -> dict[str, MemoryPlace]:
        return {
            id: MemoryPlace(Path(workspace.tree.root, path).as_uri(), first, last)
            for id, (path, first, last) in pages.places(self._shown, workspace, self.now()).items()
        }

    def _file_place(self, workspace: OpenWorkspace, record: MemoryRecord) -> MemoryPlace | None:
        paths = [*(reference.path for reference in record.references if reference.path), *record.files]
        for path in dict.fromkeys(paths):
            if not workspace.tree.exists(path):
                continue
            place = MemoryPlace(Path(workspace.tree.root, path).as_uri())
            wanted = [
                reference.symbol for reference in record.references if reference.path == path and reference.symbol
            ]
            content = workspace.files.read_record(path) if wanted else None
            for symbol in symbols_of(content) if content is not None else ():
                if symbol.name in wanted:
                    return replace(place, first=symbol.first, last=symbol.last)
            return place
        return None
