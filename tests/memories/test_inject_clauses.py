"""What decides between memories: contradictions, chains, directives, budgets; and that every item says why."""

from __future__ import annotations

from sidecar.memories.drafts import Briefing, Filters, InjectRequest
from sidecar.store.records import LinkRecord
from tests.memories.conftest import BookRig, ids_of


def _link(rig: BookRig, source: str, target: str, kind: str, strength: float = 0.9, home: str = "workspace") -> None:
    link = LinkRecord(source=source, target=target, kind=kind, strength=strength, at=rig.clock.now)
    with getattr(rig, home).transaction() as transaction:
        transaction.link(link)


def test_of_two_that_contradict_each_other_the_newer_stands(rig: BookRig) -> None:
    old = rig.record("Deploy with the red script", name="old").record
    rig.clock.forward(days=1)
    new = rig.record("The red script broke; to deploy, ask Anna", name="new").record
    other = rig.reopen()
    assert set(ids_of(rig.inject(prompt="deploy with the red script"))) == {old.id, new.id}
    _link(rig, old.id, new.id, "contradicts")  # whichever end it was told from
    for book in (rig.book, other):
        for request in (InjectRequest(), InjectRequest(prompt="deploy with the red script")):
            injection = book.injector.inject(request)
            assert ids_of(injection) == [new.id]
            assert [(one.id, one.reason) for one in injection.omitted] == [(old.id, "contradicted")]
            assert f"newer than {old.id}, which it contradicts" in injection.items[0].reasons
    rig.clock.forward(days=1)
    rig.book.editing.update(old.id, {"content": "Deploy with the red script, as before"})
    assert ids_of(rig.inject()) == [old.id]


def test_a_weak_or_taken_back_contradiction_decides_nothing(rig: BookRig) -> None:
    old = rig.record("Use tabs", name="old").record
    rig.clock.forward(days=1)
    new = rig.record("Use spaces", name="new").record
    _link(rig, new.id, old.id, "contradicts", strength=0.3)
    assert set(ids_of(rig.inject())) == {old.id, new.id}
    _link(rig, new.id, old.id, "contradicts", strength=0.9)
    assert ids_of(rig.inject()) == [new.id]
    with rig.workspace.transaction() as transaction:
        transaction.unlink(new.id, old.id, "contradicts")
    assert set(ids_of(rig.inject())) == {old.id, new.id}
    _link(rig, new.id, old.id, "contradicts", strength=0.9)
    rig.book.editing.archive(new.id)
    assert ids_of(rig.inject()) == [old.id]


def test_a_directive_gives_way_to_another_directive_only(rig: BookRig) -> None:
    rule = rig.record("Use tabs", name="rule", category="directive").record
    rig.clock.forward(days=1)
    note = rig.record("Use spaces", name="note").record
    _link(rig, note.id, rule.id, "contradicts")
    assert set(ids_of(rig.inject())) == {rule.id, note.id}
    newer = rig.record("Use spaces everywhere", name="newer", category="directive").record
    _link(rig, newer.id, rule.id, "contradicts")
    assert set(ids_of(rig.inject())) == {newer.id, note.id}


def test_links_supersede_as_records_do_and_chains_are_followed_to_their_end(rig: BookRig) -> None:
    first, second, third = (rig.record(f"the port is {port}", name=f"port {port}").record for port in (80, 81, 82))
    _link(rig, second.id, first.id, "supersedes")
    rig.put(third, supersedes=second.id)
    injection = rig.inject(prompt="which port is it?")
    assert ids_of(injection) == [third.id]
    assert {(one.id, one.reason) for one in injection.omitted} == {(first.id, "superseded"), (second.id, "superseded")}
    _link(rig, first.id, third.id, "supersedes")  # a circle leaves everything where it is
    assert set(ids_of(rig.inject(prompt="which port is it?"))) == {first.id, second.id, third.id}


def test_a_memory_of_all_projects_can_be_contradicted_here(rig: BookRig) -> None:
    wide = rig.record("Indent with tabs", name="wide", scope="global").record
    rig.clock.forward(days=1)
    here = rig.record("Indent with spaces", name="here").record
    _link(rig, here.id, wide.id, "contradicts")
    assert ids_of(rig.inject()) == [here.id]


