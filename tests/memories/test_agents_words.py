"""A lesson that an agent recorded in its own words during the session is not learned again."""

from __future__ import annotations

from sidecar.memories.candidates.repetition import CandidateProposal
from sidecar.memories.drafts import Draft, Filters
from sidecar.store.candidates import EvidenceRecord
from sidecar.store.records import SessionRecord
from tests.memories.conftest import BookRig

SAID = "staging does not have its own redis, it shares with dev"


def begin(rig: BookRig) -> None:
    rig.workspace.update_session("s", lambda _: SessionRecord(id="s", started_at=rig.clock(), seen_at=rig.clock()))
    rig.clock.forward(ms=1_000)


def learn(rig: BookRig) -> list[str]:
    """Return the contents of all memories after the rule has learned what the user said."""
    draft = Draft(content=SAID, type="feedback", source="extractor:rule", session_id="s")
    evidence = EvidenceRecord(at=rig.clock(), speaker="user", words=SAID, session_id="s")
    rig.book.proposer.propose(CandidateProposal(draft, "rule", evidence, at_once=True))
    return sorted(found.record.content for found in rig.book.searcher.list(Filters()).items)


def test_a_lesson_gives_way_to_what_an_agent_recorded_in_its_session(rig: BookRig) -> None:
    begin(rig)
    rig.record("Staging has no Redis of its own; it shares the one of dev.", source="agent")
    rig.record("The cache test is flaky.", source="agent")
    assert learn(rig) == ["Staging has no Redis of its own; it shares the one of dev.", "The cache test is flaky."]
    assert rig.book.candidacy.list_candidates() == []


def test_a_lesson_is_learned_beside_what_is_older_opposite_or_about_something_else(rig: BookRig) -> None:
    rig.record("Staging has no Redis of its own; it shares the one of dev.", source="agent", name="old")
    begin(rig)
    rig.record("The cache test is flaky.", source="agent")
    rig.record("staging does have its own redis, it does not share with dev", source="agent", name="opposite")
    assert SAID in learn(rig)
