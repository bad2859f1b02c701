"""A book announces exactly the memories that got a new version or went, whatever was called to change them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.memories.announcing import ChangedMemory
from sidecar.memories.candidates.candidacy import MAX_WAITING_MS
from sidecar.memories.candidates.repetition import CandidateProposal
from sidecar.memories.drafts import Draft
from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.recording.importer import Incoming
from sidecar.runtime.errors import InvalidField
from sidecar.store.candidates import EvidenceRecord
from tests.memories.conftest import BookRig


class Watched:
    """A rig whose memories' numbers of versions are compared with what its book announces."""

    def __init__(self, rig: BookRig) -> None:
        self.rig = rig
        self.heard: list[ChangedMemory] = []
        self._ids: set[str] = set()
        rig.book.changed.subscribe(self.heard.extend)

    def after(self, work: Callable[[], object]) -> list[str]:
        """Return the kinds of the changes announced during `work`, after comparing them with the stores."""
        before, self.heard[:] = self._versions(), []
        work()
        now = self._versions()
        changed = {id for id in now if now[id] != before.get(id, 0)}
        assert {one.id for one in self.heard} == changed
        assert len(self.heard) == len(changed), "each once"
        return [one.change for one in self.heard]

    def _versions(self) -> dict[str, int]:
        homes = (self.rig.workspace, self.rig.user)
        self._ids.update(one.id for home in homes for one in home.all())
        return {id: sum(len(home.history(id)) for home in homes) for id in self._ids}


@pytest.fixture
def watched(rig: BookRig) -> Watched:
    return Watched(rig)


def test_recorded_and_learned_memories_are_announced(watched: Watched) -> None:
    rig = watched.rig
    assert watched.after(lambda: rig.record("The door opens to the left.", name="door")) == ["created"]
    assert watched.after(lambda: rig.record("The door opens to the left.", name="door")) == []
    assert watched.after(lambda: rig.record("It is made of oak.", name="door")) == ["merged"]
    assert watched.after(
        lambda: rig.book.recorder.learn(Draft(content="The gate is red.", source="extractor:rule"))
    ) == ["created"]

    def unseen(done: int, total: int) -> None: ...

    incoming = [Incoming(Draft(content=text, name=text)) for text in ("One roof.", "Two windows.")]
    assert watched.after(lambda: rig.book.importer.import_memories(incoming, dry_run=True, step=unseen)) == []
    assert watched.after(lambda: rig.book.importer.import_memories(incoming, step=unseen)) == ["created", "created"]
    assert watched.after(lambda: rig.book.importer.import_memories(incoming, step=unseen)) == []


def test_steps_of_one_memory(watched: Watched) -> None:
    rig, book = watched.rig, watched.rig.book
    id = rig.record("The lock is stuck.", name="lock", category="blocker").record.id
    assert watched.after(lambda: book.editing.update(id, {"tags": ("door",)})) == ["updated"]
    assert watched.after(lambda: book.editing.update(id, {"tags": ("door",)})) == []
    assert watched.after(lambda: book.editing.resolve(id)) == ["resolved"]
    assert watched.after(lambda: book.editing.resolve(id)) == []
    assert watched.after(lambda: book.editing.reopen(id)) == ["reopened"]
    assert watched.after(lambda: book.editing.archive(id)) == ["archived"]
    assert watched.after(lambda: book.editing.restore(id)) == ["restored"]
    assert watched.after(lambda: book.undoing.undo(id)) == ["undone"]
    assert watched.after(lambda: book.undoing.redo(id)) == ["redone"]
    assert watched.after(lambda: book.editing.delete(id)) == ["deleted"]
    assert watched.after(lambda: book.undoing.undo(id)) == ["undone"]
    with pytest.raises(InvalidField):
        watched.after(lambda: book.editing.update(id, {"type": "nonsense"}))
    assert watched.heard == []


def test_changes_of_several_memories(watched: Watched) -> None:
    rig, book = watched.rig, watched.rig.book
    id = rig.record("The code of the door is swordfish.", name="code", scope="personal").record.id
    assert watched.after(lambda: book.promoter.promote(id, "project")) == ["promoted"]
    assert watched.after(lambda: book.promoter.promote(id, "global")) == ["promoted", "archived"]
    assert watched.after(lambda: book.promoter.promote(id, "global")) == []
    assert sorted(watched.after(lambda: book.undoing.undo(id))) == ["deleted", "undone"]
    assert len(watched.after(lambda: book.undoing.redo(id))) == 2
    (copy,) = (one.id for one in rig.user.all())
    assert watched.after(lambda: book.editing.delete(copy, purge=True)) == ["deleted", "deleted"]


def test_maintenance_announces_only_what_it_changes(watched: Watched) -> None:
    rig = watched.rig
    rig.record("Deploy on Fridays", name="a")
    rig.record("deploy on fridays", name="b")
    order = RunOptions(steps=STEPS)
    assert watched.after(lambda: rig.book.upkeep.maintain(RunOptions(steps=STEPS, dry_run=True), rig.clock())) == []
    assert watched.after(lambda: rig.book.upkeep.maintain(order, rig.clock()))
    assert watched.after(lambda: rig.book.upkeep.maintain(order, rig.clock())) == []


def test_candidates_are_announced_when_they_are_confirmed(watched: Watched) -> None:
    rig = watched.rig
    evidence = EvidenceRecord(at=rig.clock(), speaker="user", words="I prefer tabs.", session_id="s")
    draft = Draft(content="I prefer tabs.", type="user", source="extractor:preference")
    offered = rig.book.proposer.propose(CandidateProposal(draft, "preference", evidence), "propose")
    candidate = offered.candidate
    assert candidate is not None
    assert watched.heard == []
    assert watched.after(lambda: rig.book.candidacy.confirm(candidate.id, {}, "user")) == ["created"]


def test_number_of_waiting_candidates_is_announced_whatever_changes_it(watched: Watched) -> None:
    rig, candidacy = watched.rig, watched.rig.book.candidacy
    waiting: list[int] = []
    rig.book.waiting_changed.subscribe(waiting.append)

    def offer(text: str) -> str:
        evidence = EvidenceRecord(at=rig.clock(), speaker="user", words=text, session_id="s")
        draft = Draft(content=text, type="user", source="extractor:preference")
        candidate = rig.book.proposer.propose(CandidateProposal(draft, "preference", evidence), "propose").candidate
        assert candidate is not None
        return candidate.id

    confirmed, rejected = offer("I prefer tabs."), offer("Reviews begin at ten.")
    offer("I prefer tabs.")
    memory = candidacy.confirm(confirmed, {}, "user").record
    rig.book.undoing.undo(memory.id)
    rig.book.undoing.redo(memory.id)
    candidacy.reject(rejected)
    candidacy.propose_from_file(Draft(content="The gate is red.", source="repository"), memory.id)
    candidacy.withdraw({memory.id})
    offer("Answers should be short.")
    rig.clock.now += MAX_WAITING_MS
    candidacy.expire()
    assert waiting == [1, 2, 1, 2, 1, 0, 1, 0, 1, 0]
