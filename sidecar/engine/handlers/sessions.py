"""`session/*`: who is at work now, and on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from protocol import sessions as api
from sidecar.coordination import claims, registry
from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.mapping import to_wire
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.engine.session_presence import SessionPresence
from sidecar.memories.drafts import Draft
from sidecar.memories.recording import checks
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, OutsideWorkspace
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import ClaimRecord, SessionRecord

if TYPE_CHECKING:
    from sidecar.engine.server_journals import ServerJournals
    from sidecar.team.team_claims import ClaimElsewhere


class SessionsHandler:
    def __init__(
        self,
        clock: Clock,
        source: SourceOf,
        process: str | None,
        agent_sessions: AgentSessions,
        presence: SessionPresence,
        journals: ServerJournals | None,
    ) -> None:
        self._clock, self._source, self._process = clock, source, process
        self._journals, self._agent_sessions, self._presence = journals, agent_sessions, presence

    def session_start(self, params: api.StartParams, workspace: OpenWorkspace, context: Context) -> api.Session:
        id = checks.check_session(params.session_id) or ""
        now = self._clock()
        record = registry.start(
            workspace.memory_store,
            id,
            now,
            agent=checks.check_agent(params.agent),
            working_on=params.working_on,
            process=self._process,
        )
        self._presence.remember_heartbeat(workspace.folder, id)
        _share(workspace, record)
        return _session_struct(record, now)

    def session_heartbeat(self, params: api.HeartbeatParams, workspace: OpenWorkspace, context: Context) -> api.Session:
        id = checks.check_session(params.session_id) or ""
        now = self._clock()
        record = registry.heartbeat(workspace.memory_store, id, now, params.working_on, self._process)
        _share(workspace, record)
        return _session_struct(record, now)

    def session_end(self, params: api.EndParams, workspace: OpenWorkspace, context: Context) -> api.Session:
        """End a session: store its lessons, then its summary, then its end."""
        id = checks.check_session(params.session_id) or ""
        started = registry.check_open(workspace.memory_store, id)
        from sidecar.learning.own_output import without_echo

        summary = without_echo(params.summary or "").strip()
        if summary:
            try:
                checks.check_content(summary)
            except InvalidField as error:
                raise InvalidField(
                    error.message, path="$.summary", reason=error.data.reason, hint=error.data.hint
                ) from error
        self._agent_sessions.end_session(workspace.folder, id)
        if (saved_tokens := OpenWorkspace.saved_tokens.existing(workspace)) is not None:
            saved_tokens.end(id)
        if summary:
            self._keep_summary(workspace, context, started, summary)
        now = self._clock()
        record = registry.end(workspace.memory_store, id, now, summary or None)
        self._presence.forget(workspace.folder, id)
        _share(workspace, record)
        if self._journals is not None:
            self._journals.remove(workspace.folder, id)
        return _session_struct(record, now)

    def session_list(
        self, params: api.ListSessionsParams, workspace: OpenWorkspace, context: Context
    ) -> api.ListSessionsResult:
        now = self._clock()
        listed = registry.list_sessions(workspace.memory_store, now, all=params.all)[: params.limit]
        return api.ListSessionsResult(
            items=[*session_structs(workspace.memory_store, listed, now), *sessions_elsewhere(workspace, now)]
        )

    def session_claim(self, params: api.ClaimParams, workspace: OpenWorkspace, context: Context) -> api.ClaimResult:
        id = checks.check_session(params.session_id) or ""
        now = self._clock()
        outcome = claims.claim(workspace.memory_store, id, _item_named(workspace, params.item), now)
        self._presence.remember_heartbeat(workspace.folder, id)
        other = self._claimed_elsewhere(workspace, outcome, now) if outcome.done else None
        if other is not None:
            return api.ClaimResult(outcome.item, False, **other._asdict())
        holder, age = _holder(outcome, now)
        owner = None if outcome.done else outcome.owner
        return to_wire(
            api.ClaimResult,
            item=outcome.item,
            claimed=outcome.done,
            owner=holder,
            age=age,
            claimed_at=None if outcome.claim is None else outcome.claim.at,
            agent=None if owner is None else owner.agent,
            working_on=None if owner is None else owner.working_on,
            elsewhere=None,
        )

    def session_release(self, params: api.ClaimParams, workspace: OpenWorkspace, context: Context) -> api.ReleaseResult:
        id = checks.check_session(params.session_id) or ""
        now = self._clock()
        outcome = claims.release(workspace.memory_store, id, _item_named(workspace, params.item), now)
        self._presence.remember_heartbeat(workspace.folder, id)
        if outcome.done and workspace.team is not None:
            workspace.team.claims.release(id, outcome.item)
        owner, age = _holder(outcome, now)
        return to_wire(api.ReleaseResult, item=outcome.item, released=outcome.done, owner=owner, age=age)

    def _claimed_elsewhere(
        self, workspace: OpenWorkspace, outcome: claims.ClaimOutcome, now: int
    ) -> ClaimElsewhere | None:
        """Claim the item in the team's database too; if another machine has it, free it here and return that claim."""
        claim, owner, team = outcome.claim, outcome.owner, workspace.team
        if claim is None or owner is None or team is None:
            return None
        decided = False
        try:
            other = team.claims.claim(owner, outcome.item)
            decided = other is None
        finally:
            if not decided and claim.at == now:
                claims.release(workspace.memory_store, owner.id, outcome.item, now)
        return other

    def _keep_summary(self, workspace: OpenWorkspace, context: Context, session: SessionRecord, summary: str) -> None:
        """Store the summary as a personal conversation memory, because a project's memory is not a diary."""
        workspace.book.recorder.record(
            Draft(
                content=summary,
                name=f"Summary of session {session.id}"[: checks.NAME_CHARS],
                scope="personal",
                category="conversation",
                session_id=session.id,
                source=self._source(context),
            )
        )


