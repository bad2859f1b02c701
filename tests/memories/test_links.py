"""Links between memories of one store and of two, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from tests.memories.conftest import BookRig


def kinds(rig: BookRig, id: str) -> list[tuple[str, str]]:
    return [(found.link.kind, found.other.id) for found in rig.book.links.links_of(id)]


def pair(rig: BookRig) -> tuple[str, str]:
    one = rig.record("Deploy with make ship", name="deploy").record.id
    other = rig.record("Tests need a database container", name="tests").record.id
    return one, other


def test_a_symmetrical_link_is_one_whichever_way_it_is_said(rig: BookRig) -> None:
    one, other = pair(rig)
    _, status = rig.book.links.put(one, other, "related", 0.4, "agent")
    assert status == "created"
    assert rig.book.links.put(other, one, "related", 0.4, "agent")[1] == "unchanged"
    assert rig.book.links.put(other, one, "related", 0.9, "agent")[1] == "changed"
    assert kinds(rig, one) == [("related", other)]
    assert kinds(rig, other) == [("related", one)]
    assert rig.book.links.links_of(one)[0].link.strength == 0.9
    assert rig.book.links.remove(other, one, "related") == "removed"
    assert rig.book.links.remove(one, other, "related") == "missing"
    assert kinds(rig, other) == []


def test_a_directed_link_has_a_direction_and_replaces_its_opposite(rig: BookRig) -> None:
    one, other = pair(rig)
    rig.book.links.put(one, other, "extends", 1.0, "agent")
    found = rig.book.links.links_of(other)[0].link
    assert (found.source, found.target) == (one, other)
    rig.book.links.put(other, one, "extends", 1.0, "agent")
    assert [(f.link.source, f.link.target) for f in rig.book.links.links_of(one)] == [(other, one)]


def test_links_across_the_stores(rig: BookRig) -> None:
    here = rig.record("Deploy with make ship").record.id
    everywhere = rig.record("I deploy on Mondays", type="user", scope="global").record.id
    rig.book.links.put(everywhere, here, "sequence", 0.5, "user")
    assert kinds(rig, here) == [("sequence", everywhere)]
    assert kinds(rig, everywhere) == [("sequence", here)]
    assert rig.user.links(everywhere) == []
    second = rig.reopen()
    assert [found.other.id for found in second.links.links_of(everywhere)] == [here]
    rig.book.editing.delete(everywhere, purge=True)
    assert kinds(rig, here) == []
    assert rig.workspace.links(here) == []


def test_links_survive_merges_and_undo_and_vanish_with_a_purge(rig: BookRig) -> None:
    one, other = pair(rig)
    rig.book.links.put(one, other, "extends", 1.0, "agent")
    rig.record("And tell the team", name="deploy")
    assert kinds(rig, one) == [("extends", other)]
    rig.book.undoing.undo(one)
    assert kinds(rig, one) == [("extends", other)]
    rig.book.editing.delete(other)
    assert kinds(rig, one) == []
    rig.book.undoing.undo(other)
    assert kinds(rig, one) == [("extends", other)]
    rig.book.editing.delete(other, purge=True)
    assert kinds(rig, one) == []
    assert rig.workspace.links(one) == []
    assert rig.workspace.links(other) == []


def test_mistakes_are_named(rig: BookRig) -> None:
    one, other = pair(rig)
    with pytest.raises(InvalidField):
        rig.book.links.put(one, one, "related", 1.0, "agent")
    with pytest.raises(InvalidField):
        rig.book.links.put(one, other, "friends", 1.0, "agent")
    with pytest.raises(InvalidField):
        rig.book.links.put(one, other, "related", 1.1, "agent")
    with pytest.raises(MemoryNotFound) as caught:
        rig.book.links.put(one, "nobody", "related", 1.0, "agent")
    assert caught.value.data.path == "$.to"
    with pytest.raises(MemoryNotFound):
        rig.book.links.links_of("nobody")


def test_near_duplicates_are_linked_and_not_merged(rig: BookRig) -> None:
    text = "Integration tests need a database container that listens on the port of the profile"
    first = rig.record(text, name="a")
    for number in range(4):
        rig.record(f"Something else altogether, number {number}", name=f"other {number}")
    second = rig.record(f"{text} locally", name="b")
    assert [similar.id for similar in second.similar] == [first.record.id]
    (found,) = rig.book.links.links_of(first.record.id)
    assert (found.link.kind, found.link.origin) == ("related", "similar")
    assert found.link.strength == second.similar[0].score


@pytest.mark.parametrize(
    ("old", "new"), [("Use npm to install packages", "Use pnpm to install packages"), ("use npm", "use pnpm")]
)
def test_of_two_that_contradict_the_newer_goes_first(rig: BookRig, old: str, new: str) -> None:
    first = rig.record(old).record.id
    rig.clock.forward(days=3)
    second = rig.record(new).record.id
    (found,) = rig.book.links.links_of(first)
    assert (found.link.kind, found.link.origin, found.other.id) == ("contradicts", "contradiction", second)
    page = rig.book.searcher.search("use npm or pnpm", Filters())
    assert [item.record.id for item in page.items] == [second, first]
    block = rig.book.injector.inject(InjectRequest(prompt="should I use npm or pnpm?"))
    shown = [item.id for item in block.items]
    assert second in shown
    assert first not in shown or shown.index(second) < shown.index(first)


def test_a_contradiction_ends_when_it_is_not_said_any_more(rig: BookRig) -> None:
    first = rig.record("The API port is 8080").record.id
    second = rig.record("The API port is 9090").record.id
    assert kinds(rig, first) == [("contradicts", second)]
    rig.book.editing.update(second, {"content": "The admin port is 9090"})
    assert kinds(rig, first) == []
    rig.book.editing.update(second, {"content": "The API port is 7070"})
    assert kinds(rig, first) == [("contradicts", second)]


def test_other_types_scopes_and_agents_contradict_nothing(rig: BookRig) -> None:
    first = rig.record("use npm").record.id
    rig.record("use pnpm", agent="reviewer")
    rig.record("use pnpm", type="feedback")
    rig.record("use pnpm", scope="personal")
    assert kinds(rig, first) == []


def test_every_link_of_a_kind_is_listed_once(rig: BookRig, new_rig: Callable[[], BookRig]) -> None:
    one, other = pair(rig)
    rig.book.links.put(one, other, "supersedes", 1.0, "agent")
    rig.book.links.put(one, other, "related", 1.0, "agent")
    assert [link.kind for link in rig.workspace.links_of_kinds(["supersedes"])] == ["supersedes"]
    assert [link.kind for link in rig.workspace.links_of_kinds(["related", "supersedes"])] == ["related", "supersedes"]


def test_a_guess_hides_nothing_and_is_said(rig: BookRig) -> None:
    first = rig.record("The API port is 8080").record.id
    rig.clock.forward(days=3)
    longer = "The API port is 9090. All other settings are read from the environment."
    second = rig.record(longer).record.id
    assert kinds(rig, first) == [("contradicts", second)]
    page = rig.book.searcher.search("API port", Filters())
    said = {item.record.id: [why for why in item.reasons if "contradicted" in why] for item in page.items}
    assert said == {first: [f"may be contradicted by {second}"], second: []}
    block = rig.book.injector.inject(InjectRequest(prompt="which port has the API?"))
    assert {item.id for item in block.items} == {first, second}
    assert "[may be contradicted by a newer memory of 2026-01-04] The API port is 8080" in block.text
    xml = rig.book.injector.inject(InjectRequest(prompt="which port has the API?", format="xml"))
    assert 'note="may be contradicted by a newer memory of 2026-01-04"' in xml.text
    rig.book.editing.update(second, {"content": "The admin port is 9090"})
    assert "contradicted" not in rig.book.injector.inject(InjectRequest(prompt="which port has the API?")).text
