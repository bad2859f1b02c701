"""Requests about memories: record, find, inject, change, forget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from protocol import memories as wire
from protocol.memories import Change
from sidecar.engine import wire_mapping
from sidecar.engine.services import Services
from sidecar.engine.together import Steps, in_one_go
from sidecar.engine.workspace import Components, Workspace
from sidecar.memories.drafts import Briefing
from sidecar.runtime.errors import FileUnavailable, InvalidField
from sidecar.store.memory_store import SharedCommit
from sidecar.store.vocabulary import REPOSITORY

BRIEFINGS = 20
"""Files in play that an injected block considers at most: each costs a read and a parse."""

BRIEFING_LEAST = 60
"""Tokens below which a briefing says too little to be worth its place."""

LIKELY_FILES = 3
"""Files that nobody named and that a prompt is surely about, of which a block says a few lines each."""

LIKELY_PROMPT = 4_000
"""Characters of a prompt that are looked at for that: what follows is pasted more often than asked."""


class MemoryRequests:
    """Answers `memory/*`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def memory_record(self, params: wire.RecordParams) -> wire.RecordResult:
        """Store one memory."""
        result: wire.RecordResult = in_one_go(self.record_in_steps(params))
        return result

    def record_in_steps(self, params: wire.RecordParams, shared: SharedCommit | None = None) -> Steps:
        """`memory_record` in steps, of which the second joins `shared`."""
        workspace, opened = self._services.find_current(params.workspace_uri, params.files)
        self._services.require_enabled(workspace)
        files = wire_mapping.relative(opened.tree, params.files)
        draft = wire_mapping.draft(params, files, self._services.source)
        recorded = yield from opened.book.record_in_steps(draft, shared)
        change: Change = "created" if recorded.status == "created" else "merged"
        if recorded.status != "duplicate":
            self._services.events.memory_changed(workspace, recorded.record.id, recorded.record.scope, change)
        return wire_mapping.recorded(recorded)

    def memory_search(self, params: wire.SearchParams) -> wire.SearchResult:
        """Find memories by text."""
        workspace, opened = self._services.find_current(params.workspace_uri, params.files or ())
        self._services.require_enabled(workspace)
        page = opened.book.search(params.query, wire_mapping.filters(params, opened.tree), params.limit, params.cursor)
        return wire.SearchResult(items=[wire_mapping.hit(found) for found in page.items], cursor=page.cursor)

    def memory_list(self, params: wire.ListParams) -> wire.ListResult:
        """Memories by filter."""
        _, opened = self._services.find_current(params.workspace_uri, params.files or ())
        filters = wire_mapping.filters(params, opened.tree)
        if filters.status is not None and "deleted" in filters.status:
            if len(filters.status) > 1:
                raise InvalidField("Deleted memories are listed by themselves.", path="$.status")
            gone = opened.book.undoing.deleted(filters, params.limit, params.cursor)
            return wire.ListResult(items=[wire_mapping.memory(record, 0) for record in gone.items], cursor=gone.cursor)
        page = opened.book.list(filters, params.limit, params.cursor)
        return wire.ListResult(
            items=[wire_mapping.memory(found.record, found.accesses, found.accessed_at) for found in page.items],
            cursor=page.cursor,
        )

    def memory_inject(self, params: wire.InjectParams) -> wire.InjectResult:
        """The block to put in front of an agent; empty when memory is switched off."""
        workspace, opened = self._services.find_current(params.workspace_uri, params.files)
        if not workspace.settings.memory.enabled:
            return wire_mapping.EMPTY_BLOCK
        budget = params.budget_tokens or workspace.settings.memory.inject_budget_tokens
        request = wire_mapping.inject_request(params, opened.tree, budget)
        paths = request.files[:BRIEFINGS]
        share = max(BRIEFING_LEAST, budget * 2 // 5 // max(1, len(paths)))
        briefings = [self._briefing(opened, path, share) for path in paths]
        if not paths and request.prompt and self._may_guess(workspace, opened, request.session_id):
            briefings = self._likely(opened, request.prompt)
        injection = opened.book.inject(request, briefings)
        self._services.learner.shown(workspace, injection.text)
        return wire_mapping.injection(injection)

    def memory_explain(self, params: wire.ExplainParams) -> wire.ExplainResult:
        """Why a memory is shown for a prompt, or is not."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        self._services.require_enabled(workspace)
        found = opened.book.explain(params.id, params.prompt, params.agent, params.session_id)
        return wire_mapping.explanation(found)

    def memory_get(self, params: wire.IdParams) -> wire.Memory:
        """One memory."""
        _, opened = self._services.find_current(params.workspace_uri)
        found = opened.book.get(params.id)
        return wire_mapping.memory(found.record, found.accesses, found.accessed_at)

    def memory_update(self, params: wire.UpdateParams) -> wire.UpdateResult:
        """Change fields of a memory."""
        given = params.files if params.files is not UNSET else ()
        workspace, opened = self._services.find_current(params.workspace_uri, given)
        self._services.require_enabled(workspace)
        changes = wire_mapping.changes(params, opened.tree)
        if changes and opened.book.get(params.id).record.source == REPOSITORY:
            changes["source"] = self._services.source  # whose word it is from now on
        updated = opened.book.update(params.id, changes, params.expected_version)
        if updated.changed:
            self._services.events.memory_changed(workspace, updated.record.id, updated.record.scope, "updated")
        return wire.UpdateResult(
            memory=wire_mapping.memory(updated.record, updated.accesses, updated.accessed_at),
            redactions=wire_mapping.redactions(updated.redactions),
            name_hint=updated.hint,
        )

    def memory_archive(self, params: wire.IdParams) -> wire.Memory:
        """Take a memory out of retrieval."""
        return self._step(params, "archived")

    def memory_restore(self, params: wire.IdParams) -> wire.Memory:
        """Bring an archived memory back."""
        return self._step(params, "restored")

    def memory_undo(self, params: wire.IdParams) -> wire.Memory:
        """Step a memory back."""
        return self._step(params, "undone")

    def memory_redo(self, params: wire.IdParams) -> wire.Memory:
        """Step it forth again."""
        return self._step(params, "redone")

    def memory_delete(self, params: wire.DeleteParams) -> wire.DeleteResult:
        """Forget a memory."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        scope = next(each.memory.scope for each in opened.book.history(params.id) if each.memory is not None)
        undoable = opened.book.delete(params.id, params.purge)
        self._services.events.memory_changed(workspace, params.id, scope, "deleted")
        return wire.DeleteResult(id=params.id, undoable=undoable)

    def memory_history(self, params: wire.IdParams) -> wire.HistoryResult:
        """The versions of a memory."""
        _, opened = self._services.find_current(params.workspace_uri)
        return wire.HistoryResult(versions=[wire_mapping.version(v) for v in opened.book.history(params.id)])

    def _step(self, params: wire.IdParams, change: Change) -> wire.Memory:
        workspace, opened = self._services.find_current(params.workspace_uri)
        steps: dict[str, Callable[[str], Any]] = {
            "archived": opened.book.archive,
            "restored": opened.book.restore,
            "undone": opened.book.undo,
            "redone": opened.book.redo,
        }
        updated = steps[change](params.id)
        for record in (updated.record, *updated.also) if updated.changed else ():
            told = "deleted" if record.status == "deleted" else change
            self._services.events.memory_changed(workspace, record.id, record.scope, told)
        return wire_mapping.memory(updated.record, updated.accesses, updated.accessed_at)

    def _may_guess(self, workspace: Workspace, opened: Components, session_id: str | None) -> bool:
        """Whether likely files may be told: the index was there when the session began, so that no block changes."""
        if not workspace.settings.memory.inject_likely_files:
            return False
        ready = workspace.index_ready_at()
        session = opened.memories.session(session_id) if session_id is not None else None
        return ready is not None and (session is None or session.started_at >= ready)

    def _likely(self, opened: Components, prompt: str) -> list[Briefing]:
        """Short briefings of the files that a prompt is surely about, by what they say and what past work touched."""
        if opened.enabled is None:
            return []
        found = opened.enabled.code.likely_files(prompt[:LIKELY_PROMPT], LIKELY_FILES)
        briefings = [(self._briefing(opened, path, BRIEFING_LEAST), reasons) for path, _, reasons in found]
        return [
            replace(briefing, likely=", ".join(reasons) or "by what it says")
            for briefing, reasons in briefings
            if briefing.unavailable is None
        ]

    def _briefing(self, opened: Components, path: str, budget: int) -> Briefing:
        try:
            summary = opened.summary(path, budget=budget)
        except FileUnavailable as error:
            return Briefing(path=path, unavailable=error.reason)
        return Briefing(path=path, text=summary.text, hash=summary.hash)
