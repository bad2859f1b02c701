"""`memory/*`: record, search, inject, change and delete memories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from protocol import memories as api
from sidecar.engine import mapping
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.engine.requests import Batch
from sidecar.memories.drafts import Briefing, Draft
from sidecar.memories.injection.packing import MIN_BRIEFING_TOKENS, briefing_tokens
from sidecar.memories.results import RecordedMemory
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import FileUnavailable, InvalidField
from sidecar.store.vocabulary import REPOSITORY_SOURCE

MAX_INJECTED_BRIEFINGS = 20
"""Maximum files in play that an injected block considers: each costs a read and a parse."""

MAX_LIKELY_FILES = 3
"""Maximum files that nobody named but a prompt is surely about; a block has a few lines on each."""

MAX_PROMPT_CHARS = 4_000
"""Characters of a prompt that likely files are searched by; the rest is more often pasted than typed."""


class MemoriesHandler:
    def __init__(self, lessons: LessonStorer, source: SourceOf) -> None:
        self._lessons, self._source = lessons, source

    def memory_record(
        self, requests: Batch[api.RecordParams], workspace: OpenWorkspace
    ) -> Sequence[api.RecordResult | BaseException]:
        """Return the outcomes, in order, of records that share a commit; each fails by itself."""
        from sidecar.memories.recording.recorder import Recording  # hooks come without it

        asked = [Recording(partial(self._draft, params, workspace, call), call.check) for params, call in requests]
        return [
            mapping.recorded(outcome) if isinstance(outcome, RecordedMemory) else outcome
            for outcome in workspace.book.recorder.record_together(asked)
        ]

    def memory_search(self, params: api.SearchParams, workspace: OpenWorkspace, context: Context) -> api.SearchResult:
        page = workspace.book.searcher.search(
            params.query, mapping.filters(params, workspace.tree), params.limit, params.cursor
        )
        return api.SearchResult(items=[mapping.hit(hit) for hit in page.items], cursor=page.cursor)

    def memory_list(self, params: api.ListParams, workspace: OpenWorkspace, context: Context) -> api.ListResult:
        filters = mapping.filters(params, workspace.tree)
        if filters.status is not None and "deleted" in filters.status:
            if len(filters.status) > 1:
                raise InvalidField("Deleted memories are listed by themselves.", path="$.status")
            gone = workspace.book.undoing.list_deleted(filters, params.limit, params.cursor)
            return api.ListResult(items=[mapping.memory(record, 0) for record in gone.items], cursor=gone.cursor)
        page = workspace.book.searcher.list(filters, params.limit, params.cursor)
        return api.ListResult(items=[mapping.as_memory(memory) for memory in page.items], cursor=page.cursor)

    def memory_inject(self, params: api.InjectParams, workspace: OpenWorkspace, context: Context) -> api.InjectResult:
        """Return the block to put in front of an agent; empty if memory is switched off."""
        if not workspace.is_enabled:
            return mapping.EMPTY_BLOCK
        settings = workspace.settings.memory
        budget = params.budget_tokens or settings.inject_budget_tokens
        lines = params.max_lines or settings.inject_max_lines
        request = mapping.inject_request(params, workspace.tree, budget, lines)
        injector = workspace.book.injector
        injector.check(request)  # before files are read for it
        paths = request.files[:MAX_INJECTED_BRIEFINGS]
        briefings = [self._briefing(workspace, path, briefing_tokens(budget, len(paths))) for path in paths]
        if not paths and request.prompt and self._may_guess(workspace, request.session_id):
            briefings = self._likely_briefings(workspace, request.prompt)
        injection = injector.inject(request, briefings)
        self._lessons.remember_block(workspace, injection.text)
        return mapping.to_wire(api.InjectResult, injection)

    def memory_explain(
        self, params: api.ExplainParams, workspace: OpenWorkspace, context: Context
    ) -> api.ExplainResult:
        explained = workspace.book.searcher.explain(params.id, params.prompt, params.agent, params.session_id)
        return mapping.explanation(explained)

    def memory_get(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.searcher.get(params.id))

    def memory_update(self, params: api.UpdateParams, workspace: OpenWorkspace, context: Context) -> api.UpdateResult:
        changes = mapping.changes(params, workspace.tree)
        if changes and workspace.book.searcher.get(params.id).record.source == REPOSITORY_SOURCE:
            changes["source"] = self._source(context)  # from now on the text is the editor's
        updated = workspace.book.editing.update(params.id, changes, params.expected_version)
        return api.UpdateResult(
            memory=mapping.as_memory(updated), redactions=mapping.redactions(updated.redactions), name_hint=updated.hint
        )

    def memory_archive(self, params: api.ArchiveParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.archive(params.id, reason=params.reason))

    def memory_rate(self, params: api.RateParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.rate(params.id, params.useful))

    def memory_restore(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.restore(params.id))

    def memory_undo(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.undoing.undo(params.id))

    def memory_redo(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.undoing.redo(params.id))

    def memory_verify(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.verify(params.id))

    def memory_resolve(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.resolve(params.id))

    def memory_reopen(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.Memory:
        return mapping.as_memory(workspace.book.editing.reopen(params.id))

    def memory_delete(self, params: api.DeleteParams, workspace: OpenWorkspace, context: Context) -> api.DeleteResult:
        return api.DeleteResult(id=params.id, undoable=workspace.book.editing.delete(params.id, params.purge))

    def memory_history(self, params: api.IdParams, workspace: OpenWorkspace, context: Context) -> api.HistoryResult:
        return api.HistoryResult(versions=[mapping.version(v) for v in workspace.book.searcher.history(params.id)])

    def _draft(self, params: api.RecordParams, workspace: OpenWorkspace, context: Context) -> Draft:
        return mapping.draft(params, mapping.relative(workspace.tree, params.files), self._source(context))

    def _may_guess(self, workspace: OpenWorkspace, session_id: str | None) -> bool:
        """Return whether likely files may be shown.

        Only a session that began after the index was ready gets them: its blocks must not change by themselves.
        """
        if not workspace.settings.memory.inject_likely_files:
            return False
        ready = workspace.background_reading.index_ready_at()
        session = workspace.memory_store.session(session_id) if session_id is not None else None
        return ready is not None and (session is None or session.started_at >= ready)

    def _likely_briefings(self, workspace: OpenWorkspace, prompt: str) -> list[Briefing]:
        """Return briefings of files that a prompt is surely about, by their content and by what past work touched."""
        likely = workspace.index.likely_files(prompt[:MAX_PROMPT_CHARS], MAX_LIKELY_FILES)
        briefings = [(self._briefing(workspace, path, MIN_BRIEFING_TOKENS), reasons) for path, _, reasons in likely]
        return [
            replace(briefing, likely=", ".join(reasons) or "by what it says")
            for briefing, reasons in briefings
            if briefing.unavailable is None
        ]

    def _briefing(self, workspace: OpenWorkspace, path: str, budget: int) -> Briefing:
        try:
            briefing = workspace.briefing(path, budget=budget)
        except FileUnavailable as error:
            return Briefing(path=path, unavailable=error.reason)
        return Briefing(path=path, text=briefing.text, hash=briefing.hash)
