"""An open workspace whose memory is on: its further parts, each imported and created on first access.

A hook or a command needs one or two of these parts; importing the others would take longer than its whole answer.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.files.index.lazy_index import LazyIndex
from sidecar.files.workspace_files import MAX_BRIEFING_TOKENS, FileBriefing
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.made_once import made_once
from sidecar.store.file_store import FileStore

if TYPE_CHECKING:  # each is imported with the first access to the part
    from sidecar.files.briefing.saved_tokens import SavedTokens
    from sidecar.files.facets.book import FacetBook
    from sidecar.files.index.code_index import CodeIndex
    from sidecar.memory_file.sync import MemoryFile
    from sidecar.store.knowledge_store import KnowledgeStore
    from sidecar.summaries.question_queue import QuestionQueue
    from sidecar.team.facets import TeamFacets
    from sidecar.team.team_sync import TeamSync
    from sidecar.trackers.enrichment import Enrichment

log = logging.getLogger(__name__)

WARM_UP = "warm-up"
VERIFY = "verify"
INDEX = "index"
MAX_COMPANIONS = 3
"""Maximum files in a briefing that often change together with the file."""

UNNAMED_KEPT_MS = 90 * 86_400_000
"""How long facts are kept about a content that is at no path any more: a branch may bring the content back."""

MAX_UNNAMED = 5_000
"""Maximum number of contents without a path; those that were known longest are dropped first."""


@dataclass(frozen=True, eq=False)
class EnabledWorkspace(OpenWorkspace):
    """An open workspace whose memory is on. Thread-safe.

    No field is ever set again, but most parts are created on first access and kept beside the fields (`made_once`). The
    store of knowledge opens with the first part that needs it, so each of these parts may raise `StoreUnavailable` and
    its subclasses.
    """

    file_store: FileStore
    lazy_index: LazyIndex
    short_lived: ClassVar[bool] = False

    @property
    def enabled(self) -> EnabledWorkspace:
        return self

    @property
    def index(self) -> CodeIndex:
        return self.lazy_index.index

    @made_once
    def knowledge(self) -> KnowledgeStore:
        from sidecar.store.knowledge_store import KnowledgeStore

        knowledge = self.closing.enter_context(closing(KnowledgeStore.open(self.place.stores / "knowledge")))
        self.closing.callback(self._keep_if, lambda: knowledge.change_number() > 0)
        return knowledge

    @made_once
    def memory_file(self) -> MemoryFile:
        from sidecar.memory_file.sync import MemoryFile

        memory_file = MemoryFile(
            folder_guard=self.place,
            settings=self.settings.memory_file,
            files=self.file_store,
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
        questions = QuestionQueue(
            self.chat_models(settings),
            FileAndSessionSubjects(
                settings.name,
                self.knowledge,
                self.facets,
                self.files,
                SessionReading(self.book, self.settings.memory.learn),
                self.share_facets,
            ),
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
    def team(self) -> TeamSync | None:
        """Synchronise with the team's database; None if no database is configured."""
        if self.settings.store.url is None:
            return None
        from sidecar.team.team_sync import TeamSync, workspace_key

        team = TeamSync(
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
        from sidecar.team.facets import TeamFacets

        facets = TeamFacets(self.team.answers, self.facets, self.knowledge, self.priority, self.ask_for_aggregate)
        return self.closing.enter_context(closing(facets))

    def share_facets(self, path: str, hash: str | None = None, *, learned: bool = False) -> None:
        """Synchronise facets of a file's content with other machines, in the background, if they are shared."""
        shared = self.team_facets
        if shared is not None and (content := hash or self.facets.current_hash(path)) is not None:
            shared.sync(path, content, learned=learned)

    def take_in_edits(self) -> None:
        if EnabledWorkspace.memory_file.existing(self) is not None:  # else `self.start` makes the first pass
            self.memory_file.take_in_edits()

    def briefing(self, path: str, intent: str = "explore", budget: int = MAX_BRIEFING_TOKENS) -> FileBriefing:
        briefing = self.files.briefing(path, intent, budget, self.facets.note_about)
        index = self.lazy_index.existing
        if briefing.advice is not None or index is None:
            return briefing
        near = [companion for companion in index.companions(briefing.path) if self.tree.exists(companion.path)]
        from sidecar.files.briefing.companions import with_companions

        return with_companions(briefing, near[:MAX_COMPANIONS], budget)

    def pass_on_changes(self, _: object) -> None:
        """Bring changed memories into MEMORY.md and to the team, in the background."""
        self.memory_file.request_write()
        if self.team is not None:
            self.team.push_soon()

    def verify_later(self, cause: str) -> None:
        """Store the state of memories' references in the background."""
        view, clock = self.book.view, self.clock
        self.operations.start(
            VERIFY, cause, lambda _: log.debug("%d memories were verified.", view.store_verified(clock()))
        )

    def index_later(self, cause: str) -> None:
        """Update the index over all files in the background, if it is kept ready."""
        if self.settings.files.warm_up:
            index = self.index  # even if it holds all files, they may not be ranked or saved yet
            turn = self.priority.turn
            self.operations.start(INDEX, cause, lambda operation: index.prepare(operation.check, turn))

    def index_ready_at(self) -> int | None:
        """Return when this process first found that all files are read and indexed (epoch ms); None before that.

        Sessions that began earlier get no results of the index, because their blocks would change by themselves.
        """
        ready_at = EnabledWorkspace._index_first_ready.existing(self)
        if ready_at is not None:
            return ready_at
        is_read = not self.settings.files.warm_up or self.operations.get(WARM_UP).state == "done"
        return self._index_first_ready if is_read and self.index.knows_all() else None

    @made_once
    def _index_first_ready(self) -> int:
        return self.clock()

    def start(self) -> None:
        """Start what works in the background while the workspace is open."""
        self.memory_file.sync()
        if self.settings.models.endpoint or self.settings.models.sessions != "off":
            self.questions.start()
        if self.settings.trackers.enabled:
            self.enrichment.start()
        if self.team is not None:
            self.team.start()

    def write_pending(self) -> None:
        """Write pending changes at once, without waiting for quiet, because the process is about to end."""
        if (memory_file := EnabledWorkspace.memory_file.existing(self)) is not None:
            memory_file.write_pending()

    def keep_if_irreplaceable(self) -> None:
        """Record that the stores must be found again, if they hold anything that could not be made again."""
        store = self.memory_store
        self._keep_if(lambda: bool(store.seq() or store.reminders.all() or store.candidates.all()))

    def _keep_if(self, is_irreplaceable: Callable[[], bool]) -> None:
        try:
            if is_irreplaceable():
                self.place.record(keep=True)
        except SidecarError as error:
            log.info("A store cannot be read: %s", error.message)

    def compact(self, now: int) -> int:
        """Drop knowledge of contents that have had no path for a long time; return the number of contents dropped.

        Call this only when every file was read since the store of files was created, so that all paths are known.
        """
        return self.knowledge.compact(self.file_store.referenced_hashes(), now - UNNAMED_KEPT_MS, MAX_UNNAMED)

    def ask_for_aggregate(self, path: str) -> None:
        """Queue the facts about a file, for a model to merge into one text. Raises `StoreUnavailable`."""
        hash = self.facets.current_hash(path) if self.questions.configured else None
        if hash is not None:
            self.questions.enqueue_aggregate(path, hash, self.facets.texts(hash))


@dataclass(frozen=True, eq=False)
class ShortLivedWorkspace(EnabledWorkspace):
    """An open workspace of a process that serves one hook or command: nothing works in the background."""

    short_lived: ClassVar[bool] = True

    def take_in_edits(self) -> None:
        if EnabledWorkspace.memory_file.existing(self) is None:
            from sidecar.memory_file.sync_mark import is_untouched

            root, own, seq = self.place.identity.folder, self.settings.memory_file, self.memory_store.seq()
            if is_untouched(root, own, self.file_store, self.place.identity.checkout, seq):
                return
        self.memory_file.take_in_edits()

    def index_later(self, cause: str) -> None:
        """Do nothing: the index is updated by the answers that need it."""

    def index_ready_at(self) -> None:
        """Return None: a block has results of the index only if it was kept ready."""
