"""Links between memories of one store and of two, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from tests.memories.conftest import BookFixture


def kinds(house: BookFixture, id: str) -> list[tuple[str, str]]:
    return [(found.link.kind, found.other.id) for found in house.book.links(id)]


def pair(house: BookFixture) -> tuple[str, str]:
    one = house.record("Deploy with make ship", name="deploy").record.id
    other = house.record("Tests need a database container", name="tests").record.id
    return one, other


def test_a_symmetrical_link_is_one_whichever_way_it_is_said(house: BookFixture) -> None:
    one, other = pair(house)
    _, status = house.book.link(one, other, "related", 0.4, "agent")
    assert status == "created"
    assert house.book.link(other, one, "related", 0.4, "agent")[1] == "unchanged"
    assert house.book.link(other, one, "related", 0.9, "agent")[1] == "changed"
    assert kinds(house, one) == [("related", other)]
    assert kinds(house, other) == [("related", one)]
    assert house.book.links(one)[0].link.strength == 0.9
    assert house.book.unlink(other, one, "related") == "removed"
    assert house.book.unlink(one, other, "related") == "missing"
    assert kinds(house, other) == []


def test_a_directed_link_has_a_direction_and_replaces_its_opposite(house: BookFixture) -> None:
    one, other = pair(house)
    house.book.link(one, other, "extends", 1.0, "agent")
    found = house.book.links(other)[0].link
    assert (found.source, found.target) == (one, other)
    house.book.link(other, one, "extends", 1.0, "agent")
    assert [(f.link.source, f.link.target) for f in house.book.links(one)] == [(other, one)]


def test_links_across_the_stores(house: BookFixture) -> None:
    here = house.record("Deploy with make ship").record.id
    everywhere = house.record("I deploy on Mondays", type="user", scope="global").record.id
    house.book.link(everywhere, here, "sequence", 0.5, "user")
    assert kinds(house, here) == [("sequence", everywhere)]
    assert kinds(house, everywhere) == [("sequence", here)]
    assert house.user.links(everywhere) == []
    second = house.reopen()
    assert [found.other.id for found in second.links(everywhere)] == [here]
    house.book.delete(everywhere, purge=True)
    assert kinds(house, here) == []
    assert house.workspace.links(here) == []


def test_links_survive_merges_and_undo_and_vanish_with_a_purge(house: BookFixture) -> None:
    one, other = pair(house)
    house.book.link(one, other, "extends", 1.0, "agent")
    house.record("And tell the team", name="deploy")
    assert kinds(house, one) == [("extends", other)]
    house.book.undo(one)
    assert kinds(house, one) == [("extends", other)]
    house.book.delete(other)
    assert kinds(house, one) == []
    house.book.undo(other)
    assert kinds(house, one) == [("extends", other)]
    house.book.delete(other, purge=True)
    assert kinds(house, one) == []
    assert house.workspace.links(one) == []
    assert house.workspace.links(other) == []


def test_mistakes_are_named(house: BookFixture) -> None:
    one, other = pair(house)
    with pytest.raises(InvalidField):
        house.book.link(one, one, "related", 1.0, "agent")
    with pytest.raises(InvalidField):
        house.book.link(one, other, "friends", 1.0, "agent")
    with pytest.raises(InvalidField):
        house.book.link(one, other, "related", 1.1, "agent")
    with pytest.raises(MemoryNotFound) as caught:
        house.book.link(one, "nobody", "related", 1.0, "agent")
    assert caught.value.data.path == "$.to"
    with pytest.raises(MemoryNotFound):
        house.book.links("nobody")


def test_near_duplicates_are_linked_and_not_merged(house: BookFixture) -> None:
    text = "Integration tests need a database container that listens on the port of the profile"
    first = house.record(text, name="a")
    for number in range(4):
        house.record(f"Something else altogether, number {number}", name=f"other {number}")
    second = house.record(f"{text} locally", name="b")
    assert [similar.id for similar in second.similar] == [first.record.id]
    (found,) = house.book.links(first.record.id)
    assert (found.link.kind, found.link.origin) == ("related", "similar")
    assert found.link.strength == second.similar[0].score


@pytest.mark.parametrize(
    ("old", "new"), [("Use npm to install packages", "Use pnpm to install packages"), ("use npm", "use pnpm")]
)
def test_of_two_that_contradict_the_newer_goes_first(house: BookFixture, old: str, new: str) -> None:
    first = house.record(old).record.id
    house.clock.forward(days=3)
    second = house.record(new).record.id
    (found,) = house.book.links(first)
    assert (found.link.kind, found.link.origin, found.other.id) == ("contradicts", "contradiction", second)
    page = house.book.search("use npm or pnpm", Filters())
    assert [item.record.id for item in page.items] == [second, first]
    block = house.book.inject(InjectRequest(prompt="should I use npm or pnpm?"))
    shown = [item.id for item in block.items]
    assert second in shown
    assert first not in shown or shown.index(second) < shown.index(first)


def test_a_contradiction_ends_when_it_is_not_said_any_more(house: BookFixture) -> None:
    first = house.record("The API port is 8080").record.id
    second = house.record("The API port is 9090").record.id
    assert kinds(house, first) == [("contradicts", second)]
    house.book.update(second, {"content": "The admin port is 9090"})
    assert kinds(house, first) == []
    house.book.update(second, {"content": "The API port is 7070"})
    assert kinds(house, first) == [("contradicts", second)]


def test_other_types_scopes_and_agents_contradict_nothing(house: BookFixture) -> None:
    first = house.record("use npm").record.id
    house.record("use pnpm", agent="reviewer")
    house.record("use pnpm", type="feedback")
    house.record("use pnpm", scope="personal")
    assert kinds(house, first) == []


def test_every_link_of_a_kind_is_listed_once(house: BookFixture, new_house: Callable[[], BookFixture]) -> None:
    one, other = pair(house)
    house.book.link(one, other, "supersedes", 1.0, "agent")
    house.book.link(one, other, "related", 1.0, "agent")
    assert [link.kind for link in house.workspace.every_link(["supersedes"])] == ["supersedes"]
    assert [link.kind for link in house.workspace.every_link(["related", "supersedes"])] == ["related", "supersedes"]


def test_a_guess_hides_nothing_and_is_said(house: BookFixture) -> None:
    first = house.record("The API port is 8080").record.id
    house.clock.forward(days=3)
    longer = "The API port is 9090. All other settings are read from the environment."
    second = house.record(longer).record.id
    assert kinds(house, first) == [("contradicts", second)]
    page = house.book.search("API port", Filters())
    said = {item.record.id: [why for why in item.reasons if "contradicted" in why] for item in page.items}
    assert said == {first: [f"may be contradicted by {second}"], second: []}
    block = house.book.inject(InjectRequest(prompt="which port has the API?"))
    assert {item.id for item in block.items} == {first, second}
    assert "[may be contradicted by a newer memory of 2026-01-04] The API port is 8080" in block.text
    xml = house.book.inject(InjectRequest(prompt="which port has the API?", format="xml"))
    assert 'note="may be contradicted by a newer memory of 2026-01-04"' in xml.text
    house.book.update(second, {"content": "The admin port is 9090"})
    assert "contradicted" not in house.book.inject(InjectRequest(prompt="which port has the API?")).text