def test_directives_come_first_those_of_the_project_before_those_of_all(rig: BookRig) -> None:
    made = {
        scope: rig.record(f"rule of {scope} about pytest", name=scope, scope=scope, category="directive").record.id
        for scope in ("global", "personal", "project")
    }
    pinned = rig.record("pinned remark on pytest", name="pinned", pinned=True).record.id
    match = rig.record("run pytest quietly with -q", name="match").record.id
    expected = [made["project"], made["personal"], made["global"], pinned, match]
    assert ids_of(rig.inject()) == expected
    assert ids_of(rig.inject(prompt="run pytest quietly with -q")) == expected
    assert ids_of(rig.inject(prompt="something else altogether")) == expected[:4]
    tight = rig.inject(budget_tokens=110)
    assert ids_of(tight)[0] == made["project"]


def test_other_sessions_change_no_byte_of_a_running_one(rig: BookRig) -> None:
    for number in range(12):
        rig.record(f"remark {number} on the parser", name=f"r{number}")
    request = InjectRequest(session_id="mine", prompt="the parser", budget_tokens=200)
    first = rig.book.injector.inject(request)
    for number in range(5):
        rig.book.injector.inject(InjectRequest(session_id=f"other{number}", budget_tokens=5_000))
        rig.book.searcher.search("remark 11", Filters())
        rig.clock.forward(ms=60_000)
    other = rig.reopen()
    other.injector.inject(InjectRequest(session_id="third", prompt="remark 3"))
    assert rig.book.injector.inject(request) == first
    assert rig.reopen().injector.inject(request) == first


def test_no_budget_is_too_large(rig: BookRig) -> None:
    rig.record_one_of_each_section()
    for format in ("markdown", "xml"):
        all_of_it = rig.inject(budget_tokens=10**12, format=format, agent="reviewer")
        assert len(all_of_it.items) == 7
        assert rig.inject(budget_tokens=all_of_it.tokens + 60, format=format, agent="reviewer") == all_of_it


def test_every_item_says_why_it_is_there(rig: BookRig) -> None:
    rig.record_one_of_each_section()
    briefing = Briefing("src/parse.py", "parses", hash="h")
    for fields in ({}, {"prompt": "waiting for the wiki parser"}, {"files": ("src/parse.py",)}):
        injection = rig.inject(briefing, agent="reviewer", **fields)
        assert all(item.reasons for item in injection.items)
    said = {item.section: item.reasons for item in injection.items}
    assert "directive" in said["Directives"]
    assert "for agent reviewer" in said["Agent-Specific Knowledge"]
    assert "open blocker" in said["Open Blockers"]
    assert "preference" in said["User Preferences"]
    assert "in play" in said["Files in Play"]
    assert "about src/parse.py" in said["Project Knowledge"]


def test_the_date_is_the_day_of_the_last_update_and_stays_as_days_pass(rig: BookRig) -> None:
    kept = rig.record("the lexer is lazy", name="a").record
    first = rig.inject()
    rig.clock.forward(days=40)
    assert rig.inject().text == first.text
    assert "(2026-01-01)" in first.text
    rig.book.editing.update(kept.id, {"content": "the lexer is eager"})
    assert "(2026-02-10)" in rig.inject().text


def test_a_search_puts_the_newer_of_two_that_contradict_first_and_says_so(rig: BookRig) -> None:
    old = rig.record("Deploy with the red script of the deploy folder", name="red deploy script").record
    rig.clock.forward(days=1)
    new = rig.record("The red script must not be used any more", name="new").record
    _link(rig, old.id, new.id, "contradicts")
    page = rig.book.searcher.search("deploy with the red script", Filters())
    assert [item.record.id for item in page.items] == [new.id, old.id]
    assert f"contradicted by {new.id}" in page.items[1].reasons


def test_a_contradiction_that_was_found_counts_like_one_that_was_told(rig: BookRig) -> None:
    old = rig.record("Deploy with the red script", name="old").record
    rig.clock.forward(days=1)
    new = rig.record("Never deploy with the red script", name="new").record
    injection = rig.inject(prompt="how do I deploy with the red script?")
    assert ids_of(injection) == [new.id]
    assert [(one.id, one.reason) for one in injection.omitted] == [(old.id, "contradicted")]
