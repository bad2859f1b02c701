"""`memory/candidates`, `memory/confirm` and `memory/reject`."""

from __future__ import annotations

from protocol import candidates as wire
from protocol import memories as wire_memories
from protocol.families import CandidatesFamily
from sidecar.engine import wire_mapping
from sidecar.engine.components import Components
from sidecar.engine.enabled_components import EnabledComponents
from sidecar.engine.handlers.family import Family
from sidecar.engine.wire_mapping import struct
from sidecar.memories.candidacy import WAITS_MS
from sidecar.runtime.cancellation import Call
from sidecar.store.candidates import CandidateRecord

_CHANGEABLE = ("content", "name", "type", "scope", "category")


class CandidatesHandler(Family, CandidatesFamily[Components, EnabledComponents, Call]):
    def memory_candidates(self, params: wire.CandidatesParams, opened: Components, call: Call) -> wire.CandidatesResult:
        candidates = opened.book.candidacy.listed(params.status or ("waiting",), params.memory_id, params.session_id)
        return wire.CandidatesResult(
            items=[candidate_on_wire(candidate) for candidate in candidates[: params.limit]],
            waiting=len(opened.book.candidacy.listed()),
        )

    def memory_confirm(
        self, params: wire.ConfirmParams, opened: EnabledComponents, call: Call
    ) -> wire_memories.RecordResult:
        changes = {name: value for name in _CHANGEABLE if (value := getattr(params, name)) is not None}
        recorded = opened.book.candidacy.confirm(params.id, changes, self._services.source(call))
        return wire_mapping.recorded(recorded)

    def memory_reject(self, params: wire.RejectParams, opened: Components, call: Call) -> wire.Candidate:
        return candidate_on_wire(opened.book.candidacy.reject(params.id))


def candidate_on_wire(record: CandidateRecord) -> wire.Candidate:
    return struct(
        wire.Candidate,
        record,
        evidence=[struct(wire.Evidence, evidence, before=evidence.before or None) for evidence in record.evidence],
        expires_at=record.updated_at + WAITS_MS if record.status == "waiting" else None,
    )
