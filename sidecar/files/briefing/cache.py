"""Cache of rendered briefings, because resolving a file's imports probes many paths."""

from __future__ import annotations

import threading
from typing import Final

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.briefing.notes import Note
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.records import ContentRecord
from sidecar.text.tokens import estimate

MAX_BRIEFINGS: Final = 512


class RenderedBriefing(msgspec.Struct, frozen=True):
    """The text of a briefing. It holds while the imported files exist and no file was added or removed."""

    generation: int
    imported: tuple[str, ...]
    text: str
    tokens: int


class Briefings:
    """The rendered briefings, one per content. Thread-safe."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lock = threading.Lock()
        self._kept: RecentlyUsed[tuple[object, ...], RenderedBriefing] = RecentlyUsed(MAX_BRIEFINGS)
        self._generation = 0

    def files_changed(self) -> None:
        """Resolve imports again: files may have been added or removed."""
        self._generation += 1

    def of(self, content: ContentRecord, path: str, budget: int, note: Note) -> RenderedBriefing:
        key, generation = (path, content.hash, budget, note.text, note.facts), self._generation
        with self._lock:
            kept: RenderedBriefing | None = self._kept.get(key)
        if kept and kept.generation == generation and self._tree.all_exist(kept.imported):
            return kept
        from sidecar.files.briefing.text import tell
        from sidecar.files.imports import project_imports

        imported = project_imports(content, path, self._tree.exists)
        text = tell(content, path=path, project_imports=imported, budget=budget, described=note.text, facts=note.facts)
        shown = RenderedBriefing(generation, tuple(imported), text, estimate(text))
        with self._lock:
            self._kept[key] = shown
        return shown
