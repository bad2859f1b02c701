"""What a compaction of an agent's context loses is shown again, once, and counts as used once."""

from __future__ import annotations

from sidecar.memories.drafts import Briefing, InjectRequest
from sidecar.memories.injection.showing import still_shown, store_compaction
from tests.memories.conftest import BookRig, ids_of
from tests.memories.test_in_a_session import ASKED, filled, inject


def test_memories_lost_by_a_compaction_are_shown_again_once(rig: BookRig) -> None:
    id = filled(rig)
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == [id]
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == []
    for _ in range(2):
        store_compaction(rig.workspace, "s", rig.clock.now)
        assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == [id]
        assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == []
    assert rig.book.searcher.get(id).accesses == 1
    assert ids_of(rig.reopen().injector.inject(InjectRequest(prompt=ASKED, session_id="s", exclude_shown=True))) == []


def test_two_compactions_with_nothing_shown_between_lose_it_once(rig: BookRig) -> None:
    id = filled(rig)
    inject(rig.book, ASKED)
    store_compaction(rig.workspace, "s", rig.clock.now)
    before = rig.workspace.session("s")
    rig.clock.forward(ms=1)
    store_compaction(rig.workspace, "s", rig.clock.now)
    assert rig.workspace.session("s") == before
    assert still_shown(rig.workspace.session("s")) == frozenset()
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == [id]


def test_only_what_is_shown_again_is_held_again(rig: BookRig) -> None:
    first = filled(rig)
    inject(rig.book, ASKED)
    backups = "In which city of Germany are the nightly backups kept?"
    (second,) = ids_of(inject(rig.book, backups))
    store_compaction(rig.workspace, "s", rig.clock.now)
    inject(rig.book, backups, exclude_shown=True)
    assert still_shown(rig.workspace.session("s")) == {second}
    store_compaction(rig.workspace, "s", rig.clock.now)
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == [first]
    assert ids_of(inject(rig.book, backups, exclude_shown=True)) == [second]
    assert still_shown(rig.workspace.session("s")) == {first, second}
    assert [rig.book.searcher.get(id).accesses for id in (first, second)] == [1, 1]


def test_a_session_that_was_shown_nothing_loses_nothing(rig: BookRig) -> None:
    id = filled(rig)
    store_compaction(rig.workspace, "never", rig.clock.now)
    assert rig.workspace.session("never") is None
    inject(rig.book, "thanks", "s")
    store_compaction(rig.workspace, "s", rig.clock.now)
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == [id]
    assert rig.book.searcher.get(id).accesses == 1


def test_a_frozen_block_given_again_after_a_compaction_counts_as_shown(rig: BookRig) -> None:
    id = filled(rig)
    briefing = Briefing("a.py", "about a", hash="h1")
    request = InjectRequest(session_id="s", frozen=True, exclude_shown=True, files=("a.py",))
    first = rig.book.injector.inject(request, [briefing])
    assert id in ids_of(first)
    store_compaction(rig.workspace, "s", rig.clock.now)
    assert rig.book.injector.inject(request, [briefing]) == first
    assert ids_of(inject(rig.book, ASKED, exclude_shown=True)) == []
    again = rig.book.injector.inject(InjectRequest(session_id="s", exclude_shown=True, files=("a.py",)), [briefing])
    assert again.items == ()
    assert rig.book.searcher.get(id).accesses == 1