def session_structs(store: MemoryStore, records: Sequence[SessionRecord], now: int) -> list[api.Session]:
    claims_of = claims.valid_claims(store, {session.id: session for session in records}, now)
    return [_session_struct(session, now, claims_of.get(session.id, ())) for session in records]


def sessions_elsewhere(workspace: OpenWorkspace, now: int) -> list[api.Session]:
    """Return the sessions at work on other machines, as last reported."""
    if workspace.team is None:
        return []
    return [
        api.Session(
            session_id=session.session_id,
            state="active",
            started_at=now - session.started_ms,
            heartbeat_at=now - session.seen_ms,
            agent=session.agent,
            working_on=session.working_on,
            claims=[api.Claim(item=item, claimed_at=now - age) for item, age in session.claims],
            elsewhere=session.elsewhere,
        )
        for session in workspace.team.claims.sessions_elsewhere()
    ]


def _share(workspace: OpenWorkspace, record: SessionRecord) -> None:
    if workspace.team is not None:
        workspace.team.report_session(record)


def _item_named(workspace: OpenWorkspace, text: str) -> str:
    """Return an item as it is stored: the name of a file of the workspace becomes a relative path."""
    item = text.strip()
    may_be_path = "://" not in item or item.startswith("file://")
    try:
        if may_be_path and (item.startswith(("file://", "/", "./", "../")) or workspace.tree.exists(item)):
            item = workspace.tree.relative(item)
    except OutsideWorkspace:
        pass  # a folder elsewhere can be claimed too, by the name given
    return claims.normalise_item(item)


def _holder(outcome: claims.ClaimOutcome, now: int) -> tuple[str | None, int | None]:
    """Return which other session holds an item, and for how many milliseconds."""
    if outcome.done or outcome.claim is None:
        return None, None
    return outcome.claim.session_id, max(0, now - outcome.claim.at)


def _session_struct(record: SessionRecord, now: int, session_claims: Sequence[ClaimRecord] = ()) -> api.Session:
    return to_wire(
        api.Session,
        record,
        absent=("elsewhere",),
        session_id=record.id,
        state=registry.state_of(record, now),
        heartbeat_at=record.heartbeat_at if record.heartbeat_at is not None else record.seen_at,
        claims=[{"item": claim.item, "claimedAt": claim.at} for claim in session_claims],
    )
