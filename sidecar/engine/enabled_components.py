"""The parts of a workspace that exist only while memory is enabled, each created on first access.

A hook or a command needs one or two of them, and importing the others would take longer than its whole answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.components import Components
    from sidecar.files.briefing.saved_tokens import SavedTokens
    from sidecar.files.facets.book import FacetBook
    from sidecar.files.index.code_index import CodeIndex
    from sidecar.files.retrieval.commit_index import Companion
    from sidecar.memory_file.sync import MemoryFile
    from sidecar.store.file_store import FileStore
    from sidecar.store.knowledge_store import KnowledgeStore
    from sidecar.store.records import TrackedRecord
    from sidecar.summaries.question_queue import QuestionQueue
    from sidecar.summaries.session_reading import SessionReading
    from sidecar.team.lane import TeamLane
    from sidecar.trackers.enrichment import Enrichment

UNNAMED_KEPT_MS = 90 * 86_400_000
"""How long facts are kept about a content that no path has any more: a branch may bring it back."""

MOST_UNNAMED = 5_000
"""Maximum number of such contents; beyond it the longest known are dropped."""


class EnabledComponents:
    """The parts of a workspace whose memory is switched on, each created once. Thread-safe.

    The store of knowledge opens with the first part that needs it, so every property may raise `StoreUnavailable` and
    its subclasses.
    """

    def __init__(self, parts: Components, files_store: FileStore) -> None:
        self._parts = parts
        self._files_store = files_store
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    @made_once
    def knowledge(self) -> KnowledgeStore:
        from sidecar.store.knowledge_store import KnowledgeStore

        return KnowledgeStore.open(self._parts.home / "knowledge")

    @made_once
    def memory_file(self) -> MemoryFile:
        from sidecar.memory_file.sync import MemoryFile

        given = self._parts
        return MemoryFile(
            given.identity,
            given.standing,
            given.workspace.settings.memory_file,
            given.memories,
            self._files_store,
            given.book,
            clock=given.services.clock,
            later=given.workspace.write_later,
            eager=not given.workspace.watched,
        )

    @made_once
    def questions(self) -> QuestionQueue:
        from sidecar.summaries.question_queue import QuestionQueue
        from sidecar.summaries.subjects import FileAndSessionSubjects

        given = self._parts
        settings = given.workspace.settings.models
        return QuestionQueue(
            settings,
            self.knowledge,
            given.services.spending,
            given.tree,
            given.identity.checkout,
            given.services.clock,
            given.services.priority,
            FileAndSessionSubjects(
                settings.name, self.knowledge, self.facets, given.files, lambda: self.session_reading
            ),
            lambda: given.services.client_model,
            self.sharing.answers
            if self.sharing is not None and given.workspace.settings.store.shared_answers
            else None,
        )

    @made_once
    def session_reading(self) -> SessionReading:
        from sidecar.summaries.session_reading import SessionReading

        given = self._parts
        learn = given.workspace.settings.memory.learn
        return SessionReading(given.book, given.services.clock, learn)

    @made_once
    def code(self) -> CodeIndex:
        from sidecar.checkout.history import History
        from sidecar.files.index.code_index import CodeIndex

        given = self._parts
        own = given.workspace.settings.files
        return CodeIndex(
            given.files,
            given.tree,
            self._files_store,
            given.identity.checkout,
            History(given.identity.folder),
            commits=own.history_commits if own.history else 0,
            workers=own.warm_up_workers,
            keep_at_once=not given.workspace.watched,
        )

    @made_once
    def facets(self) -> FacetBook:
        from sidecar.files.facets.book import FacetBook

        given = self._parts
        return FacetBook(self.knowledge, given.files, given.symbols, given.services.clock)

    @made_once
    def saved_tokens(self) -> SavedTokens:
        from sidecar.files.briefing.saved_tokens import SavedTokens

        return SavedTokens(self.knowledge)

    @made_once
    def enrichment(self) -> Enrichment:
        from sidecar.trackers.enrichment import Enrichment

        given = self._parts
        return Enrichment(
            given.identity.origin,
            given.workspace.settings.trackers,
            os.environ,
            given.home / "trackers",
            given.book,
            given.workspace.operations,
            given.services.clock,
        )

    @made_once
    def team(self) -> TeamLane:
        from sidecar.team.lane import TeamLane, key_of

        given = self._parts
        return TeamLane(
            given.workspace.settings.store,
            {"project": given.memories, "personal": given.memories, "global": given.user},
            key_of(given.identity, given.workspace.settings.workspace.id),
            given.services.clock,
            given.book.changed,
        )

    @property
    def sharing(self) -> TeamLane | None:
        """Return `team` if a database is configured; its modules are imported only then."""
        return self.team if self._parts.workspace.settings.store.url is not None else None

    def tracked(self, texts: Sequence[str]) -> Mapping[str, TrackedRecord]:
        """Return what the forge answered earlier about these marks, by mark, without sending a request."""
        if not texts or not (self._parts.workspace.settings.trackers.enabled or self._was_made("enrichment")):
            return {}
        return self.enrichment.known(texts)

    def look_at_memory_file(self) -> None:
        """Read manual edits of MEMORY.md; see `MemoryFile.look`. Raises `StoreUnavailable`."""
        given = self._parts
        if not given.workspace.watched and not self._was_made("memory_file"):
            from sidecar.memory_file.seal import is_untouched

            root, own, seq = given.identity.folder, given.workspace.settings.memory_file, given.memories.seq()
            if is_untouched(root, own, self._files_store, given.identity.checkout, seq):
                return
        self.memory_file.take_in_edits()

    def session_ended(self, session_id: str) -> None:
        """Stop counting for a session that has ended."""
        if self._was_made("saved_tokens"):
            self.saved_tokens.end(session_id)

    def has_learned(self) -> bool:
        """Tell whether anything has been learned about files, as far as known without opening the store."""
        return self._was_made("knowledge") and self.knowledge.state() > 0

    def hurry(self) -> None:
        """Write pending changes at once, without waiting for quiet, because the process is about to end."""
        if self._was_made("memory_file"):
            self.memory_file.hurry()

    def end(self) -> None:
        """Stop the workers and write pending changes while the stores of memories are still open."""
        if self._was_made("enrichment"):
            self.enrichment.close()
        if self._was_made("team"):
            self.team.close()
        if self._was_made("questions"):
            self.questions.close()
        if self._was_made("saved_tokens"):
            self.saved_tokens.keep()
        if self._was_made("memory_file"):
            self.memory_file.close()

    def close(self) -> None:
        self._files_store.close()
        if self._was_made("knowledge"):
            self.knowledge.close()

    def compact(self, now: int) -> int:
        """Drop old knowledge of contents that no path has now or had recently; return the number of contents dropped.

        Call it only when every file was read since the store of files was created, so that all paths are known.
        """
        return self.knowledge.compact(self._files_store.named(), now - UNNAMED_KEPT_MS, MOST_UNNAMED)

    def ask_for_aggregate(self, path: str) -> None:
        """Queue what is known about a file for merging into one text by a model. Raises `StoreUnavailable`."""
        hash = self.facets.standing_hash(path) if self.questions.configured else None
        if hash is not None:
            self.questions.facets_changed(path, hash, self.facets.texts(hash))

    def _was_made(self, name: str) -> bool:
        with self._lock:
            return name in self._made

    def companions(self, path: str) -> list[Companion]:
        """Return the files that mostly changed together with this one, as far as known without extra work."""
        return self.code.companions(path) if self._was_made("code") else []
