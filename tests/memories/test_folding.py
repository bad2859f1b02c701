"""Several memories that say one thing share one line in a block, and nothing else is left out for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Unpack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.drafts import Format, InjectRequest
from sidecar.memories.injection.packing import BlockItem, Packing
from sidecar.memories.injection.render import USER, RenderedItem
from sidecar.memories.results import Injection
from sidecar.memories.wording.gist import gist_of, sketch_of
from sidecar.text.tokens import estimate
from tests.memories.conftest import BookRig, ids_of
from tests.memory_fields import DraftFields

SAME = (
    "Use pnpm, not npm.",
    "Always use pnpm instead of npm",
    "Please use pnpm rather than npm here.",
    "Prefer pnpm over npm",
    "pnpm must be used, never npm.",
)
FULLER = "Use pnpm, never npm, because the lockfile would disagree."


def record(rig: BookRig, *texts: str, **fields: Unpack[DraftFields]) -> list[str]:
    """Ids of memories that are kept apart, as those of two machines are until somebody tidies up."""
    kept = []
    for text in texts:
        recorded = rig.record(text, **fields)
        assert recorded.status == "created", text
        kept.append(recorded.record.id)
    return kept


def repeats(injection: Injection) -> set[str]:
    return {one.id for one in injection.omitted if one.reason == "repeats"}


def shown(injection: Injection) -> set[str]:
    return set(ids_of(injection))


@pytest.mark.parametrize("format", ["markdown", "xml"])
@pytest.mark.parametrize("prompt", [None, "Do we use pnpm or npm?"])
def test_five_ways_of_saying_one_thing_are_one_line(rig: BookRig, prompt: str | None, format: Format) -> None:
    ids = record(rig, *SAME)
    injection = rig.inject(prompt=prompt, format=format)
    assert injection.text.count("pnpm") == 1
    assert len(shown(injection)) == 1
    assert repeats(injection) == set(ids) - shown(injection)
    assert injection.tokens == estimate(injection.text)
    assert rig.inject(prompt=prompt, format=format) == injection
    assert rig.reopen().injector.inject(InjectRequest(prompt=prompt, format=format)) == injection


def test_memory_that_says_more_takes_the_place(rig: BookRig) -> None:
    ids = record(rig, *SAME[:2], FULLER)
    injection = rig.inject()
    assert shown(injection) == {ids[2]}
    assert repeats(injection) == set(ids[:2])


def test_folded_memory_does_not_come_with_the_next_prompt(rig: BookRig) -> None:
    ids = record(rig, *SAME)
    first = rig.inject(prompt="Do we use pnpm or npm?", session_id="s", exclude_shown=True)
    assert len(shown(first)) == 1
    then = rig.inject(prompt="Do we use pnpm or npm?", session_id="s", exclude_shown=True)
    assert then.text == ""
    assert sorted(rig.book.searcher.get(id).accesses for id in ids) == [0, 0, 0, 0, 1]


def test_sections_do_not_fold_into_each_other(rig: BookRig) -> None:
    texts = dict(zip(("project", "user", "feedback", "reference"), SAME, strict=False))
    ids = [rig.record(text, type=type).record.id for type, text in texts.items()]
    ids += record(rig, SAME[4], category="blocker")
    injection = rig.inject()
    assert shown(injection) == set(ids)
    assert repeats(injection) == set()


def test_directives_and_pinned_ones_all_stay(rig: BookRig) -> None:
    for fields in ({"category": "directive"}, {"pinned": True}):
        ids = record(rig, *SAME, **fields)
        injection = rig.inject(prompt="Where are the cars parked?")
        assert set(ids) <= shown(injection)
        assert repeats(injection) == set()
        for id in ids:
            rig.book.editing.delete(id, purge=True)


def test_pinned_memory_stands_for_others_but_not_for_one_that_says_more(rig: BookRig) -> None:
    (pinned,) = record(rig, SAME[0], pinned=True)
    others = record(rig, *SAME[1:4])
    (fuller,) = record(rig, FULLER)
    injection = rig.inject()
    assert shown(injection) == {pinned, fuller}
    assert repeats(injection) == set(others)


def test_a_name_of_its_own_or_a_note_is_told_as_well(rig: BookRig) -> None:
    ids = [rig.record(text, name=f"Rule of team {at}").record.id for at, text in enumerate(SAME)]
    assert shown(rig.inject()) == set(ids)


@pytest.mark.parametrize(
    "texts",
    [
        ("Run the unit tests with tox.", "Run the integration tests with tox."),
        ("The server listens on port 8080.", "The staging server listens on port 8080."),
        ("Deploy with make ship.", "Deploy with make ship when CI is green."),
        ("Run the migrations before the deploy.", "Run the migrations after the deploy."),
    ],
)
def test_lookalike_memories_are_shown_in_full(rig: BookRig, texts: tuple[str, ...]) -> None:
    ids = record(rig, *texts)
    assert shown(rig.inject()) == set(ids)


# -- the choice itself ---------------------------------------------------------------------------------------------


def packed(budget: int, *texts: str, ahead: tuple[int, ...] = ()) -> Packing:
    candidates = [
        BlockItem("memory", str(at), USER, 1.0 - at / 100, ahead=at in ahead, chars=len(text))
        for at, text in enumerate(texts)
    ]

    def render(item: BlockItem) -> RenderedItem:
        text = texts[int(item.key)]
        return RenderedItem(text, estimate(text) + 1, sketch_of(gist_of(text)), text)

    packing = Packing("markdown", budget, None, render)
    packing.fill(candidates)
    return packing


def keys(candidates: Iterable[BlockItem]) -> list[str]:
    return [candidate.key for candidate in candidates]


def test_a_shorter_text_that_says_more_takes_the_place() -> None:
    wordy = "Please, here in this repo, you should always and always use pnpm for the installs of all of it"
    more = "Use pnpm for installs; offline mirror"
    assert estimate(more) < estimate(wordy)
    found = packed(500, wordy, more)
    assert keys(one for one, _ in found.chosen) == ["1"]
    assert keys(found.repeated) == ["0"]
    assert found.dropped == []


def test_longer_memory_without_room_is_left_to_the_budget() -> None:
    for budget in range(1, 200):
        found = packed(budget, SAME[0], FULLER)
        taken = keys(one for one, _ in found.chosen)
        assert len(taken) <= 1
        if taken == ["0"]:
            assert (keys(found.dropped), keys(found.repeated)) == (["1"], [])
        if taken == ["1"] and found.repeated:
            assert keys(found.repeated) == ["0"]


def test_the_place_is_that_of_the_one_it_stands_for() -> None:
    found = packed(500, SAME[0], "Cars are parked behind the building.", FULLER)
    assert [(one.key, one.value) for one, _ in found.chosen] == [("2", 1.0), ("1", 0.99)]


TEXTS = st.lists(
    st.sampled_from(
        [
            *SAME,
            FULLER,
            "Use npm, not pnpm.",
            "Run the unit tests with tox.",
            "Run the tests with tox.",
            "Deploy with make ship.",
            "Deploy with make ship on Fridays.",
            "Deploy with make ship, then tell the team about it.",
        ]
    ),
    max_size=9,
    unique=True,
)


@given(TEXTS, st.integers(1, 250))
def test_each_memory_is_taken_left_or_repeated_and_the_bound_holds(texts: list[str], budget: int) -> None:
    found = packed(budget, *texts)
    handled = [*keys(one for one, _ in found.chosen), *keys(found.dropped), *keys(found.repeated)]
    assert sorted(handled) == sorted(str(at) for at in range(len(texts)))
    assert sum(item.tokens for _, item in found.chosen) <= budget
    assert not found.repeated or found.chosen
    assert packed(budget, *texts).chosen == found.chosen


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS, st.integers(20, 300), st.sampled_from(["markdown", "xml"]))
def test_a_folded_block_stays_in_its_budget(
    new_rig: Callable[[], BookRig], texts: list[str], budget: int, format: Format
) -> None:
    rig = new_rig()
    for text in texts:
        rig.record(text, type="user")
    request = InjectRequest(budget_tokens=budget, format=format)
    injection = rig.book.injector.inject(request)
    assert injection.tokens == estimate(injection.text) <= budget
    assert rig.reopen().injector.inject(request) == injection
    assert not repeats(injection) & shown(injection)
