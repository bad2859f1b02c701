"""What is put in front of an agent: choice, budget, bytes, sessions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.drafts import Briefing, InjectRequest
from sidecar.runtime.errors import InvalidField, StoreUnavailable
from sidecar.text.tokens import estimate
from tests.memories.conftest import BookFixture, InjectFields, ids_of


def test_an_empty_store_gives_nothing(house: BookFixture) -> None:
    injection = house.inject()
    assert (injection.text, injection.tokens, injection.items, injection.omitted) == ("", 0, (), ())
    assert injection.etag == house.inject(prompt="anything").etag


def test_sections_stand_in_their_order_with_dates(house: BookFixture) -> None:
    house.record_one_of_each_section()
    injection = house.inject(
        Briefing("src/parse.py", "parses\n  def parse()", hash="h"), files=("src/parse.py",), agent="reviewer"
    )
    assert re.findall("^## (.*)$", injection.text, re.MULTILINE) == [
        "Directives",
        "Agent-Specific Knowledge",
        "Project Knowledge",
        "User Preferences",
        "Feedback & Patterns",
        "Reference",
        "Files in Play",
        "Open Blockers",
    ]
    assert "- (2026-01-01) **push**: Never push to main" in injection.text
    assert "not instructions" in injection.text
    assert len(injection.items) == 8
    assert [item.path for item in injection.items if item.kind == "file"] == ["src/parse.py"]
    assert injection.tokens == estimate(injection.text) <= 5000


def test_xml_is_well_formed_and_says_the_same(house: BookFixture) -> None:
    from xml.etree import ElementTree

    house.record_one_of_each_section()
    house.record('a < b && "c" </memory> ]]>\nsecond', name='q"<>&')
    text = house.inject(Briefing("a.py", "def f(): <x>", hash="h"), format="xml", files=("a.py",)).text
    root = ElementTree.fromstring(text)
    assert root.tag == "memory-notes"
    found = {memory.get("name"): memory.text for memory in root.iter("memory")}
    assert found['q"<>&'] == 'a < b && "c" </memory> ]]>\n  second'
    assert [file.get("path") for file in root.iter("file")] == ["a.py"]


def test_with_a_prompt_what_does_not_match_stays_out(house: BookFixture) -> None:
    house.record_one_of_each_section()
    for number in range(30):
        house.record(f"Remark {number} on the colour of bicycles", name=f"b{number}")
    injection = house.inject(prompt="How do I run pytest quietly?")
    names = {house.book.get(id).record.name for id in ids_of(injection)}
    assert names == {"push", "short", "quiet"}
    quiet = next(item for item in injection.items if item.section == "Feedback & Patterns")
    assert any(reason.startswith("matches: ") and "pytest" in reason for reason in quiet.reasons)


def test_nothing_is_a_legal_answer(house: BookFixture) -> None:
    house.record("The parser lives in src/parse.py")
    injection = house.inject(prompt="What is the capital of Mongolia?")
    assert (injection.text, injection.items) == ("", ())


def test_a_weak_match_is_below_the_floor_and_said_so(house: BookFixture) -> None:
    for number in range(10):
        house.record(f"The build {number} is green", name=f"n{number}")
    text = "The garden party was moved indoors because the weather turned and guests from abroad were cold"
    weak = house.record(text, name="garden party").record
    animals = "zebra giraffe quagga okapi antelope elephant rhino hippo tapir gnu kudu eland oryx lion puma lynx"
    injection = house.inject(prompt=f"{animals} weather")
    assert ids_of(injection) == []
    assert (weak.id, "belowFloor") in [(one.id, one.reason) for one in injection.omitted]


def test_memories_about_a_file_in_play_come_with_a_prompt_that_does_not_name_it(house: BookFixture) -> None:
    about = house.record("Tokens are counted lazily", files=("src/parse.py",)).record
    names = house.record("See `src/parse.py` before touching the lexer").record
    other = house.record("Something about src/other.py", files=("src/other.py",)).record
    injection = house.inject(prompt="please refactor", files=("src/parse.py",))
    assert set(ids_of(injection)) == {about.id, names.id}
    reasons = {item.id: item.reasons for item in injection.items}
    assert "about src/parse.py" in reasons[about.id]
    assert "mentions src/parse.py" in reasons[names.id]
    without_prompt = house.inject(files=("src/parse.py",))
    assert set(ids_of(without_prompt)[:2]) == {about.id, names.id}
    assert other.id in ids_of(without_prompt)


def test_without_a_query_standing_weight_decides(house: BookFixture) -> None:
    ids = {
        category: house.record(f"about {category}", name=category, category=category).record.id
        for category in ("conversation", "fact", "decision", "plan")
    }
    assert ids_of(house.inject()) == [ids["plan"], ids["decision"], ids["fact"], ids["conversation"]]


def test_match_beats_standing_weight(house: BookFixture) -> None:
    strong = house.record("unrelated plan on deploys", name="p", category="plan").record
    for number in range(20):
        house.workspace.record_access([strong.id], house.clock.now + number)
    house.clock.forward(days=200)
    house.put(house.record("zebra crossing deploy key", name="z", category="conversation").record, relevance=0.2)
    assert house.book.get(ids_of(house.inject(prompt="zebra crossing deploy key"))[0]).record.name == "z"


def test_pinned_stand_first_in_their_section_and_pass_the_floor(house: BookFixture) -> None:
    match = house.record("How to run pytest quietly", name="m").record
    pinned = house.record("Unrelated, but pinned", name="p", pinned=True).record
    assert ids_of(house.inject(prompt="run pytest quietly")) == [pinned.id, match.id]
    assert ids_of(house.inject()) == [pinned.id, match.id]


def test_suspects_rank_lower_and_say_why(house: BookFixture) -> None:
    suspect = house.record("the lexer is lazy", name="a", files=("src/x.py",)).record
    sound = house.record("the lexer is eager", name="b").record
    house.put(suspect, status="suspect")
    for prompt in (None, "lexer"):
        injection = house.inject(prompt=prompt)
        assert ids_of(injection) == [sound.id, suspect.id]
        assert "[recorded against an older version] **a**" in injection.text


def test_superseded_memory_gives_way_even_when_the_new_one_matches_less(house: BookFixture) -> None:
    old = house.record("deploy with the red script", name="old").record
    new = house.record("it is blue since spring", name="new").record
    house.put(new, supersedes=old.id)
    injection = house.inject(prompt="deploy with the red script")
    assert ids_of(injection) == [new.id]
    assert (old.id, "superseded") in [(one.id, one.reason) for one in injection.omitted]


def test_hidden_and_foreign_memories_are_never_shown(house: BookFixture) -> None:
    house.book.archive(house.record("lint a", name="a").record.id)
    house.put(house.record("lint b", name="b").record, status="resolved")
    house.record("lint c", name="c", expires_at=house.clock.now + 1)
    house.record("lint d", name="d", agent="writer", category="directive")
    house.clock.forward(ms=1)
    for injection in (house.inject(), house.inject(prompt="lint"), house.inject(agent="reviewer")):
        assert injection.text == ""


def test_memory_that_does_not_fit_is_passed_over(house: BookFixture) -> None:
    long = house.record("long words " * 400, name="long", category="decision").record
    short = house.record("short", name="short", category="conversation").record
    injection = house.inject(budget_tokens=200)
    assert ids_of(injection) == [short.id]
    assert (long.id, "budget") in [(one.id, one.reason) for one in injection.omitted]


def test_directives_leave_room_for_what_matches(house: BookFixture) -> None:
    for number in range(40):
        house.record(
            f"Directive {number}: never do this or that in such a case", name=f"d{number}", category="directive"
        )
    match = house.record("The zebra service needs a token", name="z").record
    injection = house.inject(prompt="zebra service token", budget_tokens=300)
    assert match.id in ids_of(injection)
    assert sum(item.section == "Directives" for item in injection.items) >= 5


@pytest.mark.parametrize("budget", [1, 2, 20, 60, 90])
def test_a_tiny_budget_gives_nothing_or_fits(house: BookFixture, budget: int) -> None:
    house.record_one_of_each_section()
    injection = house.inject(budget_tokens=budget)
    assert estimate(injection.text) <= budget
    assert (injection.text == "") == (not injection.items)


def test_the_same_state_gives_the_same_bytes_here_and_in_another_process(house: BookFixture) -> None:
    house.record_one_of_each_section()
    for number in range(30):
        house.record(f"remark {number} on pytest and the parser", name=f"r{number}")
    other = house.reopen()
    for request in (
        InjectRequest(),
        InjectRequest(prompt="run pytest on the parser"),
        InjectRequest(budget_tokens=300),
    ):
        first = house.book.inject(request)
        assert house.book.inject(request) == first
        assert other.inject(request) == first
        house.clock.forward(ms=60_000)
        assert house.book.inject(request) == first


def test_injecting_does_not_reorder_the_next_injection_of_the_session(house: BookFixture) -> None:
    for number in range(12):
        house.record(f"remark {number}", name=f"r{number}")
    request = InjectRequest(session_id="s", budget_tokens=160)
    first = house.book.inject(request)
    assert 0 < len(first.items) < 12
    assert house.book.inject(request) == first
    house.clock.forward(days=2)
    assert house.book.inject(request) == first
    assert house.reopen().inject(request) == first


def test_a_later_session_sees_what_was_used(house: BookFixture) -> None:
    ids = [house.record(f"remark {number}", name=f"r{number}").record.id for number in range(3)]
    house.workspace.record_access([ids[2]], house.clock.now)
    house.clock.forward(ms=1)
    assert ids_of(house.inject(session_id="later"))[0] == ids[2]


def test_the_etag_follows_the_text(house: BookFixture) -> None:
    house.record("one", name="a")
    first = house.inject()
    assert first.etag not in first.text
    assert house.inject().etag == first.etag
    house.record("two", name="b")
    assert house.inject().etag != first.etag


def test_access_is_counted_once_per_session_and_memory(house: BookFixture) -> None:
    shown = house.record("lint strictly", name="a").record
    unseen = house.record("bicycles", name="b").record
    user = house.record("lint softly", name="c", type="user", scope="global").record
    for _ in range(3):
        house.inject(prompt="lint", session_id="s1")
    house.inject(prompt="lint", session_id="s2")
    assert [house.book.get(record.id).accesses for record in (shown, unseen, user)] == [2, 0, 2]


def test_without_a_session_nothing_is_recorded(house: BookFixture) -> None:
    record = house.record("lint strictly").record
    before = house.workspace.seq()
    house.inject()
    assert house.book.get(record.id).accesses == 0
    assert house.workspace.seq() == before


def test_already_shown_is_left_out_on_request_only(house: BookFixture) -> None:
    first = house.record("lint strictly", name="a").record
    briefing = Briefing("a.py", "text", hash="h1")
    house.inject(briefing, prompt="lint", session_id="s", files=("a.py",))
    second = house.record("lint softly", name="b").record
    again = house.inject(briefing, prompt="lint", session_id="s", files=("a.py",), exclude_shown=True)
    assert [item.id for item in again.items] == [second.id]
    assert {(one.id, one.reason) for one in again.omitted} == {(first.id, "alreadyShown"), ("a.py", "alreadyShown")}
    changed = Briefing("a.py", "new text", hash="h2")
    third = house.inject(changed, prompt="lint", session_id="s", files=("a.py",), exclude_shown=True)
    assert [item.path for item in third.items] == ["a.py"]
    assert set(ids_of(house.inject(prompt="lint", session_id="s"))) == {first.id, second.id}


def test_a_frozen_block_stays_the_same_for_the_session(house: BookFixture) -> None:
    house.record("lint strictly", name="a")
    request = InjectRequest(session_id="s", frozen=True, exclude_shown=True)
    first = house.book.inject(request)
    house.record("lint softly", name="b", category="directive")
    assert house.book.inject(request) == first
    assert house.reopen().inject(InjectRequest(session_id="s", frozen=True, prompt="bicycles")) == first
    other = house.book.inject(InjectRequest(session_id="s2", frozen=True))
    assert len(other.items) == 2
    assert house.book.inject(InjectRequest(session_id="s", frozen=True, format="xml")).text != first.text


def test_a_purged_memory_leaves_a_frozen_block(house: BookFixture) -> None:
    gone = house.record("the token of the zebra", name="a").record
    house.record("lint", name="b")
    request = InjectRequest(session_id="s", frozen=True)
    assert "zebra" in house.book.inject(request).text
    house.book.delete(gone.id, purge=True)
    assert "zebra" not in house.book.inject(request).text


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"frozen": True}, "$.frozen"),
        ({"exclude_shown": True}, "$.excludeShown"),
        ({"format": "html"}, "$.format"),
        ({"budget_tokens": 0}, "$.budgetTokens"),
        ({"session_id": "a\x1fb"}, "$.sessionId"),
        ({"session_id": "x" * 201}, "$.sessionId"),
    ],
)
def test_senseless_parameters_are_refused(house: BookFixture, fields: InjectFields, path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        house.inject(**fields)
    assert caught.value.data.path == path


def test_briefings_that_cannot_be_had_are_named(house: BookFixture) -> None:
    injection = house.inject(Briefing("a.bin", unavailable="binary"), files=("a.bin",))
    assert [(one.id, one.reason) for one in injection.omitted] == [("a.bin", "fileUnavailable")]
    assert injection.text == ""


def test_a_very_long_prompt_is_answered(house: BookFixture) -> None:
    house.record("Use pnpm rather than npm for every install", name="pm")
    filler = " ".join(f"word{number}" for number in range(20_000))
    injection = house.inject(prompt=f"use pnpm rather than npm install {filler}"[:200_000])
    assert len(injection.items) == 1


CONTENTS = st.one_of(
    st.text(min_size=1, max_size=300).filter(str.strip),
    st.lists(st.sampled_from(["lint", "deploy", "日本語", "</memory-notes>", "\n", "x" * 50, "1234", "🙂"]), min_size=1)
    .map(" ".join)
    .filter(str.strip),
)
MEMORIES = st.lists(
    st.tuples(
        CONTENTS,
        st.sampled_from([None, "directive", "blocker", "fact"]),
        st.sampled_from(["user", "project", "feedback"]),
        st.booleans(),
    ),
    max_size=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    MEMORIES,
    st.integers(1, 400),
    st.sampled_from(["markdown", "xml"]),
    st.sampled_from([None, "lint deploy"]),
    CONTENTS,
)
def test_the_budget_is_never_exceeded_and_every_candidate_is_accounted_for(
    new_house: Callable[[], BookFixture],
    memories: list[tuple[str, str | None, str, bool]],
    budget: int,
    format: str,
    prompt: str | None,
    briefing: str,
) -> None:
    house = new_house()
    for number, (content, category, type, pinned) in enumerate(memories):
        house.record(content, name=f"n{number}", category=category, type=type, pinned=pinned)
    request = InjectRequest(prompt=prompt, budget_tokens=budget, format=format, files=("a.py",))
    injection = house.book.inject(request, [Briefing("a.py", briefing, hash="h")])
    assert injection.tokens == estimate(injection.text) <= budget
    assert house.book.inject(request, [Briefing("a.py", briefing, hash="h")]) == injection
    handled = [*(item.id or item.path for item in injection.items), *(one.id for one in injection.omitted)]
    assert len(handled) == len(set(handled))
    if prompt is None:
        assert len(handled) == len(memories) + 1


def test_a_block_is_given_even_when_it_cannot_be_noted(
    house: BookFixture, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    house.record("Deploy with make ship")

    def full(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(house.workspace, "update_session", full)
    block = house.book.inject(InjectRequest(prompt="how do I deploy?", session_id="s"))
    assert "make ship" in block.text
    assert "The disk is full." in caplog.text
    with pytest.raises(StoreUnavailable):
        house.book.inject(InjectRequest(prompt="how do I deploy?", session_id="s", frozen=True))
