"""Propose what was learned: as a candidate, or at once as a memory.

`LessonStorer` (`engine`) proposes lessons here. A learned statement becomes a candidate, and waits until another
session says much the same or somebody confirms it; a proposal marked `at_once` becomes a memory without waiting. A
rejected candidate returns only if the user later states it as a standing rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from msgspec.structs import replace

from sidecar.learning.lesson import MENTION, REVISION, STATED_RULES
from sidecar.memories.announcing import WaitingCountChanged
from sidecar.memories.candidates import agents_words, later_words
from sidecar.memories.candidates.candidacy import Candidacy, Mode
from sidecar.memories.candidates.candidate_rows import draft_of, redact_evidence
from sidecar.memories.candidates.changed_mind import says_otherwise, taken_back, takes_the_place
from sidecar.memories.candidates.repetition import (
    CandidateProposal,
    find_alike,
    is_confirmed,
    only_counts,
    same_wish,
    wish_of,
    with_evidence,
)
from sidecar.memories.drafts import ANY_AGENT, Draft, Filters
from sidecar.memories.editing.editing import MemoryEditing
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.recording import record_writes
from sidecar.memories.recording.recorder import Recorder
from sidecar.memories.results import RecordedMemory
from sidecar.memories.retrieval.searching import mentioning, similar
from sidecar.memories.wording.contradiction import contradicts
from sidecar.runtime.clock import Clock
from sidecar.store.candidates import CandidateRecord, EvidenceRecord, candidate_of
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import rule_of

_SCOPES: Final = ("personal", "project")  # of the workspace's memories
_MIN_CERTAINTY: Final = 0.7  # a contradiction at least this certain archives the older memory


class ProposalOutcome(NamedTuple):
    """The outcome of a proposal."""

    candidate: CandidateRecord | None = None  # None if a memory says the same, or the user rejected it before
    recorded: RecordedMemory | None = None  # the memory that the proposal became
    archived: tuple[MemoryRecord, ...] = ()  # the memories that the proposal replaces or takes back


@dataclass(eq=False)
class Proposer:
    """Proposes lessons to one workspace. Every method may raise StoreUnavailable."""

    _catalogue: Catalogue
    _candidacy: Candidacy
    _recorder: Recorder
    _editing: MemoryEditing
    _waiting: WaitingCountChanged
    _clock: Clock
    _new_id: Callable[[int], str]

    def propose(self, proposal: CandidateProposal, mode: Mode = "confirm") -> ProposalOutcome:
        """Store a proposal as a candidate or, if that confirms the candidate, as a memory. Raises InvalidField."""
        with self._waiting.changing():
            return self._propose(proposal, mode)

    def _propose(self, proposal: CandidateProposal, mode: Mode) -> ProposalOutcome:
        now = self._clock()
        record, _ = record_writes.prepare(proposal.draft, now, self._new_id)
        evidence = redact_evidence(proposal.evidence)
        if evidence.speaker == "user" and self._is_kept_by_agent(record, now):
            return ProposalOutcome()
        outcome, is_final = self._apply_revisions(proposal, evidence.words, mode)
        if is_final:
            return outcome
        near = self._similar_or_opposite(record, now)
        stored = self._store_candidate(proposal, record, evidence, near, now)
        if stored is None:
            return ProposalOutcome()
        candidate, was_rejected = stored
        # A rejected candidate that has a memory was confirmed before: the user took that memory back, and may want it
        # again.
        refused = was_rejected and candidate.memory_id is None
        archived = outcome.archived
        makes_memory = bool(archived) or (proposal.at_once and not refused) or is_confirmed(candidate, proposal)
        if mode == "confirm" and evidence.speaker == "user":
            archived += self._archive_contradicted(near, record.content, sure=proposal.standing or makes_memory)
        if candidate.status == "confirmed":
            return ProposalOutcome(candidate, self._restore(candidate, ("faded", "old")), archived)
        if mode != "confirm" or candidate.status != "waiting" or not makes_memory:
            return ProposalOutcome(candidate, archived=archived)
        return self._make_memory(proposal, candidate, archived)

    def _apply_revisions(self, proposal: CandidateProposal, words: str, mode: Mode) -> tuple[ProposalOutcome, bool]:
        """Archive what the user takes back. Return True as well if the proposal says nothing else to store."""
        archived = self._revise(proposal, words) if proposal.revisions and mode == "confirm" else ()
        if archived is None:
            return ProposalOutcome(), True
        is_final = proposal.rule == REVISION or bool(archived)
        if proposal.surely_changes and not archived and mode == "confirm":
            return ProposalOutcome(recorded=self._record_unmatched(proposal.draft, words)), is_final
        return ProposalOutcome(archived=archived), is_final

    def _store_candidate(
        self,
        proposal: CandidateProposal,
        record: MemoryRecord,
        evidence: EvidenceRecord,
        near: Sequence[MemoryRecord],
        now: int,
    ) -> tuple[CandidateRecord, bool] | None:
        """Store a proposal as a candidate, or add its evidence to the candidate that says the same.

        Return the candidate, and whether the user had rejected it before. Return None if the candidate stays rejected,
        or a memory already says the same.
        """
        wish = wish_of(record.content)
        with self._catalogue.workspace_store.candidates.changing() as rows:
            candidate = find_alike(rows.all(), proposal, record, wish)
            was_rejected = candidate is not None and candidate.status == "rejected"
            if candidate is None:
                if not proposal.at_once and any(
                    same_wish(wish_of(memory.content), wish) and not says_otherwise(record.content, memory.content)
                    for memory in near
                ):
                    return None
                candidate = candidate_of(record, proposal.rule, evidence, now)
            else:
                if was_rejected:
                    if not (proposal.standing and evidence.speaker == "user" and evidence.at > candidate.updated_at):
                        return None
                    candidate = replace(candidate, status="waiting", evidence=(), sessions=0)
                if candidate.rule == MENTION:
                    candidate = replace(candidate, rule=proposal.rule)
                candidate = with_evidence(candidate, evidence, now, proposal.standing)
            rows.put(candidate, counted=not only_counts(candidate))
            self._candidacy.prune(rows, now)
        return candidate, was_rejected

    def _make_memory(
        self, proposal: CandidateProposal, candidate: CandidateRecord, archived: tuple[MemoryRecord, ...]
    ) -> ProposalOutcome:
        """Record a candidate's statement; if a later statement had archived the candidate's memory, restore that."""
        recorded = self._restore(candidate)
        recorded = recorded or self._recorder.learn(proposal.draft if proposal.at_once else draft_of(candidate))
        if recorded is None:  # the user deleted such a memory: do not propose it again
            return ProposalOutcome(self._candidacy.decide(candidate.id, "rejected"), archived=archived)
        return ProposalOutcome(self._candidacy.decide(candidate.id, "confirmed", recorded), recorded, archived)

    def _similar_or_opposite(self, record: MemoryRecord, now: int) -> list[MemoryRecord]:
        """Return memories of this workspace that say nearly the same, or the opposite."""
        with self._catalogue.current() as index:
            near = similar(index, self._catalogue.workspace_store, record, record.content, now, _SCOPES)
            memories = index.fetch(other.id for other in near)
        return [later_words.without_later(memory) for memory in memories.values()]

    def _is_kept_by_agent(self, lesson: MemoryRecord, now: int) -> bool:
        """Return whether somebody recorded what a lesson says during the lesson's session."""
        session = self._catalogue.workspace_store.session(lesson.session_id) if lesson.session_id else None
        if session is None:
            return False
        with self._catalogue.current() as index:
            recent = index.fetch(index.select(Filters(agent=ANY_AGENT, since=session.started_at + 1), now).ids)
        return agents_words.say_the_same(lesson.content, recent.values())

    def _of_user(self, text: str) -> list[MemoryRecord]:
        """Return memories of the user's words that share most words with a text, as first said."""
        with self._catalogue.current() as index:
            near = index.fetch(mentioning(index, text, self._clock(), _SCOPES))
        return [later_words.without_later(memory) for memory in near.values() if rule_of(memory.source) in STATED_RULES]

    def _restore(self, candidate: CandidateRecord, reasons: Collection[str] | None = None) -> RecordedMemory | None:
        """Restore the archived memory of a candidate; with `reasons`, only if it was archived for one of them."""
        memory = self._candidacy.memory_of(candidate)
        if memory is None or memory.status != "archived" or (reasons and memory.archived_for not in reasons):
            return None
        return RecordedMemory("merged", self._editing.restore(memory.id).record)

    def _archive_contradicted(self, near: Iterable[MemoryRecord], text: str, *, sure: bool) -> tuple[MemoryRecord, ...]:
        """Archive learned memories that the user's words contradict; if `sure`, also those that they replace."""
        against = [memory for memory in near if (contradicts(memory.content, text) or 0) >= _MIN_CERTAINTY]
        if sure:
            against += [memory for memory in self._of_user(text) if takes_the_place(text, memory.content)]
        return self._archive(against, text, "waiting")

    def _revise(self, proposal: CandidateProposal, words: str) -> tuple[MemoryRecord, ...] | None:
        """Archive the memories that the user takes back; without such memories, drop the candidate that says so.

        Return None if the words were only added to a memory or candidate, because they may not take it back.
        """
        topic = " ".join(f"{revision.topic} {revision.clause}" for revision in proposal.revisions)
        if memories := taken_back(proposal.revisions, self._of_user(topic)):
            return self._archive(memories, words, "rejected")
        waiting = [each for each in self._candidacy.list_candidates() if each.evidence[0].speaker == "user"]
        dropped = taken_back(proposal.revisions, waiting)
        for candidate in dropped:
            self._candidacy.decide(candidate.id, "rejected")
        if dropped or proposal.standing:
            return ()
        learned = [memory for memory in self._of_user(words) if not memory.pinned]
        revising = " ".join(revision.clause for revision in proposal.revisions)
        if (memory := later_words.statement_meant(words, learned, revising)) is not None:
            if contrary := self._archive_contradicted([memory], words, sure=False):
                return contrary
            self._editing.update(memory.id, {"content": later_words.with_later(memory.content, words)})
            return None
        earlier = [  # what the same session said only adds to it
            later_words.without_later(candidate)
            for candidate in waiting
            if candidate.evidence[-1].session_id != proposal.draft.session_id
        ]
        if (noted := later_words.statement_meant(revising, earlier, revising, candidates=True)) is not None:
            noted = replace(noted, content=later_words.with_later(noted.content, revising))
            with self._catalogue.workspace_store.candidates.changing() as rows:
                rows.put(noted)
            return None
        return ()

    def _record_unmatched(self, draft: Draft, words: str) -> RecordedMemory | None:
        """Record words that change some memory, but nobody can tell which; the new memory expires after two weeks.

        Return None if the words could not change any memory.
        """
        now = self._clock()
        with self._catalogue.current() as index:
            if not index.select(Filters(), now):
                return None
        return self._recorder.learn(later_words.unmatched(words, draft, now))

    def _archive(self, memories: Iterable[MemoryRecord], words: str, status: str) -> tuple[MemoryRecord, ...]:
        """Archive learned memories because of the user's words, and give their candidates the status `status`."""
        archived = [
            self._editing.archive(memory.id, reason=f"The user said: “{words}”").record
            for memory in {memory.id: memory for memory in memories}.values()
            if rule_of(memory.source) is not None and not memory.pinned
        ]
        if archived:
            at = {memory.id: memory.updated_at for memory in archived}
            with self._catalogue.workspace_store.candidates.changing() as rows:
                for candidate in rows.all():
                    if (id := candidate.memory_id) in at:
                        rows.put(replace(candidate, status=status, sessions=0, updated_at=at[id]), counted=False)
        return tuple(archived)
