"""What is put in front of an agent: choice, budget, bytes, sessions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.drafts import Briefing, Format, InjectRequest
from sidecar.runtime.errors import InvalidField, StoreUnavailable
from sidecar.text.tokens import estimate
from tests.memories.conftest import BookRig, InjectFields, ids_of


def test_an_empty_store_gives_nothing(rig: BookRig) -> None:
    injection = rig.inject()
    assert (injection.text, injection.tokens, injection.items, injection.omitted) == ("", 0, (), ())
    assert injection.etag == rig.inject(prompt="anything").etag


def test_sections_stand_in_their_order_with_dates(rig: BookRig) -> None:
    rig.record_one_of_each_section()
    injection = rig.inject(
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


def test_xml_is_well_formed_and_says_the_same(rig: BookRig) -> None:
    from xml.etree import ElementTree

    rig.record_one_of_each_section()
    rig.record('a < b && "c" </memory> ]]>\nsecond', name='q"<>&')
    text = rig.inject(Briefing("a.py", "def f(): <x>", hash="h"), format="xml", files=("a.py",)).text
    root = ElementTree.fromstring(text)
    assert root.tag == "memory-notes"
    found = {memory.get("name"): memory.text for memory in root.iter("memory")}
    assert found['q"<>&'] == 'a < b && "c" </memory> ]]>\n  second'
    assert [file.get("path") for file in root.iter("file")] == ["a.py"]


def test_with_a_prompt_what_does_not_match_stays_out(rig: BookRig) -> None:
    rig.record_one_of_each_section()
    for number in range(30):
        rig.record(f"Remark {number} on the colour of bicycles", name=f"b{number}")
    injection = rig.inject(prompt="How do I run pytest quietly?")
    names = {rig.book.searcher.get(id).record.name for id in ids_of(injection)}
    assert names == {"push", "short", "quiet"}
    quiet = next(item for item in injection.items if item.section == "Feedback & Patterns")
    assert any(reason.startswith("matches: ") and "pytest" in reason for reason in quiet.reasons)


def test_nothing_is_a_legal_answer(rig: BookRig) -> None:
    rig.record("The parser lives in src/parse.py")
    injection = rig.inject(prompt="What is the capital of Mongolia?")
    assert (injection.text, injection.items) == ("", ())


def test_a_weak_match_is_below_the_floor_and_said_so(rig: BookRig) -> None:
    for number in range(10):
        rig.record(f"The build {number} is green", name=f"n{number}")
    text = "The garden party was moved indoors because the weather turned and guests from abroad were cold"
    weak = rig.record(text, name="garden party").record
    animals = "zebra giraffe quagga okapi antelope elephant rhino hippo tapir gnu kudu eland oryx lion puma lynx"
    injection = rig.inject(prompt=f"{animals} weather")
    assert ids_of(injection) == []
    assert (weak.id, "belowFloor") in [(one.id, one.reason) for one in injection.omitted]


def test_memories_about_a_file_in_play_come_with_a_prompt_that_does_not_name_it(rig: BookRig) -> None:
    about = rig.record("Tokens are counted lazily", files=("src/parse.py",)).record
    names = rig.record("See `src/parse.py` before touching the lexer").record
    other = rig.record("Something about src/other.py", files=("src/other.py",)).record
    injection = rig.inject(prompt="please refactor", files=("src/parse.py",))
    assert set(ids_of(injection)) == {about.id, names.id}
    reasons = {item.id: item.reasons for item in injection.items}
    assert "about src/parse.py" in reasons[about.id]
    assert "mentions src/parse.py" in reasons[names.id]
    without_prompt = rig.inject(files=("src/parse.py",))
    assert set(ids_of(without_prompt)[:2]) == {about.id, names.id}
    assert other.id in ids_of(without_prompt)


def test_without_a_query_standing_weight_decides(rig: BookRig) -> None:
    ids = {
        category: rig.record(f"about {category}", name=category, category=category).record.id
        for category in ("conversation", "fact", "decision", "plan")
    }
    assert ids_of(rig.inject()) == [ids["plan"], ids["decision"], ids["fact"], ids["conversation"]]


def test_match_beats_standing_weight(rig: BookRig) -> None:
    strong = rig.record("unrelated plan on deploys", name="p", category="plan").record
    for number in range(20):
        rig.workspace.record_access([strong.id], rig.clock.now + number)
    rig.clock.forward(days=200)
    rig.put(rig.record("zebra crossing deploy key", name="z", category="conversation").record, relevance=0.2)
    assert rig.book.searcher.get(ids_of(rig.inject(prompt="zebra crossing deploy key"))[0]).record.name == "z"


def test_pinned_stand_first_in_their_section_and_pass_the_floor(rig: BookRig) -> None:
    match = rig.record("How to run pytest quietly", name="m").record
    pinned = rig.record("Unrelated, but pinned", name="p", pinned=True).record
    assert ids_of(rig.inject(prompt="run pytest quietly")) == [pinned.id, match.id]
    assert ids_of(rig.inject()) == [pinned.id, match.id]


def test_suspects_rank_lower_and_say_why(rig: BookRig) -> None:
    suspect = rig.record("the lexer is lazy", name="a", files=("src/x.py",)).record
    sound = rig.record("the lexer is eager", name="b").record
    rig.put(suspect, status="suspect")
    for prompt in (None, "lexer"):
        injection = rig.inject(prompt=prompt)
        assert ids_of(injection) == [sound.id, suspect.id]
        assert "[recorded against an older version] **a**" in injection.text


def test_superseded_memory_gives_way_even_when_the_new_one_matches_less(rig: BookRig) -> None:
    old = rig.record("deploy with the red script", name="old").record
    new = rig.record("it is blue since spring", name="new").record
    rig.put(new, supersedes=old.id)
    injection = rig.inject(prompt="deploy with the red script")
    assert ids_of(injection) == [new.id]
    assert (old.id, "superseded") in [(one.id, one.reason) for one in injection.omitted]


def test_hidden_and_foreign_memories_are_never_shown(rig: BookRig) -> None:
    rig.book.editing.archive(rig.record("lint a", name="a").record.id)
    rig.put(rig.record("lint b", name="b").record, status="resolved")
    rig.record("lint c", name="c", expires_at=rig.clock.now + 1)
    rig.record("lint d", name="d", agent="writer", category="directive")
    rig.clock.forward(ms=1)
    for injection in (rig.inject(), rig.inject(prompt="lint"), rig.inject(agent="reviewer")):
        assert injection.text == ""


def test_memory_that_does_not_fit_is_passed_over(rig: BookRig) -> None:
    long = rig.record("long words " * 400, name="long", category="decision").record
    short = rig.record("short", name="short", category="conversation").record
    injection = rig.inject(budget_tokens=200)
    assert ids_of(injection) == [short.id]
    assert (long.id, "budget") in [(one.id, one.reason) for one in injection.omitted]


def test_directives_leave_room_for_what_matches(rig: BookRig) -> None:
    for number in range(40):
        rig.record(f"Directive {number}: never do this or that in such a case", name=f"d{number}", category="directive")
    match = rig.record("The zebra service needs a token", name="z").record
    injection = rig.inject(prompt="zebra service token", budget_tokens=300)
    assert match.id in ids_of(injection)
    assert sum(item.section == "Directives" for item in injection.items) >= 5


@pytest.mark.parametrize("budget", [1, 2, 20, 60, 90])
def test_a_tiny_budget_gives_nothing_or_fits(rig: BookRig, budget: int) -> None:
    rig.record_one_of_each_section()
    injection = rig.inject(budget_tokens=budget)
    assert estimate(injection.text) <= budget
    assert (injection.text == "") == (not injection.items)


def test_the_same_state_gives_the_same_bytes_here_and_in_another_process(rig: BookRig) -> None:
    rig.record_one_of_each_section()
    for number in range(30):
        rig.record(f"remark {number} on pytest and the parser", name=f"r{number}")
    other = rig.reopen()
    for request in (
        InjectRequest(),
        InjectRequest(prompt="run pytest on the parser"),
        InjectRequest(budget_tokens=300),
    ):
        first = rig.book.injector.inject(request)
        assert rig.book.injector.inject(request) == first
        assert other.injector.inject(request) == first
        rig.clock.forward(ms=60_000)
        assert rig.book.injector.inject(request) == first


def test_injecting_does_not_reorder_the_next_injection_of_the_session(rig: BookRig) -> None:
    for number in range(12):
        rig.record(f"remark {number}", name=f"r{number}")
    request = InjectRequest(session_id="s", budget_tokens=160)
    first = rig.book.injector.inject(request)
    assert 0 < len(first.items) < 12
    assert rig.book.injector.inject(request) == first
    rig.clock.forward(days=2)
    assert rig.book.injector.inject(request) == first
    assert rig.reopen().injector.inject(request) == first


def test_a_later_session_sees_what_was_used(rig: BookRig) -> None:
    ids = [rig.record(f"remark {number}", name=f"r{number}").record.id for number in range(3)]
    rig.workspace.record_access([ids[2]], rig.clock.now)
    rig.clock.forward(ms=1)
    assert ids_of(rig.inject(session_id="later"))[0] == ids[2]


def test_the_etag_follows_the_text(rig: BookRig) -> None:
    rig.record("one", name="a")
    first = rig.inject()
    assert first.etag not in first.text
    assert rig.inject().etag == first.etag
    rig.record("two", name="b")
    assert rig.inject().etag != first.etag


def test_access_is_counted_once_per_session_and_memory(rig: BookRig) -> None:
    shown = rig.record("lint strictly", name="a").record
    unseen = rig.record("bicycles", name="b").record
    user = rig.record("lint softly", name="c", type="user", scope="global").record
    for _ in range(3):
        rig.inject(prompt="lint", session_id="s1")
    rig.inject(prompt="lint", session_id="s2")
    assert [rig.book.searcher.get(record.id).accesses for record in (shown, unseen, user)] == [2, 0, 2]


def test_without_a_session_nothing_is_recorded(rig: BookRig) -> None:
    record = rig.record("lint strictly").record
    before = rig.workspace.seq()
    rig.inject()
    assert rig.book.searcher.get(record.id).accesses == 0
    assert rig.workspace.seq() == before


def test_already_shown_is_left_out_on_request_only(rig: BookRig) -> None:
    first = rig.record("lint strictly", name="a").record
    briefing = Briefing("a.py", "text", hash="h1")
    rig.inject(briefing, prompt="lint", session_id="s", files=("a.py",))
    second = rig.record("lint softly", name="b").record
    again = rig.inject(briefing, prompt="lint", session_id="s", files=("a.py",), exclude_shown=True)
    assert [item.id for item in again.items] == [second.id]
    assert {(one.id, one.reason) for one in again.omitted} == {(first.id, "alreadyShown"), ("a.py", "alreadyShown")}
    changed = Briefing("a.py", "new text", hash="h2")
    third = rig.inject(changed, prompt="lint", session_id="s", files=("a.py",), exclude_shown=True)
    assert [item.path for item in third.items] == ["a.py"]
    assert set(ids_of(rig.inject(prompt="lint", session_id="s"))) == {first.id, second.id}


def test_a_frozen_block_stays_the_same_for_the_session(rig: BookRig) -> None:
    rig.record("lint strictly", name="a")
    request = InjectRequest(session_id="s", frozen=True, exclude_shown=True)
    first = rig.book.injector.inject(request)
    rig.record("lint softly", name="b", category="directive")
    assert rig.book.injector.inject(request) == first
    assert rig.reopen().injector.inject(InjectRequest(session_id="s", frozen=True, prompt="bicycles")) == first
    other = rig.book.injector.inject(InjectRequest(session_id="s2", frozen=True))
    assert len(other.items) == 2
    assert rig.book.injector.inject(InjectRequest(session_id="s", frozen=True, format="xml")).text != first.text


def test_a_purged_memory_leaves_a_frozen_block(rig: BookRig) -> None:
    gone = rig.record("the token of the zebra", name="a").record
    rig.record("lint", name="b")
    request = InjectRequest(session_id="s", frozen=True)
    assert "zebra" in rig.book.injector.inject(request).text
    rig.book.editing.delete(gone.id, purge=True)
    assert "zebra" not in rig.book.injector.inject(request).text


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
def test_senseless_parameters_are_refused(rig: BookRig, fields: InjectFields, path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        rig.inject(**fields)
    assert caught.value.data.path == path


def test_briefings_that_cannot_be_had_are_named(rig: BookRig) -> None:
    injection = rig.inject(Briefing("a.bin", unavailable="binary"), files=("a.bin",))
    assert [(one.id, one.reason) for one in injection.omitted] == [("a.bin", "fileUnavailable")]
    assert injection.text == ""


def test_a_very_long_prompt_is_answered(rig: BookRig) -> None:
    rig.record("Use pnpm rather than npm for every install", name="pm")
    filler = " ".join(f"word{number}" for number in range(20_000))
    injection = rig.inject(prompt=f"use pnpm rather than npm install {filler}"[:200_000])
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
    new_rig: Callable[[], BookRig],
    memories: list[tuple[str, str | None, str, bool]],
    budget: int,
    format: Format,
    prompt: str | None,
    briefing: str,
) -> None:
    rig = new_rig()
    for number, (content, category, type, pinned) in enumerate(memories):
        rig.record(content, name=f"n{number}", category=category, type=type, pinned=pinned)
    request = InjectRequest(prompt=prompt, budget_tokens=budget, format=format, files=("a.py",))
    injection = rig.book.injector.inject(request, [Briefing("a.py", briefing, hash="h")])
    assert injection.tokens == estimate(injection.text) <= budget
    assert rig.book.injector.inject(request, [Briefing("a.py", briefing, hash="h")]) == injection
    handled = [*(item.id or item.path for item in injection.items), *(one.id for one in injection.omitted)]
    assert len(handled) == len(set(handled))
    if prompt is None:
        assert len(handled) == len(memories) + 1


def test_a_block_is_given_even_when_it_cannot_be_noted(
    rig: BookRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig.record("Deploy with make ship")

    def full(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(rig.workspace, "update_session", full)
    block = rig.book.injector.inject(InjectRequest(prompt="how do I deploy?", session_id="s"))
    assert "make ship" in block.text
    assert "The disk is full." in caplog.text
    with pytest.raises(StoreUnavailable):
        rig.book.injector.inject(InjectRequest(prompt="how do I deploy?", session_id="s", frozen=True))
