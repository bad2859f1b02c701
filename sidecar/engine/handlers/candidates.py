"""`memory/candidates`, `memory/confirm` and `memory/reject`."""

from __future__ import annotations

from protocol import candidates as api
from protocol import memories
from protocol.families import CandidatesFamily
from sidecar.engine import mapping
from sidecar.engine.components import Components
from sidecar.engine.enabled_components import EnabledComponents
from sidecar.engine.mapping import struct
from sidecar.engine.services import Services
from sidecar.memories.candidacy import WAITS_MS
from sidecar.runtime.cancellation import Call
from sidecar.store.candidates import CandidateRecord

_CHANGEABLE = ("content", "name", "type", "scope", "category")


class CandidatesHandler(CandidatesFamily[Components, EnabledComponents, Call]):
    def __init__(self, services: Services) -> None:
        self._source = services.source

    def memory_candidates(self, params: api.CandidatesParams, opened: Components, call: Call) -> api.CandidatesResult:
        candidates = opened.book.candidacy.listed(params.status or ("waiting",), params.memory_id, params.session_id)
        return api.CandidatesResult(
            items=[candidate_struct(candidate) for candidate in candidates[: params.limit]],
            waiting=len(opened.book.candidacy.listed()),
        )

    def memory_confirm(self, params: api.ConfirmParams, opened: EnabledComponents, call: Call) -> memories.RecordResult:
        changes = {name: value for name in _CHANGEABLE if (value := getattr(params, name)) is not None}
        recorded = opened.book.candidacy.confirm(params.id, changes, self._source(call))
        return mapping.recorded(recorded)

    def memory_reject(self, params: api.RejectParams, opened: Components, call: Call) -> api.Candidate:
        return candidate_struct(opened.book.candidacy.reject(params.id))


def candidate_struct(record: CandidateRecord) -> api.Candidate:
    return struct(
        api.Candidate,
        record,
        evidence=[struct(api.Evidence, evidence, before=evidence.before or None) for evidence in record.evidence],
        expires_at=record.updated_at + WAITS_MS if record.status == "waiting" else None,
    )
