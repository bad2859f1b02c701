"""Undo takes back everything that a change did, redo does it again, and deleted memories can be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.candidates.repetition import CandidateProposal
from sidecar.memories.drafts import ANY_AGENT, Draft, Filters
from sidecar.memories.maintenance.running import RunOptions
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.store.candidates import EvidenceRecord
from tests.memories.conftest import BookRig

EVERY = Filters(agent=ANY_AGENT, include=("archived", "resolved", "expired"))


def listing(rig: BookRig) -> list[object]:
    """Return everything that can be listed: memories in order, their links and accesses, and candidates."""
    found = rig.book.searcher.list(EVERY, 200).items
    memories = [(msgspec.structs.replace(one.record, version=1), one.accesses) for one in found]
    links = sorted(
        (link.source, link.target, link.kind, link.strength)
        for one in found
        for link in {each.link for each in rig.book.links.links_of(one.record.id)}
    )
    return [memories, links, sorted((candidate.id, candidate.status) for candidate in rig.workspace.candidates.all())]


def maintained(rig: BookRig, *steps: str) -> list[str]:
    order = RunOptions(steps=steps)  # type: ignore[arg-type]
    report = rig.book.upkeep.maintain(order, rig.clock())
    return [action.id for action in report.actions if action.touched]


@pytest.mark.parametrize("scope", ["project", "global"])
@pytest.mark.parametrize("from_copy", [False, True])
def test_a_promotion_is_taken_back_in_both_scopes(rig: BookRig, scope: str, from_copy: bool) -> None:
    id = rig.record("The wifi password is on the fridge", name="wifi", scope="personal").record.id
    rig.workspace.record_access([id], rig.clock())
    rig.clock.forward(days=1)
    before = listing(rig)
    promoted = rig.book.promoter.promote(id, scope).record.id
    after = listing(rig)
    rig.clock.forward(days=1)
    stepped = rig.book.undoing.undo(promoted if from_copy else id)
    assert {stepped.record.id, *(one.id for one in stepped.also)} == {id, promoted}
    assert listing(rig) == before
    assert rig.user.count() == {}
    rig.book.undoing.redo(promoted if from_copy else id)
    assert listing(rig) == after


@pytest.mark.parametrize("scope", ["project", "global"])
def test_a_promotion_into_a_memory_of_that_name_is_taken_back(rig: BookRig, scope: str) -> None:
    kept = rig.record("Tea is at four", name="tea", scope=scope).record.id
    id = rig.record("Coffee is at five", name="tea", scope="personal").record.id
    other = rig.record("Cake is at six", name="cake").record.id
    rig.book.links.put(id, other, "related", 0.5, "user")
    before = listing(rig)
    rig.clock.forward(days=1)
    rig.book.promoter.promote(id, scope)
    after = listing(rig)
    assert rig.book.searcher.get(kept).record.content == "Tea is at four\nCoffee is at five"
    rig.book.undoing.undo(id)
    assert listing(rig) == before
    rig.book.undoing.redo(kept)
    assert listing(rig) == after


def test_later_change_elsewhere_is_not_undone_unasked(rig: BookRig) -> None:
    id = rig.record("Deploy on Fridays", name="deploy", scope="personal").record.id
    copy = rig.book.promoter.promote(id, "global").record.id
    rig.book.editing.update(copy, {"content": "Never deploy on Fridays"})
    with pytest.raises(InvalidField, match=copy):
        rig.book.undoing.undo(id)
    rig.book.undoing.undo(copy)
    rig.book.undoing.undo(id)
    assert [item.record.id for item in rig.book.searcher.list(EVERY).items] == [id]


def test_a_copy_that_was_deleted_does_not_hold_its_original_back(rig: BookRig) -> None:
    id = rig.record("Deploy on Fridays", name="deploy", scope="personal").record.id
    copy = rig.book.promoter.promote(id, "global").record.id
    rig.book.editing.delete(copy)
    assert rig.book.undoing.undo(id).record.status == "active"
    with pytest.raises(InvalidField, match=copy):
        rig.book.undoing.redo(id)
    assert rig.book.searcher.get(id).record.status == "active"


def test_recording_and_deleting_are_undone_and_redone(rig: BookRig) -> None:
    empty = listing(rig)
    id = rig.record("one", name="n").record.id
    assert rig.book.undoing.undo(id).record.status == "deleted"
    assert listing(rig) == empty
    with pytest.raises(InvalidField, match="nothing left"):
        rig.book.undoing.undo(id)
    assert rig.book.undoing.redo(id).record.content == "one"
    rig.book.editing.delete(id)
    rig.book.undoing.undo(id)
    rig.book.undoing.redo(id)
    with pytest.raises(MemoryNotFound):
        rig.book.searcher.get(id)
    with pytest.raises(InvalidField, match="nothing to redo"):
        rig.book.undoing.redo(id)
    rig.book.undoing.undo(id)
    rig.book.editing.update(id, {"content": "two"})
    with pytest.raises(InvalidField, match="nothing to redo"):
        rig.book.undoing.redo(id)


def test_undo_keeps_relevance_and_verification(rig: BookRig) -> None:
    """Relevance and verification follow the clock and the files; an undo does not put them back to an earlier day."""
    id = rig.record("one", name="n").record.id
    with rig.workspace.transaction() as transaction:
        now = transaction.get(id)
        assert now is not None
        faded = msgspec.structs.replace(now, relevance=0.4, verified_at=rig.clock())
        transaction.adjust(faded)
    before = listing(rig)
    rig.clock.forward(days=30)
    rig.book.editing.update(id, {"content": "two"})
    rig.book.undoing.undo(id)
    assert listing(rig) == before


def test_memory_archived_by_maintenance_stays_once_restored(rig: BookRig) -> None:
    id = rig.record("Nobody asks for this", name="n").record.id
    rig.clock.forward(days=400)
    steps = ("relevance", "archive")
    maintained(rig, *steps)
    assert rig.book.searcher.get(id).record.archived_for == "faded"
    rig.book.undoing.undo(id)
    assert maintained(rig, *steps) == []
    assert rig.book.searcher.get(id).record.status == "active"


def test_a_confirmed_candidate_waits_again(rig: BookRig) -> None:
    before, id = _candidate(rig, 1)
    confirmed = rig.book.candidacy.confirm(id, {}, "user").record.id
    after = listing(rig)
    rig.clock.forward(days=1)
    rig.book.undoing.undo(confirmed)
    assert listing(rig) == before
    rig.book.undoing.redo(confirmed)
    assert listing(rig) == after


def _candidate(rig: BookRig, number: int) -> tuple[list[object], str]:
    words = f"Always put the kettle number {number} on before the standup"
    evidence = EvidenceRecord(at=rig.clock(), speaker="user", words=words, session_id=f"s{number}")
    outcome = rig.book.proposer.propose(CandidateProposal(Draft(content=words, type="feedback"), "wish", evidence))
    assert outcome.candidate is not None
    return listing(rig), outcome.candidate.id


def test_deleted_memories_are_listed_and_brought_back(rig: BookRig) -> None:
    ids = [rig.record(f"thing {number}", name=f"n{number}", agent="a").record.id for number in range(3)]
    before = listing(rig)
    rig.clock.forward(days=1)
    for id in ids:
        rig.book.editing.delete(id)
        rig.clock.forward(ms=1)
    deleted = rig.book.undoing.list_deleted
    first = deleted(Filters(agent="a", types=("project",)), 2)
    gone = (*first.items, *deleted(Filters(agent="a", types=("project",)), 2, first.cursor).items)
    assert [(one.id, one.status, one.content) for one in gone] == [
        (id, "deleted", f"thing {number}") for number, id in reversed(list(enumerate(ids)))
    ]
    assert deleted(Filters(agent="a", scopes=("global",)), 2).items == ()
    for id in ids:
        rig.book.editing.restore(id)
    assert listing(rig) == before
    rig.book.editing.delete(ids[0], purge=True)
    assert deleted(EVERY, 9).items == ()


def test_deleted_memories_are_filtered_as_other_memories_are(rig: BookRig) -> None:
    shared = rig.record("The shop opens at nine", name="a", files=("shop/till.py",)).record.id
    other = rig.record("The shop shuts at six", name="b", agent="b", files=("shop/till.py",)).record.id
    cases: tuple[tuple[Filters, set[str]], ...] = (
        (Filters(agent="a"), {shared}),
        (Filters(agent="b", files=("shop",)), {shared, other}),
        (Filters(agent="b", files=("sho",)), set()),
    )
    assert [{item.record.id for item in rig.book.searcher.list(filters).items} for filters, _ in cases] == [
        found for _, found in cases
    ]
    for id in (shared, other):
        rig.book.editing.delete(id)
    deleted = [rig.book.undoing.list_deleted(filters, 9).items for filters, _ in cases]
    assert [{memory.id for memory in memories} for memories in deleted] == [found for _, found in cases]


def test_a_purge_takes_along_what_was_put_away_for_saying_the_same(rig: BookRig) -> None:
    id = rig.record("The code of the door is swordfish", name="a", scope="personal").record.id
    copy = rig.book.promoter.promote(id, "global").record.id
    elder = rig.record("The code of the gate is halibut", name="b").record.id
    rig.record("The code of the gate is halibut", name="c")
    maintained(rig, "duplicates")
    for one in (copy, elder):
        rig.book.editing.delete(one, purge=True)
    for home in (rig.workspace, rig.user):
        assert not home.all()
        assert not home.deleted_ids()
    rig.close()  # until then the write-ahead log has it
    for path in filter(Path.is_file, rig.folder.rglob("*")):
        held = path.read_bytes()
        assert not [word for word in (b"swordfish", b"halibut") if word in held], path


def test_a_refused_secret_is_in_no_version(rig: BookRig) -> None:
    secret = "ghp_" + "".join(f"{number:02d}aB" for number in range(9))
    id = rig.record(f"The token is {secret}", name="n").record.id
    rig.book.editing.update(id, {"content": f"Now the token is {secret} for the bot"})
    rig.book.undoing.undo(id)
    rig.book.undoing.redo(id)
    rig.book.editing.delete(id)
    versions = rig.book.searcher.history(id)
    assert len(versions) == 5
    assert secret not in repr(versions)


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(
            "record record again update rename archive restore resolve reopen delete promote widest maintain "
            "supersede learn confirm pass".split()
        ),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=14,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(ACTIONS)
def test_all_is_undone_and_all_is_redone(new_rig: Callable[[], BookRig], actions: list[tuple[str, int]]) -> None:
    rig = new_rig()
    for number in range(3):
        _candidate(rig, number)
    numbers = count()
    first = listing(rig)
    done: list[tuple[str, list[object]]] = []
    states = [first]
    for action, which in actions:
        for id in _act(rig, action, which, next(numbers)):
            done.append((id, []))
        rig.clock.forward(ms=7)
        states.append(listing(rig))
    last = listing(rig)
    for id, _ in reversed(done):
        rig.book.undoing.undo(id)
        rig.clock.forward(ms=7)
    assert listing(rig) == first
    for id, _ in done:
        rig.book.undoing.redo(id)
        rig.clock.forward(ms=7)
    assert listing(rig) == last


def _act(rig: BookRig, action: str, which: int, number: int) -> Iterator[str]:
    """Make one change; return the ids by which it is undone, in the order in which it was made."""
    book = rig.book
    every = [item.record for item in book.searcher.list(EVERY, 200).items]
    chosen = every[which % len(every)] if every else None
    if action == "record":
        category = "blocker" if which % 2 else None
        yield rig.record(f"thing {which}", name=f"n{number}", scope="personal", category=category).record.id
    elif action == "pass":
        rig.clock.forward(days=which * 30)
    elif action == "learn":
        recorded = book.recorder.learn(Draft(content=f"fact {number}", source="import:x"))
        if recorded is not None and recorded.status != "duplicate":
            yield recorded.record.id
    elif action == "confirm":
        waiting = book.candidacy.list_candidates()
        if waiting:
            recorded = book.candidacy.confirm(waiting[which % len(waiting)].id, {}, "user")
            if recorded.status != "duplicate":
                yield recorded.record.id
    elif action == "maintain":
        yield from maintained(rig, "duplicates", "age")
    elif chosen is None:
        return
    elif action == "again":
        recorded = rig.record(
            f"more {number}", name=chosen.name, scope=chosen.scope, type=chosen.type, agent=chosen.agent
        )
        yield recorded.record.id
    elif action == "delete":
        book.editing.delete(chosen.id)
        yield chosen.id
    elif action == "supersede":
        with rig.workspace.transaction() as transaction:
            kept = transaction.get(chosen.id)
            if kept is not None:
                newer = msgspec.structs.replace(kept, supersedes="x", version=kept.version + 1)
                transaction.put(newer, "updated", rig.clock())
                yield chosen.id
    else:
        changes = {"update": {"content": f"text {number}"}, "rename": {"name": f"r{number}"}}
        try:
            if action in changes:
                changed = book.editing.update(chosen.id, changes[action]).changed
            elif action in ("promote", "widest"):
                changed = book.promoter.promote(chosen.id, "global" if action == "widest" else None).changed
            else:
                changed = getattr(book.editing, action)(chosen.id).changed
        except InvalidField:
            return
        if changed:
            yield chosen.id
