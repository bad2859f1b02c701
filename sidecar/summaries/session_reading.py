"""Let a chat model read a user's messages of a session, and carry out the valid operations of its answer.

Every change can be undone: no memory is deleted, and no memory that a person recorded or pinned is changed.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from sidecar.files.prompts import Question
from sidecar.learning import operations
from sidecar.learning.operations import SessionOperation, UserTurn
from sidecar.memories.book import MemoryBook
from sidecar.memories.candidates.candidacy import Mode
from sidecar.memories.candidates.repetition import CandidateProposal
from sidecar.memories.drafts import Draft, Filters
from sidecar.runtime.errors import InvalidField, SidecarError
from sidecar.store.candidates import EvidenceRecord
from sidecar.store.records import JobRecord, MemoryRecord
from sidecar.store.vocabulary import LEARNED_PREFIX
from sidecar.text.secrets import redact

log = logging.getLogger(__name__)

RULE: Final = "model"
# A question names up to this many memories and candidates.
_MAX_NAMED_MEMORIES: Final = 40
_MAX_NAMED_CANDIDATES: Final = 25
_SOURCE: Final = f"{LEARNED_PREFIX}{RULE}"
# Memories are searched for with this much of the session's messages.
_MAX_QUERY_CHARS: Final = 4_000


def encode_turns(turns: Sequence[UserTurn]) -> str:
    """Encode a session's messages for the store: shortened, and without secrets."""
    clean = [(redact(turn.before)[0], redact(turn.message)[0]) for turn in operations.shortened(turns)]
    return msgspec.json.encode(clean).decode()


class SessionReading:
    """Questions and answers about the sessions of one workspace. `mode` is the setting `memory.learn`."""

    def __init__(self, book: MemoryBook, mode: str) -> None:
        self._book = book
        self._mode = mode

    def question(self, job: JobRecord) -> Question:
        turns = _turns(job)
        texts = {name: text for name, (_, text) in self._known_memories(turns).items()}
        return Question(operations.INSTRUCTIONS, operations.session_prompt(turns, texts), operations.ANSWER_TOKENS)

    def apply_answer(self, job: JobRecord, text: str) -> int:
        """Carry out the valid operations of an answer; return how many changed a memory or candidate."""
        turns = _turns(job)
        memories_by_name = self._known_memories(turns)
        texts = {name: text for name, (_, text) in memories_by_name.items()}
        valid, refused = operations.checked_answer(text, turns, texts)
        for refusal in refused:
            log.info("A model's operation was refused: %s.", refusal.reason)
        carried_out = 0
        for operation in valid:
            id = memories_by_name[operation.target][0] if operation.target else ""
            try:
                carried_out += self._carry_out(operation, id, turns[operation.message - 1], job)
            except SidecarError as error:
                log.info("A model's operation could not be carried out: %s", error.message)
        return carried_out

    def _carry_out(self, operation: SessionOperation, id: str, turn: UserTurn, job: JobRecord) -> bool:
        if operation.op == "add":
            return self._add(operation, turn, job)
        if self._mode != "confirm":
            return False
        if operation.op == "confirm":
            self._book.candidacy.confirm(id, {}, _SOURCE)
            return True
        memory = self._book.searcher.get(id).record
        if memory.pinned or memory.source == "user":
            return False
        if operation.op == "reword":
            return self._book.editing.update(id, {"content": operation.text}).changed
        if operation.op == "supersede":
            scoped = msgspec.structs.replace(operation, scope=memory.scope, type=memory.type)
            if not self._add(scoped, turn, job):
                return False
        return self._book.editing.archive(id).changed

    def _add(self, operation: SessionOperation, turn: UserTurn, job: JobRecord) -> bool:
        draft = Draft(
            content=operation.text,
            type=operation.type,
            scope=operation.scope,
            session_id=job.session_id,
            source=_SOURCE,
        )
        evidence = EvidenceRecord(
            at=job.asked_at, speaker="user", words=operation.quote, before=turn.before, session_id=job.session_id
        )
        mode: Mode = "confirm" if self._mode == "confirm" else "propose"
        try:
            outcome = self._book.proposer.propose(CandidateProposal(draft, RULE, evidence, at_once=True), mode)
        except InvalidField as error:
            log.info("A model's proposal was not stored: %s", error.message)
            return False
        return outcome.candidate is not None

    def _known_memories(self, turns: Sequence[UserTurn]) -> dict[str, tuple[str, str]]:
        """Return id and text of memories and candidates by short names, which hold until the answer arrives."""
        question = " ".join(turn.message for turn in turns)[:_MAX_QUERY_CHARS]
        memories: dict[str, MemoryRecord] = {}
        if question.strip():
            memories |= {
                hit.record.id: hit.record
                for hit in self._book.searcher.search(question, Filters(), _MAX_NAMED_MEMORIES // 2).items
            }
        for result in self._book.searcher.list(Filters(types=("user", "feedback")), _MAX_NAMED_MEMORIES).items:
            if len(memories) < _MAX_NAMED_MEMORIES:
                memories.setdefault(result.record.id, result.record)
        memories_by_name = {f"M{id[-6:]}": (id, record.content) for id, record in memories.items()}
        for candidate in self._book.candidacy.list_candidates()[:_MAX_NAMED_CANDIDATES]:
            memories_by_name[f"C{candidate.id[-6:]}"] = (candidate.id, candidate.content)
        return memories_by_name


def _turns(job: JobRecord) -> list[UserTurn]:
    return [UserTurn(*row) for row in msgspec.json.decode(job.text, type=list[tuple[str, str]])]
