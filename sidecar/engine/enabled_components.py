"""What a workspace is made of only while memory is enabled; each component is made when it is first asked for.

A hook or a command asks for one or two of them, and importing the others would take longer than its whole answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.checkout.identity import Identity
    from sidecar.checkout.standing import Standing
    from sidecar.checkout.tree import Tree
    from sidecar.engine.services import Services
    from sidecar.engine.workspace import Workspace
    from sidecar.files.briefing.saved_tokens import SavedTokens
    from sidecar.files.facets.book import FacetBook
    from sidecar.files.index.code_index import CodeIndex
    from sidecar.files.memory import FileMemory
    from sidecar.files.retrieval.commit_index import Companion
    from sidecar.files.symbols.cache import SymbolCache
    from sidecar.memories.book import MemoryBook
    from sidecar.memory_file.sync import MemoryFile
    from sidecar.store.file_store import FileStore
    from sidecar.store.knowledge_store import KnowledgeStore
    from sidecar.store.memory_store import MemoryStore
    from sidecar.store.records import TrackedRecord
    from sidecar.summaries.jobs import QuestionQueue
    from sidecar.summaries.session_reading import SessionReading
    from sidecar.trackers.work import Enrichment

UNNAMED_KEPT_MS = 90 * 86_400_000
"""Facts about a content that no path has any more are kept this long: a branch may bring the content back."""

MOST_UNNAMED = 5_000
"""Such contents that are kept at most; of more, those known longest go."""


class Foundation(msgspec.Struct, frozen=True):
    """What the components are made of."""

    identity: Identity
    standing: Standing
    home: Path
    workspace: Workspace
    services: Services
    tree: Tree
    memories: MemoryStore
    book: MemoryBook
    files: FileMemory
    files_store: FileStore
    symbols: SymbolCache


class EnabledComponents:
    """The components of a workspace whose memory is switched on. Any thread; each is made once.

    The store of what was learned is opened with the first part that needs it: every property may then raise
    `StoreUnavailable` and its kin.
    """

    def __init__(self, foundation: Foundation) -> None:
        self._foundation = foundation
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    @property
    def files(self) -> FileStore:
        """The store of file memory."""
        return self._foundation.files_store

    @made_once
    def knowledge(self) -> KnowledgeStore:
        from sidecar.store.knowledge_store import KnowledgeStore

        return KnowledgeStore.open(self._foundation.home / "knowledge")

    @made_once
    def memory_file(self) -> MemoryFile:
        from sidecar.memory_file.sync import MemoryFile

        given = self._foundation
        return MemoryFile(
            given.identity,
            given.standing,
            given.workspace.settings.memory_file,
            given.memories,
            given.files_store,
            given.book,
            clock=given.services.clock,
            changed=given.workspace.memory_changed,
            later=given.workspace.write_later,
            eager=not given.workspace.watched,
        )

    @made_once
    def questions(self) -> QuestionQueue:
        from sidecar.summaries.answers import question_queue

        given = self._foundation
        return question_queue(
            given.workspace.settings.models,
            self.knowledge,
            given.services.spending,
            given.tree,
            given.identity.checkout,
            given.services.clock,
            self.facets,
            given.files,
            priority=given.services.priority,
            client=given.services.client_model,
            sessions=lambda: self.session_reading,
        )

    @made_once
    def session_reading(self) -> SessionReading:
        from sidecar.summaries.session_reading import SessionReading

        given = self._foundation
        learn = given.workspace.settings.memory.learn
        return SessionReading(given.book, given.services.clock, learn, given.workspace.memory_changed)

    @made_once
    def code(self) -> CodeIndex:
        from sidecar.checkout.history import History
        from sidecar.files.index.code_index import CodeIndex

        given = self._foundation
        own = given.workspace.settings.files
        return CodeIndex(
            given.files,
            given.tree,
            given.files_store,
            given.identity.checkout,
            History(given.identity.folder),
            commits=own.history_commits if own.history else 0,
            workers=own.warm_up_workers,
            keep_at_once=not given.workspace.watched,
        )

    @made_once
    def facets(self) -> FacetBook:
        from sidecar.files.facets.book import FacetBook

        given = self._foundation
        return FacetBook(self.knowledge, given.files, given.symbols, given.services.clock)

    @made_once
    def saved_tokens(self) -> SavedTokens:
        from sidecar.files.briefing.saved_tokens import SavedTokens

        return SavedTokens(self.knowledge)

    @made_once
    def enrichment(self) -> Enrichment:
        from sidecar.trackers.work import Enrichment

        given = self._foundation
        return Enrichment(
            given.identity.origin,
            given.workspace.settings.trackers,
            os.environ,
            given.home / "trackers",
            given.book,
            given.workspace.operations,
            given.services.clock,
            given.workspace.memory_changed,
        )

    def tracked(self, texts: Sequence[str]) -> Mapping[str, TrackedRecord]:
        """What the forge said of those of these marks that it was asked about; nobody is asked now."""
        if not texts or not (self._foundation.workspace.settings.trackers.enabled or self._was_made("enrichment")):
            return {}
        return self.enrichment.known(texts)

    def look_at_memory_file(self) -> None:
        """Take in what was written into MEMORY.md by hand; see `MemoryFile.look`. Raises `StoreUnavailable`."""
        given = self._foundation
        if not given.workspace.watched and not self._was_made("memory_file"):
            from sidecar.memory_file.seal import is_untouched

            root, own, seq = given.identity.folder, given.workspace.settings.memory_file, given.memories.seq()
            if is_untouched(root, own, given.files_store, given.identity.checkout, seq):
                return
        self.memory_file.look()

    def session_ended(self, session_id: str) -> None:
        """A session is over: nothing more is counted for it."""
        if self._was_made("saved_tokens"):
            self.saved_tokens.end(session_id)

    def has_learned(self) -> bool:
        """Whether anything was learned about files, as far as this process has looked."""
        return self._was_made("knowledge") and self.knowledge.state() > 0

    def hurry(self) -> None:
        """The end is near: write what waits to be written without waiting for quiet."""
        if self._was_made("memory_file"):
            self.memory_file.hurry()

    def end(self) -> None:
        """Stop what works and write what is not written yet; the stores of memories are still open."""
        if self._was_made("enrichment"):
            self.enrichment.close()
        if self._was_made("questions"):
            self.questions.close()
        if self._was_made("saved_tokens"):
            self.saved_tokens.keep()
        if self._was_made("memory_file"):
            self.memory_file.close()

    def close(self) -> None:
        """Close the stores of files and of what was learned about them."""
        self.files.close()
        if self._was_made("knowledge"):
            self.knowledge.close()

    def compact(self, now: int) -> int:
        """Drop what was learned long ago of contents that no path has or had lately; the number of contents dropped.

        Only where every file was read since the store of files was made, so that all paths are known.
        """
        return self.knowledge.compact(self.files.named(), now - UNNAMED_KEPT_MS, MOST_UNNAMED)

    def ask_for_aggregate(self, path: str) -> None:
        """Have what is known of a file made into one text, if a model is to do that. Raises `StoreUnavailable`."""
        hash = self.facets.standing_hash(path) if self.questions.configured else None
        if hash is not None:
            self.questions.facets_changed(path, hash, self.facets.texts(hash))

    def _was_made(self, name: str) -> bool:
        with self._lock:
            return name in self._made

    def companions(self, path: str) -> list[Companion]:
        """Files that mostly changed together with one, as far as is known without work."""
        return self.code.companions(path) if self._was_made("code") else []
