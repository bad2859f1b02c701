"""`file/*` and `workspace/repoMap`: briefings, reported reads and facts, handoff and search."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from protocol import files as api
from sidecar.engine import mapping
from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.session_effects import paths_in_workspace
from sidecar.memories.recording import checks
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import FileUnavailable, MemoryDisabled, OutsideWorkspace, SidecarError
from sidecar.text.secrets import redact
from sidecar.text.tokens import estimate

if TYPE_CHECKING:
    from sidecar.files.facets.book import Observed

log = logging.getLogger(__name__)

_MAX_STATEMENT_CHARS: Final = 2_500


class FilesHandler:
    def __init__(self, agent_sessions: AgentSessions) -> None:
        self._agent_sessions = agent_sessions

    def file_summary(self, params: api.SummaryParams, workspace: OpenWorkspace, context: Context) -> api.SummaryResult:
        try:
            briefing = workspace.briefing(params.path, params.intent)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        session_id = checks.check_session(params.session_id)
        if workspace.is_enabled:
            workspace.share_facets(briefing.path, briefing.hash)
            if session_id and briefing.advice is None and workspace.settings.memory.learns:
                workspace.saved_tokens.briefed(
                    session_id, briefing.path, briefing.hash, briefing.content.file_tokens, briefing.tokens
                )
        return mapping.summary(briefing)

    def file_record_read(
        self, params: api.RecordReadParams, workspace: OpenWorkspace, context: Context
    ) -> api.RecordReadResult:
        """Record that an agent has read a file; nothing is stored if memory is switched off."""
        try:
            path = workspace.tree.relative(params.path)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        hash = workspace.tree.read(path).hash
        if not workspace.is_enabled:
            return api.RecordReadResult(path=path, hash=hash, known=False)
        known = workspace.facets.knows(hash)
        workspace.share_facets(path, hash)
        if params.content_hash in (None, hash):
            self._agent_sessions.record_read(workspace.folder, checks.check_session(params.session_id) or "", path)
            self._ask_for_summary(workspace, path, hash)
        elif session_id := checks.check_session(params.session_id):
            workspace.saved_tokens.read(session_id, path)  # of an earlier content, but its tokens were spent
        return api.RecordReadResult(path=path, hash=hash, known=known)

    def file_observe(self, params: api.ObserveParams, workspace: OpenWorkspace, context: Context) -> api.ObserveResult:
        """Store what an agent states about files, judged at once, so that the result says which were kept."""
        if workspace.settings.memory.learn == "off":
            raise MemoryDisabled("Learning is switched off.", hint="Set memory.learn to confirm to learn about files.")
        session_id = checks.check_session(params.session_id) or ""
        if params.paths is None:
            paths: Sequence[str] = paths_in_workspace(
                workspace, self._agent_sessions.pop_reads(workspace.folder, session_id)
            )
        else:
            paths = mapping.relative(workspace.tree, params.paths, "paths")
        if not paths:  # the session has read nothing since it last said something
            return api.ObserveResult(facets=[], refused=[api.RefusedFacet(text=params.text, reason="noSuchFile")])
        return _observed(self._observe(workspace, params.text, paths, session_id))

    def file_handoff(self, params: api.HandoffParams, workspace: OpenWorkspace, context: Context) -> api.HandoffResult:
        """Return the last files of a session, one on each line, without files that no longer exist."""
        from sidecar.files.briefing.handoff import MAX_FILES, as_text, hand_on

        files = self._agent_sessions.recent_files(workspace.folder, checks.check_session(params.session_id) or "")
        items = []
        for path in paths_in_workspace(workspace, (*reversed(params.files), *reversed(files))):
            try:
                items.append(hand_on(workspace.briefing(path)))
            except (FileUnavailable, OutsideWorkspace) as error:
                log.debug("A file was not handed on: %s", error.message)
            if len(items) == MAX_FILES:
                break
        text = as_text(items)
        return api.HandoffResult(
            text=text, tokens=estimate(text), items=[mapping.to_wire(api.HandoffItem, item) for item in items]
        )

    def workspace_repo_map(
        self, params: api.RepoMapParams, workspace: OpenWorkspace, context: Context
    ) -> api.RepoMapResult:
        code = workspace.index
        files = mapping.relative(workspace.tree, params.files)
        drawn = code.draw_map(params.budget_tokens, files, params.identifiers)
        return api.RepoMapResult(
            text=drawn.text, tokens=drawn.tokens, files=list(drawn.files), pending=code.unscanned()
        )

    def file_search(
        self, params: api.FileSearchParams, workspace: OpenWorkspace, context: Context
    ) -> api.FileSearchResult:
        code = workspace.index
        files = code.find(params.query, params.limit, params.kinds)
        if (history := code.history()) == "waiting":
            workspace.background_reading.index_later("a search was without the past")
        return api.FileSearchResult(
            items=[mapping.to_wire(api.FoundFile, file) for file in files], pending=code.pending(), history=history
        )

    def _observe(self, workspace: OpenWorkspace, text: str, paths: Iterable[str], session_id: str) -> Observed:
        clean, _ = redact(text[: 2 * _MAX_STATEMENT_CHARS])
        observed = workspace.facets.observe(clean, paths, session_id)
        for path, facet in observed.kept:
            log.debug("A fact about %s was learned: %d characters.", path, len(facet.text))
            workspace.questions.enqueue_aggregate_of(path)
            workspace.share_facets(path, learned=True)
        return observed

    def _ask_for_summary(self, workspace: OpenWorkspace, path: str, hash: str) -> None:
        try:
            workspace.questions.enqueue_file(path, hash)
            workspace.questions.enqueue_aggregate_of(path)
        except SidecarError as error:
            log.info("No summary was asked for: %s", error.message)


def _observed(observed: Observed) -> api.ObserveResult:
    return api.ObserveResult(
        facets=[
            mapping.to_wire(api.ObservedFacet, facet, path=path, symbols=[name for name, _ in facet.symbols])
            for path, facet in observed.kept
        ],
        refused=[
            api.RefusedFacet(text=refused.text, reason=refused.reason, path=path) for path, refused in observed.refused
        ],
    )
