"""`memory/candidates`, `memory/confirm` and `memory/reject`."""

from __future__ import annotations

from protocol import candidates as api
from protocol import memories
from sidecar.engine import mapping
from sidecar.engine.mapping import to_wire
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.memories.candidates.candidacy import MAX_WAITING_MS
from sidecar.runtime.cancellation import Context
from sidecar.store.candidates import CandidateRecord

_CHANGEABLE = ("content", "name", "type", "scope", "category")


class CandidatesHandler:
    def __init__(self, source: SourceOf) -> None:
        self._source = source

    def memory_candidates(
        self, params: api.CandidatesParams, workspace: OpenWorkspace, context: Context
    ) -> api.CandidatesResult:
        candidates = workspace.book.candidacy.list_candidates(
            params.status or ("waiting",), params.memory_id, params.session_id
        )
        return api.CandidatesResult(
            items=[candidate_struct(candidate) for candidate in candidates[: params.limit]],
            waiting=len(workspace.book.candidacy.list_candidates()),
        )

    def memory_confirm(
        self, params: api.ConfirmParams, workspace: OpenWorkspace, context: Context
    ) -> memories.RecordResult:
        changes = {name: value for name in _CHANGEABLE if (value := getattr(params, name)) is not None}
        recorded = workspace.book.candidacy.confirm(params.id, changes, self._source(context))
        return mapping.recorded(recorded)

    def memory_reject(self, params: api.RejectParams, workspace: OpenWorkspace, context: Context) -> api.Candidate:
        return candidate_struct(workspace.book.candidacy.reject(params.id))


def candidate_struct(record: CandidateRecord) -> api.Candidate:
    return to_wire(
        api.Candidate,
        record,
        evidence=[to_wire(api.Evidence, evidence, before=evidence.before or None) for evidence in record.evidence],
        expires_at=record.updated_at + MAX_WAITING_MS if record.status == "waiting" else None,
    )
