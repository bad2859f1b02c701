"""Search and list: visibility, filters, order, reasons, pages."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memories.results import FoundMemory, Page
from sidecar.runtime.errors import InvalidField
from tests.memories.conftest import BookRig


def _names(page: Page[FoundMemory]) -> list[str]:
    return [found.record.name for found in page.items]


def test_matches_come_with_their_reasons(rig: BookRig) -> None:
    rig.record("Each git worktree needs its own checkout of submodules", name="worktrees")
    rig.record("Use pnpm rather than npm", name="pm")
    rig.clock.forward(days=3)
    page = rig.book.searcher.search("worktrees and checkout?", Filters())
    assert _names(page) == ["worktrees"]
    assert page.cursor is None
    reasons = page.items[0].reasons
    assert any(reason.startswith("matches: ") and "worktrees" in reason and "checkout" in reason for reason in reasons)
    assert "updated 3 days ago" in reasons


def test_project_personal_and_global_are_ranked_together(rig: BookRig) -> None:
    for scope in ("project", "personal", "global"):
        rig.record(f"Deploy with the blue script, {scope}", name=scope, scope=scope)
    assert sorted(_names(rig.book.searcher.search("deploy script", Filters()))) == ["global", "personal", "project"]
    assert _names(rig.book.searcher.search("deploy script", Filters(scopes=("global",)))) == ["global"]


def test_scores_of_both_stores_compare(rig: BookRig) -> None:
    for number in range(20):
        rig.record(f"unrelated remark number {number} on the deploy", scope="project")
    rig.record("the deploy needs the zebra token", scope="global", name="zebra")
    assert _names(rig.book.searcher.search("zebra deploy", Filters()))[0] == "zebra"


def test_agent_memories_are_for_their_agent_only(rig: BookRig) -> None:
    rig.record("lint everything", name="all")
    rig.record("lint strictly", name="reviewer's", agent="reviewer")
    rig.record("lint loosely", name="writer's", agent="writer")
    assert _names(rig.book.searcher.search("lint", Filters())) == ["all"]
    assert sorted(_names(rig.book.searcher.search("lint", Filters(agent="reviewer")))) == ["all", "reviewer's"]
    assert sorted(_names(rig.book.searcher.list(Filters(agent="writer")))) == ["all", "writer's"]


def test_memories_of_any_agent_come_on_request(rig: BookRig) -> None:
    rig.record("lint everything", name="all")
    rig.record("lint strictly", name="reviewer's", agent="reviewer")
    rig.record("lint loosely", name="writer's", agent="writer")
    every = ["all", "reviewer's", "writer's"]
    assert sorted(_names(rig.book.searcher.search("lint", Filters(agent=ANY_AGENT)))) == every
    assert sorted(_names(rig.book.searcher.list(Filters(agent=ANY_AGENT)))) == every
    assert _names(rig.book.searcher.list(Filters())) == ["all"]


@pytest.mark.parametrize("status", ["archived", "resolved"])
def test_hidden_ones_come_only_on_request(rig: BookRig, status: str) -> None:
    rig.put(rig.record("lint strictly", name="hidden").record, status=status)
    assert _names(rig.book.searcher.search("lint", Filters())) == []
    assert _names(rig.book.searcher.search("lint", Filters(include=(status,)))) == ["hidden"]
    assert status in rig.book.searcher.search("lint", Filters(include=(status,))).items[0].reasons


def test_expired_ones_come_only_on_request(rig: BookRig) -> None:
    rig.record("lint strictly", name="passing", expires_at=rig.clock.now + 1000)
    assert _names(rig.book.searcher.search("lint", Filters())) == ["passing"]
    rig.clock.forward(ms=999)
    assert _names(rig.book.searcher.search("lint", Filters())) == ["passing"]
    rig.clock.forward(ms=1)
    assert _names(rig.book.searcher.search("lint", Filters())) == []
    assert _names(rig.book.searcher.search("lint", Filters(include=("expired",)))) == ["passing"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"types": ("feedback",)}, ["b"]),
        ({"categories": ("decision",)}, ["c"]),
        ({"files": ("src/a.py",)}, ["c"]),
        ({"files": ("src",)}, ["b", "c"]),
        ({"files": ("sr",)}, []),
        ({"types": ("project", "feedback"), "files": ("src/b.py",)}, ["b"]),
        ({"types": ()}, []),
    ],
)
def test_filters_come_first(rig: BookRig, filters: dict[str, object], names: list[str]) -> None:
    rig.record("the same words", name="a")
    rig.record("the same words", name="b", type="feedback", files=("src/b.py",))
    rig.record("the same words", name="c", category="decision", files=("src/a.py", "docs/x.md"))
    assert sorted(_names(rig.book.searcher.search("same words", replace(Filters(), **filters)))) == names
    assert sorted(_names(rig.book.searcher.list(replace(Filters(), **filters)))) == names
    assert sorted(_names(rig.book.searcher.search("", replace(Filters(), **filters)))) == names


def test_since_compares_with_the_last_update(rig: BookRig) -> None:
    old = rig.record("lint one", name="old").record
    rig.clock.forward(days=1)
    rig.record("lint two", name="new")
    since = rig.clock.now
    assert _names(rig.book.searcher.search("lint", Filters(since=since))) == ["new"]
    rig.book.editing.update(old.id, {"tags": ["x"]})
    assert sorted(_names(rig.book.searcher.search("lint", Filters(since=since)))) == ["new", "old"]


def test_superseding_memory_goes_first_and_the_old_one_says_so(rig: BookRig) -> None:
    old = rig.record("deploy deploy deploy with the red script", name="old").record
    new = rig.record("the deploy script is blue now, see the wiki for the rest of it", name="new").record
    assert _names(rig.book.searcher.search("deploy red script", Filters())) == ["old", "new"]
    rig.put(new, supersedes=old.id)
    page = rig.book.searcher.search("deploy red script", Filters())
    assert _names(page) == ["new", "old"]
    assert f"superseded by {new.id}" in page.items[1].reasons


def test_a_circle_of_supersedes_does_no_harm(rig: BookRig) -> None:
    one, two = (rig.record(f"lint {name}", name=name).record for name in ("one", "two"))
    rig.put(one, supersedes=two.id)
    rig.put(two, supersedes=one.id)
    assert sorted(_names(rig.book.searcher.search("lint", Filters()))) == ["one", "two"]


def test_another_process_is_seen_by_the_next_request(rig: BookRig) -> None:
    other = rig.reopen()
    record = rig.record("lint strictly", name="n").record
    assert _names(other.searcher.search("lint", Filters())) == ["n"]
    rig.book.editing.update(record.id, {"content": "format on save"})
    assert _names(other.searcher.search("lint", Filters())) == []
    assert _names(other.searcher.search("format", Filters())) == ["n"]
    rig.book.editing.delete(record.id)
    assert _names(other.searcher.search("format", Filters())) == []
    other.undoing.undo(record.id)
    assert _names(rig.book.searcher.search("format", Filters())) == ["n"]


def test_a_blank_query_lists_by_standing_weight(rig: BookRig) -> None:
    rig.record("a", name="talk", category="conversation")
    rig.record("b", name="rule", category="directive")
    assert _names(rig.book.searcher.search("  ", Filters())) == ["rule", "talk"]


def test_pages_of_a_search_hold_everything_once(rig: BookRig) -> None:
    for number in range(25):
        rig.record(f"lint rule {number} " + "extra " * number, name=f"n{number}")
    everything = _names(rig.book.searcher.search("lint rule", Filters(), 100))
    pages, cursor = [], None
    while True:
        page = rig.book.searcher.search("lint rule", Filters(), 7, cursor)
        pages.append(_names(page))
        rig.clock.forward(ms=5)
        rig.record(f"lint rule that came in between {len(pages)}", name=f"late{len(pages)}")
        cursor = page.cursor
        if cursor is None:
            break
    flat = [name for page in pages for name in page]
    assert sorted(flat) == sorted(everything)
    assert [len(page) for page in pages] == [7, 7, 7, 4]


def test_pages_of_a_list_are_newest_first_whatever_arrives(rig: BookRig) -> None:
    for number in range(9):
        rig.clock.forward(ms=number % 2)
        rig.record(f"text {number}", name=f"n{number}")
    first = rig.book.searcher.list(Filters(), 4)
    rig.clock.forward(ms=1)
    rig.record("late", name="late")
    second = rig.book.searcher.list(Filters(), 4, first.cursor)
    third = rig.book.searcher.list(Filters(), 4, second.cursor)
    assert _names(first) + _names(second) + _names(third) == [f"n{number}" for number in range(8, -1, -1)]
    assert third.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "ünïcode", "AAAA", "a" * 600, "%%%"])
def test_a_made_up_cursor_is_refused(rig: BookRig, cursor: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: rig.book.searcher.search("lint", Filters(), 5, cursor),
        lambda: rig.book.searcher.list(Filters(), 5, cursor),
    ]
    for call in calls:
        with pytest.raises(InvalidField) as caught:
            call()
        assert caught.value.data.path == "$.cursor"


def test_a_cursor_of_another_question_is_refused(rig: BookRig) -> None:
    for number in range(3):
        rig.record(f"lint {number}")
    cursor = rig.book.searcher.search("lint", Filters(), 1).cursor
    assert cursor is not None
    calls: list[Callable[[], object]] = [
        lambda: rig.book.searcher.search("other", Filters(), 1, cursor),
        lambda: rig.book.searcher.search("lint", Filters(types=("user",)), 1, cursor),
        lambda: rig.book.searcher.list(Filters(), 1, cursor),
    ]
    for call in calls:
        with pytest.raises(InvalidField, match="another query"):
            call()
    broken = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    with pytest.raises(InvalidField):
        rig.book.searcher.search("lint", Filters(), 1, broken)


def test_reading_changes_nothing(rig: BookRig) -> None:
    record = rig.record("lint strictly", name="n").record
    before = rig.workspace.seq()
    rig.clock.forward(days=5)
    rig.book.searcher.search("lint", Filters())
    rig.book.searcher.list(Filters())
    assert rig.book.searcher.get(record.id).accesses == 0
    assert rig.book.searcher.get(record.id).record == record
    assert rig.workspace.seq() == before


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(["lint", "deploy fast", "worktree", "a b c"]), min_size=1, max_size=8), st.integers(1, 3)
)
def test_any_paging_equals_one_page(new_rig: Callable[[], BookRig], texts: list[str], size: int) -> None:
    rig = new_rig()
    for number, text in enumerate(texts):
        rig.record(text, name=f"n{number}")
    questions: list[Callable[[int, str | None], Page[FoundMemory]]] = [
        lambda limit, cursor: rig.book.searcher.search("lint worktree", Filters(), limit, cursor),
        lambda limit, cursor: rig.book.searcher.list(Filters(), limit, cursor),
    ]
    for ask in questions:
        whole = _names(ask(100, None))
        flat: list[str] = []
        cursor = None
        while True:
            page = ask(size, cursor)
            flat += _names(page)
            cursor = page.cursor
            if cursor is None:
                break
        assert flat == whole


def test_a_list_stays_in_order_while_memories_come_change_and_go(rig: BookRig) -> None:
    chance = random.Random(4)
    ids: list[str] = []
    for step in range(120):
        rig.clock.forward(ms=chance.choice([0, 0, 1, 50]))
        match chance.randrange(5):
            case 0 | 1:
                ids.append(rig.record(f"line {step}", name=f"n{step}").record.id)
            case 2 if ids:
                rig.book.editing.update(chance.choice(ids), {"tags": [f"t{rig.clock.now}"]})
            case 3 if ids:
                rig.book.editing.delete(ids.pop(chance.randrange(len(ids))))
            case _ if ids:
                rig.book.editing.archive(chance.choice(ids))
        seen, cursor = [], None
        while True:
            page = rig.book.searcher.list(Filters(), 3, cursor)
            seen += [found.record for found in page.items]
            assert all(len(page.items) == 3 for _ in [page.cursor] if page.cursor is not None)
            cursor = page.cursor
            if cursor is None:
                break
        kept = [record for record in rig.workspace.all() if record.status != "archived"]
        assert seen == sorted(kept, key=lambda record: (record.updated_at, record.id), reverse=True)
