"""`memory/*`: record, search, inject, change and delete memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from msgspec.structs import replace

from protocol import memories as api
from protocol.families import MemoriesFamily
from sidecar.engine import mapping
from sidecar.engine.components import Components
from sidecar.engine.enabled_components import EnabledComponents
from sidecar.engine.services import Services
from sidecar.memories.drafts import Briefing, Draft
from sidecar.memories.results import Recorded
from sidecar.runtime.cancellation import Call
from sidecar.runtime.errors import FileUnavailable, InvalidField
from sidecar.store.vocabulary import REPOSITORY

BRIEFINGS = 20
"""Maximum files in play that an injected block considers: each costs a read and a parse."""

BRIEFING_LEAST = 60
"""Tokens below which a briefing says too little to be worth including."""

LIKELY_FILES = 3
"""Files that nobody named but that a prompt is surely about; a block has a few lines on each."""

LIKELY_PROMPT = 4_000
"""Characters of a prompt considered for that: the rest is more often pasted than typed."""


class MemoriesHandler(MemoriesFamily[Components, EnabledComponents, Call]):
    def __init__(self, services: Services) -> None:
        self._learner, self._source = services.learner, services.source

    def memory_record(self, params: api.RecordParams, opened: EnabledComponents, call: Call) -> api.RecordResult:
        return mapping.recorded(opened.book.recorder.record(self._draft(params, opened, call)))

    def memory_record_together(
        self,
        requests: Sequence[tuple[api.RecordParams, Call]],
        opened_for: Callable[[api.RecordParams], EnabledComponents],
    ) -> list[api.RecordResult | BaseException]:
        """Answer many `memory/record` in their order, storing in one commit what one workspace is asked in a row."""
        outcomes: dict[int, api.RecordResult | BaseException] = {}
        drafts: dict[int, tuple[EnabledComponents, Draft]] = {}
        for index, (params, call) in enumerate(requests):
            try:
                opened = opened_for(params)
                drafts[index] = opened, self._draft(params, opened, call)
            except BaseException as error:  # noqa: BLE001 - each of them is owed an answer
                outcomes[index] = error
        for _, group in groupby(drafts, key=lambda index: id(drafts[index][0])):
            indices = list(group)
            recorder = drafts[indices[0]][0].book.recorder
            done = recorder.record_together([(drafts[index][1], requests[index][1].check) for index in indices])
            for index, outcome in zip(indices, done, strict=True):
                outcomes[index] = mapping.recorded(outcome) if isinstance(outcome, Recorded) else outcome
        return [outcomes[index] for index in range(len(requests))]

    def _draft(self, params: api.RecordParams, opened: EnabledComponents, call: Call) -> Draft:
        return mapping.draft(params, mapping.relative(opened.tree, params.files), self._source(call))

    def memory_search(self, params: api.SearchParams, opened: EnabledComponents, call: Call) -> api.SearchResult:
        page = opened.book.search(params.query, mapping.filters(params, opened.tree), params.limit, params.cursor)
        return api.SearchResult(items=[mapping.hit(hit) for hit in page.items], cursor=page.cursor)

    def memory_list(self, params: api.ListParams, opened: Components, call: Call) -> api.ListResult:
        filters = mapping.filters(params, opened.tree)
        if filters.status is not None and "deleted" in filters.status:
            if len(filters.status) > 1:
                raise InvalidField("Deleted memories are listed by themselves.", path="$.status")
            gone = opened.book.undoing.deleted(filters, params.limit, params.cursor)
            return api.ListResult(items=[mapping.memory(record, 0) for record in gone.items], cursor=gone.cursor)
        page = opened.book.list(filters, params.limit, params.cursor)
        return api.ListResult(items=[mapping.as_memory(memory) for memory in page.items], cursor=page.cursor)

    def memory_inject(self, params: api.InjectParams, opened: Components, call: Call) -> api.InjectResult:
        """Return the block to put in front of an agent; empty if memory is switched off."""
        if (enabled := opened.enabled) is None:
            return mapping.EMPTY_BLOCK
        settings = opened.settings.memory
        budget = params.budget_tokens or settings.inject_budget_tokens
        lines = params.max_lines or settings.inject_max_lines
        request = mapping.inject_request(params, opened.tree, budget, lines)
        paths = request.files[:BRIEFINGS]
        share = max(BRIEFING_LEAST, budget * 2 // 5 // max(1, len(paths)))
        briefings = [self._briefing(opened, path, share) for path in paths]
        if not paths and request.prompt and self._may_guess(opened, request.session_id):
            briefings = self._likely(enabled, request.prompt)
        injection = opened.book.injector.inject(request, briefings)
        self._learner.record_shown(opened.workspace, injection.text)
        return mapping.struct(api.InjectResult, injection)

    def memory_explain(self, params: api.ExplainParams, opened: EnabledComponents, call: Call) -> api.ExplainResult:
        explained = opened.book.explain(params.id, params.prompt, params.agent, params.session_id)
        return mapping.explanation(explained)

    def memory_get(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.get(params.id))

    def memory_update(self, params: api.UpdateParams, opened: EnabledComponents, call: Call) -> api.UpdateResult:
        changes = mapping.changes(params, opened.tree)
        if changes and opened.book.get(params.id).record.source == REPOSITORY:
            changes["source"] = self._source(call)  # from now on the text is the editor's
        updated = opened.book.update(params.id, changes, params.expected_version)
        return api.UpdateResult(
            memory=mapping.as_memory(updated), redactions=mapping.redactions(updated.redactions), name_hint=updated.hint
        )

    def memory_archive(self, params: api.ArchiveParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.archive(params.id, reason=params.reason))

    def memory_rate(self, params: api.RateParams, opened: EnabledComponents, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.rate(params.id, params.useful))

    def memory_restore(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.restore(params.id))

    def memory_undo(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.undoing.undo(params.id))

    def memory_redo(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.undoing.redo(params.id))

    def memory_verify(self, params: api.IdParams, opened: EnabledComponents, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.verify(params.id))

    def memory_resolve(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.resolve(params.id))

    def memory_reopen(self, params: api.IdParams, opened: Components, call: Call) -> api.Memory:
        return mapping.as_memory(opened.book.reopen(params.id))

    def memory_delete(self, params: api.DeleteParams, opened: Components, call: Call) -> api.DeleteResult:
        return api.DeleteResult(id=params.id, undoable=opened.book.delete(params.id, params.purge))

    def memory_history(self, params: api.IdParams, opened: Components, call: Call) -> api.HistoryResult:
        return api.HistoryResult(versions=[mapping.version(v) for v in opened.book.history(params.id)])

    def _may_guess(self, opened: Components, session_id: str | None) -> bool:
        """Return whether the index was ready when the session began, so that likely files do not change its blocks."""
        if not opened.settings.memory.inject_likely_files:
            return False
        ready = opened.workspace.index_ready_at()
        session = opened.memories.session(session_id) if session_id is not None else None
        return ready is not None and (session is None or session.started_at >= ready)

    def _likely(self, opened: EnabledComponents, prompt: str) -> list[Briefing]:
        """Return briefings of files that a prompt is surely about, by their content and by what past work touched."""
        likely = opened.code.likely_files(prompt[:LIKELY_PROMPT], LIKELY_FILES)
        briefings = [(self._briefing(opened, path, BRIEFING_LEAST), reasons) for path, _, reasons in likely]
        return [
            replace(briefing, likely=", ".join(reasons) or "by what it says")
            for briefing, reasons in briefings
            if briefing.unavailable is None
        ]

    def _briefing(self, opened: Components, path: str, budget: int) -> Briefing:
        try:
            briefing = opened.briefing(path, budget=budget)
        except FileUnavailable as error:
            return Briefing(path=path, unavailable=error.reason)
        return Briefing(path=path, text=briefing.text, hash=briefing.hash)
