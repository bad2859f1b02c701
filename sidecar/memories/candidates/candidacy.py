"""List candidates, and confirm or reject them. Those that nobody confirms expire after `MAX_WAITING_MS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from msgspec.structs import replace

from sidecar.memories.announcing import WaitingCountChanged
from sidecar.memories.candidates import file_proposals
from sidecar.memories.candidates.candidate_rows import MAX_CANDIDATES, draft_of
from sidecar.memories.candidates.repetition import MIN_SESSIONS, only_counts, says_enough, sessions_before
from sidecar.memories.drafts import Draft
from sidecar.memories.editing.editing import MemoryEditing
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.recording.recorder import Recorder
from sidecar.memories.results import RecordedMemory
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import MemoryNotFound
from sidecar.store.candidates import CandidateRecord, Candidates
from sidecar.store.records import MemoryRecord

MAX_WAITING_MS: Final = 30 * 24 * 3_600_000
MAX_CANDIDATES_ASKED: Final = 3  # candidates
ASK_WITHIN_MS: Final = 7 * 24 * 3_600_000  # a candidate said longer ago is not asked about

Mode = Literal["propose", "confirm"]


@dataclass(eq=False)
class Candidacy:
    """The candidates of one workspace. Every method may raise StoreUnavailable."""

    _catalogue: Catalogue
    _recorder: Recorder
    _editing: MemoryEditing
    _waiting: WaitingCountChanged
    _clock: Clock
    _new_id: Callable[[int], str]

    def list_candidates(
        self, status: Sequence[str] = ("waiting",), memory_id: str | None = None, session_id: str | None = None
    ) -> list[CandidateRecord]:
        """Return the candidates with one of the given statuses, most sessions first, then newest.

        With `memory_id` or `session_id`, return only candidates of that memory or session.
        """
        every = self._catalogue.workspace_store.candidates.all()
        oldest, memory_ids = self._clock() - MAX_WAITING_MS, {memory_id}
        if memory_id is not None:  # count the memories that were merged into it or promoted to it as well
            memories = self._fetch([candidate.memory_id for candidate in every if candidate.memory_id])
            memory_ids.update(memory.id for memory in memories if memory.merged_into == memory_id)
        matches = [
            candidate
            for candidate in every
            if (candidate.memory_id in memory_ids if memory_id is not None else candidate.status in status)
            and (session_id is None or any(evidence.session_id == session_id for evidence in candidate.evidence))
            and (candidate.status != "waiting" or (candidate.updated_at > oldest and not only_counts(candidate)))
        ]
        return sorted(matches, key=lambda candidate: (-candidate.sessions, -candidate.updated_at, candidate.id))

    def to_ask(self, mode: Mode, began: int) -> list[CandidateRecord]:
        """Return up to `MAX_CANDIDATES_ASKED` candidates as of the session's beginning, so that its blocks agree."""
        least = MIN_SESSIONS if mode == "confirm" else 1
        counted = [(sessions_before(candidate, began), candidate) for candidate in self.list_candidates()]
        ready = sorted(
            (-sessions, -candidate.created_at, candidate.id, candidate)
            for sessions, candidate in counted
            if sessions >= least
            and candidate.rule != file_proposals.RULE
            and says_enough(candidate)
            and candidate.updated_at > began - ASK_WITHIN_MS
        )
        return [candidate for *_, candidate in ready[:MAX_CANDIDATES_ASKED]]

    def get(self, id: str) -> CandidateRecord:
        """Return one candidate. Raises MemoryNotFound."""
        return _require(self._catalogue.workspace_store.candidates.get(id), id)

    def confirm(self, id: str, changes: dict[str, str], source: str) -> RecordedMemory:
        """Make a memory of a candidate because `source` says so. Raises MemoryNotFound, InvalidField.

        If `changes` replace the text, the name is derived from that text. A lesson from tools keeps its own source.
        """
        with self._waiting.changing():
            candidate = self.get(id)
            unnamed = {"name": None} if "content" in changes else {}
            draft = replace(draft_of(candidate), **{**unnamed, **changes})
            if not any(evidence.speaker == "tool" for evidence in candidate.evidence):
                draft = replace(draft, source=source)
            recorded = file_proposals.apply_confirmation(self._editing, self.memory_of(candidate), candidate, draft)
            recorded = recorded or self._recorder.record(draft)
            self.decide(id, "confirmed", recorded)
            return recorded

    def reject(self, id: str) -> CandidateRecord:
        """Reject a candidate, so that it is not proposed again. Raises MemoryNotFound."""
        with self._waiting.changing():
            candidate = self.get(id)
            settled = self.decide(id, "rejected")
            file_proposals.apply_rejection(self._editing, self.memory_of(candidate), candidate)
            return settled

    def propose_from_file(self, draft: Draft, memory_id: str | None) -> None:
        """Store what a repository's file says as a candidate. Raises InvalidField. See `file_proposals.propose`."""
        with self._waiting.changing():
            file_proposals.propose(self._catalogue.workspace_store, draft, memory_id, self._clock(), self._new_id)

    def withdraw(self, memory_ids: Collection[str]) -> None:
        """Drop a file's proposals about the memories `memory_ids`: accepted, or no longer what the file says."""
        with self._waiting.changing():
            file_proposals.withdraw(self._catalogue.workspace_store, memory_ids)

    def expire(self) -> int:
        with self._waiting.changing(), self._catalogue.workspace_store.candidates.changing() as rows:
            return self.prune(rows, self._clock())

    def _fetch(self, ids: Iterable[str]) -> list[MemoryRecord]:
        """Return those of the memories `ids` that exist, as the checkout sees them."""
        with self._catalogue.current() as index:
            return list(index.fetch(ids).values())

    def memory_of(self, candidate: CandidateRecord) -> MemoryRecord | None:
        return next(iter(self._fetch([candidate.memory_id] if candidate.memory_id is not None else [])), None)

    def decide(self, id: str, status: str, recorded: RecordedMemory | None = None) -> CandidateRecord:
        """Give a candidate a final status and, if a memory came of it, the time of that change for `Undoing`."""
        unchanged = recorded is None or recorded.status == "duplicate"
        now = self._clock() if recorded is None or unchanged else recorded.record.updated_at
        with self._catalogue.workspace_store.candidates.changing() as rows:
            settled = replace(
                _require(rows.get(id), id),
                status=status,
                memory_id=None if recorded is None else recorded.record.id,
                updated_at=now,
            )
            rows.put(settled)
        return settled

    def prune(self, rows: Candidates, now: int) -> int:
        """Drop candidates that waited too long and, beyond each status's limit, those that the fewest sessions said."""
        records = rows.all()
        dropped = {
            record.id for record in records if record.status == "waiting" and record.updated_at <= now - MAX_WAITING_MS
        }
        for status, limit in MAX_CANDIDATES.items():
            those = [record for record in records if record.status == status and record.id not in dropped]
            if len(those) > limit:
                those.sort(key=lambda record: (not only_counts(record), record.sessions, record.updated_at, record.id))
                dropped.update(record.id for record in those[: len(those) - limit])
        return rows.drop(dropped)


def _require(candidate: CandidateRecord | None, id: str) -> CandidateRecord:
    if candidate is None:
        raise MemoryNotFound(
            f"There is no candidate {id}.", path="$.id", hint="It may have expired; list the waiting ones."
        )
    return candidate
