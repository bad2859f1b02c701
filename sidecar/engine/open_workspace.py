"""An open workspace: its stores, memories and files, what connects them, and parts that are made on first access.

A hook or a command needs one or two of these parts; importing the others would take longer than its whole answer.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sidecar.checkout.tree import Tree
from sidecar.embedding.workspace_embedding import BackgroundEmbedding, WorkspaceEmbedding
from sidecar.engine.background_reading import AfterReading, BackgroundReading
from sidecar.engine.workspace_place import ThrowawayStores, WorkspacePlace
from sidecar.files.referenced import ReferencedFiles
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import MAX_BRIEFING_TOKENS, FileBriefing, WorkspaceFiles
from sidecar.memories.book import MemoryBook
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import MemoryDisabled
from sidecar.runtime.made_once import made_once
from sidecar.runtime.operations import Operations
from sidecar.runtime.priority import Priority
from sidecar.settings import Settings
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.spending import Spending

if TYPE_CHECKING:  # most are imported with the first access to the part
    from protocol.status import MemoryFileStatus
    from sidecar.files.briefing.saved_tokens import SavedTokens
    from sidecar.files.facets.book import FacetBook
    from sidecar.files.index.code_index import CodeIndex
    from sidecar.memory_file.memory_file import MemoryFile
    from sidecar.models.chat_models import ChatModelChoice
    from sidecar.settings.model import ModelSettings
    from sidecar.store.knowledge_store import KnowledgeStore
    from sidecar.summaries.question_queue import QuestionQueue
    from sidecar.team.team_facets import TeamFacets
    from sidecar.team.team_worker import TeamWorker
    from sidecar.trackers.enrichment import Enrichment

log = logging.getLogger(__name__)

VERIFY_OPERATION = "verify"
MAX_COMPANIONS = 3
"""Maximum files in a briefing that often change together with the file."""

UNNAMED_KEPT_MS = 90 * 86_400_000
"""How long facts are kept about a content that is at no path any more: a branch may bring the content back."""

MAX_UNNAMED = 5_000
"""Maximum number of contents without a path; those that were known longest are dropped first."""


@dataclass(frozen=True, eq=False)
class OpenWorkspace:
    """An open workspace. Thread-safe.

    No field is ever set again, but the parts below are created on first access and kept beside the fields
    (`made_once`). While memory is off they raise `MemoryDisabled`, except that `background_reading` does nothing, and
    `team` and `team_facets` are None. The store of knowledge opens with the first part that needs it, so each of them
    may raise `StoreUnavailable`.

    A part that must be closed is put on `closing` when it is made, so the last made is closed first.
    """

    folder: Path
    uri: str
    settings: Settings
    short_lived: bool  # the process answers a call or two: nothing works in the background
    operations: Operations
    clock: Clock
    priority: Priority
    chat_models: Callable[[ModelSettings], ChatModelChoice]
    spending: Callable[[], Spending]
    place: WorkspacePlace
    tree: Tree
    memory_store: MemoryStore
    user_store: MemoryStore
    book: MemoryBook
    files: WorkspaceFiles
    file_store: FileStore | None  # None while memory is off
    symbols: SymbolCache
    references: ReferencedFiles
    embedding: WorkspaceEmbedding
    background_embedding: BackgroundEmbedding
    throwaway: ThrowawayStores | None
    closing: ExitStack

    @property
    def is_enabled(self) -> bool:
        """Return whether memory is on."""
        return self.file_store is not None

    def require_enabled(self) -> FileStore:
        """Return the store of files, which exists while memory is on. Raises `MemoryDisabled`."""
        if self.file_store is None:
            raise MemoryDisabled("Memory is switched off.", hint="Set memory.enabled to true to record and search.")
        return self.file_store

    @property
    def outdated_because(self) -> Literal["gone", "replaced"] | None:
        """Return `gone` if the stores were deleted, `replaced` if the folder now holds another workspace."""
        if self.memory_store.is_gone or self.user_store.is_gone:
            return "gone"
        return "replaced" if self.place.is_replaced() else None

    # -- parts -----------------------------------------------------------------------------------------------

    @made_once
    def background_reading(self) -> BackgroundReading:
        operations, catalogue = self.operations, self.book.catalogue
        after = AfterReading(lambda: self.index, catalogue.judge_memories_with_gone_files, self._drop_unnamed)
        return BackgroundReading(self.files, self.tree, self.settings, self.short_lived, operations, self.clock, after)

    @made_once
    def index(self) -> CodeIndex:
        file_store, settings = self.require_enabled(), self.settings.files
        from sidecar.files.index.code_index import CodeIndex, IndexOptions

        commits = settings.history_commits if settings.history else 0
        options = IndexOptions(commits, settings.warm_up_workers, save_at_once=self.short_lived)
        return CodeIndex(self.files, self.tree, file_store, options)

    @made_once
    def knowledge(self) -> KnowledgeStore:
        self.require_enabled()
        from sidecar.store.knowledge_store import KnowledgeStore

        knowledge = self.closing.enter_context(closing(KnowledgeStore.open(self.place.stores / "knowledge")))
        self.closing.callback(self.place.keep_identity_if, lambda: knowledge.change_number() > 0)
        return knowledge

    @made_once
    def memory_file(self) -> MemoryFile:
        file_store = self.require_enabled()
        from sidecar.memory_file.memory_file import MemoryFile

        memory_file = MemoryFile(
            folder_guard=self.place,
            settings=self.settings.memory_file,
            files=file_store,
            book=self.book,
            clock=self.clock,
            operations=self.operations,
            eager=self.short_lived,
        )
        return self.closing.enter_context(closing(memory_file))

    @made_once
    def questions(self) -> QuestionQueue:
        from sidecar.summaries.question_queue import QuestionQueue
        from sidecar.summaries.session_reading import SessionReading
        from sidecar.summaries.subjects import FileAndSessionSubjects

        settings = self.settings.models
        sessions = SessionReading(self.book, self.settings.memory.learn)
        subjects = FileAndSessionSubjects(settings.name, self.knowledge, self.facets, self.files, sessions)
        subjects.facet_learned.subscribe(partial(self.share_facets, learned=True))
        questions = QuestionQueue(
            self.chat_models(settings),
            subjects,
            spending=self.spending,
            tree=self.tree,
            clock=self.clock,
            priority=self.priority,
            shared=self.team.answers if self.team and self.settings.store.shared_answers else None,
        )
        return self.closing.enter_context(closing(questions))

    @made_once
    def facets(self) -> FacetBook:
        from sidecar.files.facets.book import FacetBook

        return FacetBook(self.knowledge, self.files, self.symbols, self.clock)

    @made_once
    def saved_tokens(self) -> SavedTokens:
        from sidecar.files.briefing.saved_tokens import SavedTokens

        saved_tokens = SavedTokens(self.knowledge)
        self.closing.callback(saved_tokens.save)
        return saved_tokens

    @made_once
    def enrichment(self) -> Enrichment:
        self.require_enabled()
        from sidecar.trackers.enrichment import Enrichment

        enrichment = Enrichment(
            self.place.identity.origin,
            self.settings.trackers,
            os.environ,
            self.place.stores / "trackers",
            self.book,
            self.operations,
            self.clock,
        )
        return self.closing.enter_context(closing(enrichment))

    @made_once
    def team(self) -> TeamWorker | None:
        """Synchronise with the team's database; None if memory is off or no database is configured."""
        if not self.is_enabled or self.settings.store.url is None:
            return None
        from sidecar.team.shared_scopes import workspace_key
        from sidecar.team.team_worker import TeamWorker

        team = TeamWorker(
            self.settings.store,
            {"project": self.memory_store, "personal": self.memory_store, "global": self.user_store},
            workspace_key(self.place.identity, self.settings.workspace.id),
            self.clock,
            self.book.changed.announce,
        )
        return self.closing.enter_context(closing(team))

    @made_once
    def team_facets(self) -> TeamFacets | None:
        if self.team is None or not self.settings.store.shared_answers:
            return None
        from sidecar.team.team_facets import TeamFacets

        facets = TeamFacets(self.team.answers, self.facets, self.knowledge, self.priority)
        facets.arrived.subscribe(self.questions.enqueue_aggregate_of)
        return self.closing.enter_context(closing(facets))

    # -- what requests need of several parts -----------------------------------------------------------------

    def take_in_outside_changes(self) -> None:
        """Take in what did not go through this process: edits of MEMORY.md, and memories that may lack their vectors.

        Raises `StoreUnavailable`.
        """
        self.take_in_edits()
        self.background_embedding.check_for_missing()  # also of what the edits added

    def take_in_edits(self) -> None:
        """Read edits of MEMORY.md, if memory is on. Raises `StoreUnavailable`."""
        if self.file_store is None:
            return
        if OpenWorkspace.memory_file.existing(self) is None:
            if not self.short_lived:
                return  # `start` makes the first pass
            from sidecar.memory_file.sync_mark import is_untouched

            identity, settings = self.place.identity, self.settings.memory_file
            if is_untouched(identity.folder, settings, self.file_store, identity.checkout, self.memory_store.seq()):
                return
        self.memory_file.take_in_edits()

    def memory_file_status(self) -> MemoryFileStatus:
        """Return the state of MEMORY.md once edits of it are read, even if a hook or command found it untouched."""
        self.memory_file.take_in_edits()
        return self.memory_file.status

    def briefing(self, path: str, intent: str = "explore", budget: int = MAX_BRIEFING_TOKENS) -> FileBriefing:
        """Return a file's briefing with what was learned about it. Raises `OutsideWorkspace` or `FileUnavailable`."""
        briefing = self.files.briefing(path, intent, budget, self.facets.note_about if self.is_enabled else None)
        if briefing.advice is not None or (index := OpenWorkspace.index.ready(self)) is None:
            return briefing
        near = [companion for companion in index.companions(briefing.path) if self.tree.exists(companion.path)]
        from sidecar.files.briefing.companions import with_companions

        return with_companions(briefing, near[:MAX_COMPANIONS], budget)

    def share_facets(self, path: str, hash: str | None = None, *, learned: bool = False) -> None:
        """Synchronise facets of a file's content with other machines, in the background, if they are shared."""
        if self.team_facets is not None:
            self.team_facets.sync(path, hash, learned=learned)

    def push_to_team(self) -> None:
        """Send changed memories to the team's database soon, if there is one."""
        if self.team is not None:
            self.team.push_soon()

    # -- in the background, and the end ----------------------------------------------------------------------

    def start(self) -> None:
        """Start what works in the background while the workspace is open and memory is on."""
        if not self.is_enabled:
            return
        self.memory_file.sync()
        if self.settings.models.endpoint or self.settings.models.sessions != "off":
            self.questions.start()
        if self.settings.trackers.enabled:
            self.enrichment.start()
        if self.team is not None:
            self.team.start()

    def verify_later(self, cause: str) -> None:
        """Store which references still hold or were found again, if memory is on."""
        if self.is_enabled:
            view, clock = self.book.view, self.clock
            self.operations.start(
                VERIFY_OPERATION, cause, lambda _: log.debug("%d memories were verified.", view.store_verified(clock()))
            )

    def _drop_unnamed(self, all_known: bool) -> None:
        """Drop contents without a path and, if all paths are known, facts about those that have had none for long."""
        store = self.require_enabled()
        log.info("%d contents without a path were dropped.", store.compact())
        if all_known:
            self.knowledge.compact(store.referenced_hashes(), self.clock() - UNNAMED_KEPT_MS, MAX_UNNAMED)

    def hasten_writes(self) -> None:
        """Let a pending write start without waiting for quiet, because the process is about to end."""
        if (memory_file := OpenWorkspace.memory_file.existing(self)) is not None:
            memory_file.hasten_write()

    def close(self) -> None:
        """Stop the workers and write pending changes, then close the stores. Idempotent."""
        self.closing.pop_all().close()  # a part that a thread makes now would be closed after the stores: leave it
