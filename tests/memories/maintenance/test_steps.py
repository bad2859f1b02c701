"""Each step of maintenance, planned on plain records: what it changes, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.maintenance.changes import STEPS, Ledger, MaintenanceStep
from sidecar.memories.maintenance.consolidation import is_due
from sidecar.memories.maintenance.fading import WEEK_MS, relevance_by_clock
from sidecar.memories.maintenance.running import plan
from sidecar.store.memory_store import Use
from sidecar.store.records import MaintenanceRecord, MemoryRecord, ReferenceRecord, VersionRecord
from tests.memory_fields import StoredFields

DAY = 86_400_000
NOW = 2_000 * DAY


def memory(id: str, content: str = "", **fields: object) -> MemoryRecord:
    plain: dict[str, Any] = {
        "scope": "project",
        "type": "project",
        "name": f"name of {id}",
        "content": content or f"Content of {id}, which is the only one.",
        "source": "agent",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return MemoryRecord(id=id, **{**plain, **fields})


def planned(
    records: Sequence[MemoryRecord],
    *,
    uses: Mapping[str, Use] | None = None,
    history: Mapping[str, Sequence[VersionRecord]] | None = None,
    steps: Sequence[MaintenanceStep] = STEPS,
    **options: Any,
) -> Ledger:
    known = history or {}
    return plan(records, uses or {}, lambda id: known.get(id, ()), NOW, steps, **options)


def done(ledger: Ledger) -> list[tuple[str, str]]:
    return [(change.step, change.id) for change in ledger.planned]


class TestRelevance:
    @pytest.mark.parametrize(
        ("rest", "expected"),
        [
            (0, 1.0),
            (WEEK_MS - 1, 1.0),
            (WEEK_MS, 0.95),
            (2 * WEEK_MS, 0.9025),
            (10 * WEEK_MS + 5, 0.598737),
            (-WEEK_MS, 1.0),
        ],
    )
    def test_falls_by_a_twentieth_per_full_week(self, rest: int, expected: float) -> None:
        assert relevance_by_clock(memory("a", updated_at=NOW - rest), Use(), NOW) == expected

    def test_counts_from_the_last_use_or_verification_too(self) -> None:
        old = memory("a", updated_at=NOW - 20 * WEEK_MS)
        assert relevance_by_clock(old, Use(3, NOW - WEEK_MS), NOW) == 0.95
        assert relevance_by_clock(msgspec.structs.replace(old, verified_at=NOW - 2 * WEEK_MS), Use(), NOW) == 0.9025

    def test_does_not_compound_on_what_is_stored(self) -> None:
        (change,) = planned([memory("a", updated_at=NOW - 2 * WEEK_MS, relevance=0.5)]).planned
        assert change.writes[0].after.relevance == 0.9025
        assert change.writes[0].change is None, "no version"
        assert change.writes[0].after.updated_at == NOW - 2 * WEEK_MS

    @pytest.mark.parametrize(
        "fields", [{"category": "directive"}, {"pinned": True}, {"source": "user"}], ids=lambda f: next(iter(f))
    )
    def test_of_what_lasts_stays(self, fields: StoredFields) -> None:
        assert done(planned([memory("a", updated_at=0, created_at=0, **fields)])) == []

    def test_is_restored_for_what_has_become_lasting(self) -> None:
        (change,) = planned([memory("a", updated_at=NOW - WEEK_MS, relevance=0.4, pinned=True)]).planned
        assert change.writes[0].after.relevance == 1.0

    def test_fading_that_is_switched_off_changes_nothing(self) -> None:
        assert done(planned([memory("a", updated_at=NOW - 90 * WEEK_MS)], fading=False)) == []

    @pytest.mark.parametrize("status", ["archived", "resolved"])
    def test_of_what_is_hidden_is_left_alone(self, status: str) -> None:
        assert done(planned([memory("a", updated_at=NOW - WEEK_MS, status=status)])) == []


class TestArchive:
    def test_below_a_tenth_and_never_before(self) -> None:
        # 0.95 ** 44 = 0.1047, 0.95 ** 45 = 0.0994
        assert done(planned([memory("a", updated_at=NOW - 44 * WEEK_MS)])) == [("relevance", "a")]
        ledger = planned([memory("a", updated_at=NOW - 45 * WEEK_MS)])
        assert done(ledger) == [("relevance", "a"), ("archive", "a")]
        after = ledger.records["a"]
        assert (after.status, after.archived_for, after.version) == ("archived", "faded", 2)
        assert "45 weeks" in ledger.planned[-1].reason

    def test_missing_references_alone_archive_nothing(self) -> None:
        old = memory("a", updated_at=NOW - 40 * WEEK_MS, references=(ReferenceRecord(kind="path", text="x"),))
        ledger = planned([old], missing=lambda _: (1, 1))
        assert done(ledger) == [("references", "a")]
        assert ledger.records["a"].relevance < 0.1

    def test_of_one_step_asked_for(self) -> None:
        assert done(planned([memory("a", updated_at=NOW - 90 * WEEK_MS)], steps=["archive"])) == [("archive", "a")]


class TestReferences:
    NAMED = (ReferenceRecord(kind="path", text="a.py", path="a.py", hash="1"),)

    @pytest.mark.parametrize(
        ("missing", "expected"), [((0, 4), 0.9025), ((1, 4), 0.789687), ((4, 4), 0.45125), ((9, 4), 0.45125)]
    )
    def test_missing_references_lower_the_relevance(self, missing: tuple[int, int], expected: float) -> None:
        record = memory("a", updated_at=NOW - 2 * WEEK_MS, references=self.NAMED, relevance=0.3)
        ledger = planned([record], missing=lambda _: missing)
        assert ledger.records["a"].relevance == expected

    def test_does_not_compound(self) -> None:
        first = planned([memory("a", references=self.NAMED)], missing=lambda _: (1, 2))
        assert first.records["a"].relevance == 0.75
        assert "1 of 2 references leads nowhere" in first.planned[0].reason
        assert done(planned(list(first.records.values()), missing=lambda _: (1, 2))) == []

    def test_is_taken_back_when_the_files_are(self) -> None:
        record = memory("a", references=self.NAMED, relevance=0.75)
        assert planned([record], missing=lambda _: (0, 2)).records["a"].relevance == 1.0

    def test_is_asked_once_and_only_where_there_are_any(self) -> None:
        asked: list[str] = []

        def missing(record: MemoryRecord) -> tuple[int, int]:
            asked.append(record.id)
            return 1, 1

        planned([memory("a", references=self.NAMED), memory("b")], missing=missing)
        assert asked == ["a"]


class TestDuplicates:
    def test_the_elder_keeps_its_id_and_takes_what_the_younger_has(self) -> None:
        elder = memory("b", "Run the tests with -q.", created_at=1, tags=("x",), files=("a.py",), updated_at=NOW - 5)
        younger = memory(
            "a", "- run the  tests with -q", created_at=2, tags=("y",), files=("b.py",), description="why", pinned=True
        )
        ledger = planned([younger, elder], uses={"a": Use(3, NOW - 4), "b": Use(2, NOW - 9)})
        kept, gone = ledger.records["b"], ledger.records["a"]
        assert (kept.tags, kept.files, kept.description, kept.pinned) == (("x", "y"), ("a.py", "b.py"), "why", True)
        assert (kept.content, kept.version, kept.updated_at) == ("Run the tests with -q.", 2, NOW)
        assert (gone.status, gone.archived_for, gone.merged_into) == ("archived", "merged", "b")
        assert ledger.uses == {"b": Use(5, NOW - 4)}
        assert ledger.planned[0].into == "b"

    def test_three_become_one(self) -> None:
        ledger = planned([memory(id, "All the same", created_at=at) for at, id in enumerate("cab")])
        assert [each.status for each in ledger.records.values()] == ["active", "archived", "archived"]

    @pytest.mark.parametrize(
        "other",
        [
            {"scope": "personal"},
            {"type": "feedback"},
            {"agent": "reviewer"},
            {"content": "All the same 2"},
            {"content": "All not the same"},
            {"status": "resolved"},
            {"status": "archived"},
        ],
        ids=str,
    )
    def test_of_another_key_or_text_are_none(self, other: StoredFields) -> None:
        assert (
            done(
                planned(
                    [memory("a", "All the same"), memory("b", **StoredFields({"content": "All the same", **other}))]
                )
            )
            == []
        )

    def test_merged_and_restored_memory_stays(self) -> None:
        merged = memory("b", "All the same", merged_into="a", status="archived")
        trace = {"b": [VersionRecord(version=2, change="archived", at=1, memory=merged)]}
        ledger = planned([memory("a", "All the same"), memory("b", "All the same")], history=trace)
        assert done(ledger) == []
        assert [(each.step, each.id) for each in ledger.left] == [("duplicates", "b")]

    def test_a_directive_stays_one(self) -> None:
        ledger = planned([memory("a", "Same", category="fact"), memory("b", "Same", category="directive")])
        assert ledger.records["a"].category == "directive"

    def test_expiry_of_the_whole_is_the_later_one(self) -> None:
        first = memory("a", "Same", expires_at=NOW + 1)
        assert planned([first, memory("b", "Same")]).records["a"].expires_at is None
        assert planned([first, memory("b", "Same", expires_at=NOW + 9)]).records["a"].expires_at == NOW + 9

    def test_too_many_tags_are_left(self) -> None:
        many = tuple(f"t{n}" for n in range(40))
        more = tuple(f"u{n}" for n in range(40))
        ledger = planned([memory("a", "Same", tags=many), memory("b", "Same", tags=more)])
        assert done(ledger) == []
        assert len(ledger.left) == 1


class TestPromotion:
    PROVED = Use(6, NOW)

    def test_after_more_than_five_sessions(self) -> None:
        mine = memory("a", scope="personal")
        assert done(planned([mine], uses={"a": Use(5, NOW)})) == []
        ledger = planned([mine], uses={"a": self.PROVED})
        after = ledger.records["a"]
        assert (after.scope, after.promoted_from, after.version) == ("project", "personal", 2)
        assert after.updated_at == mine.updated_at

    @pytest.mark.parametrize(
        "fields", [{"type": "user"}, {"scope": "global"}, {"status": "archived"}, {"expires_at": NOW + 1}], ids=str
    )
    def test_never_of_a_person_s_own(self, fields: StoredFields) -> None:
        assert (
            done(planned([memory("a", **StoredFields({"scope": "personal", **fields}))], uses={"a": self.PROVED})) == []
        )

    def test_a_clash_of_names_merges(self) -> None:
        mine = memory("a", "It is on port 8080.", scope="personal", name="port")
        theirs = memory("b", "It listens on localhost.", name="port")
        ledger = planned([mine, theirs], uses={"a": self.PROVED})
        assert ledger.records["b"].content == "It listens on localhost.\nIt is on port 8080."
        assert ledger.records["a"].merged_into == "b"

    def test_the_same_text_under_another_name_merges(self) -> None:
        records = [memory("a", "Same", scope="personal"), memory("b", "Same")]
        ledger = planned(records, uses={"a": self.PROVED})
        assert ledger.records["a"].merged_into == "b"

    def test_an_archived_one_of_the_name_is_in_the_way(self) -> None:
        records = [memory("a", scope="personal", name="n"), memory("b", name="n", status="archived")]
        ledger = planned(records, uses={"a": self.PROVED})
        assert done(ledger) == []
        assert "archived" in ledger.left[0].reason

    def test_undone_promotion_stays_undone(self) -> None:
        was = memory("a", promoted_from="personal")
        trace = {"a": [VersionRecord(version=2, change="promoted", at=1, memory=was)]}
        ledger = planned([memory("a", scope="personal")], uses={"a": self.PROVED}, history=trace)
        assert done(ledger) == []


class TestAge:
    @pytest.mark.parametrize(
        ("days", "fields", "expected"),
        [
            (91, {"category": "blocker", "status": "resolved"}, True),
            (90, {"category": "blocker", "status": "resolved"}, False),
            (91, {"category": "blocker", "status": "resolved", "source": "user"}, True),
            (91, {"category": "blocker", "status": "resolved", "pinned": True}, False),
            (91, {"category": "blocker"}, False),
            (181, {"category": "conversation"}, True),
            (180, {"category": "conversation"}, False),
            (181, {"category": "conversation", "source": "user"}, False),
            (181, {"category": "fact"}, False),
        ],
    )
    def test_old_memories_are_archived_as_old(self, days: int, fields: StoredFields, expected: bool) -> None:
        record = memory("a", updated_at=NOW - days * DAY, **fields)
        ledger = planned([record], steps=["age"])
        assert done(ledger) == ([("age", "a")] if expected else [])
        assert ledger.records["a"].archived_for == ("old" if expected else None)


def test_a_second_plan_finds_nothing_even_after_a_chain() -> None:
    """A promoted memory takes a name, so that its text becomes another's, which is a duplicate in turn."""
    records = [
        memory("a", "first", scope="personal", name="one", created_at=5),
        memory("b", "second", name="one", created_at=4),
        memory("c", "second\nfirst", name="two", created_at=3),
        memory("d", "Second\n- first.", name="three", created_at=6, updated_at=NOW - 50 * WEEK_MS),
    ]
    first = planned(records, uses={"a": Use(9, NOW)})
    assert {id for id, record in first.records.items() if record.status == "active"} == {"c"}
    assert done(planned(list(first.records.values()), uses=first.uses)) == []


texts = st.sampled_from(["Same", "- same", "first", "second", "first\nsecond", "Second\nfirst."])
drawn = st.builds(
    lambda id, rest, references, **fields: memory(
        id, updated_at=NOW - rest * WEEK_MS, references=TestReferences.NAMED if references else (), **fields
    ),
    id=st.uuids().map(str),
    rest=st.sampled_from([0, 1, 10, 44, 45, 60, -5]),
    references=st.booleans(),
    content=texts,
    name=st.sampled_from(["one", "two", "three"]),
    scope=st.sampled_from(["personal", "project"]),
    type=st.sampled_from(["project", "user"]),
    category=st.sampled_from([None, "directive", "blocker", "conversation"]),
    status=st.sampled_from(["active", "active", "active", "suspect", "resolved", "archived"]),
    source=st.sampled_from(["agent", "user"]),
    created_at=st.integers(0, 4),
    expires_at=st.sampled_from([None, NOW - 1, NOW + 1]),
    relevance=st.sampled_from([1.0, 0.5, 0.05]),
)
histories = st.lists(drawn, max_size=8, unique_by=lambda r: (r.scope, r.type, r.agent, r.name))


@given(records=histories, times=st.lists(st.integers(0, 9), min_size=8, max_size=8), order=st.permutations(range(8)))
def test_twice_is_once_and_the_order_of_records_is_nothing(
    records: list[MemoryRecord], times: list[int], order: list[int]
) -> None:
    uses = {each.id: Use(count, NOW - count * WEEK_MS) for each, count in zip(records, times, strict=False) if count}
    first = planned(records, uses=uses, missing=lambda _: (1, 2))
    again = planned(list(first.records.values()), uses=first.uses, missing=lambda _: (1, 2))
    assert done(again) == []
    other = planned([records[at] for at in order if at < len(records)], uses=uses, missing=lambda _: (1, 2))
    assert other.records == first.records
    assert sum(use.times for use in first.uses.values()) == sum(use.times for use in uses.values())


def test_planning_changes_nothing_that_it_is_given() -> None:
    uses = {"a": Use(9, NOW)}
    records = [memory("a", "Same", scope="personal"), memory("b", "Same")]
    before = (dict(uses), list(records))
    planned(records, uses=uses)
    assert (uses, records) == before


class TestAClockThatWasAhead:
    """Maintain memories of today 400 days later, and again when the clock is right."""

    AHEAD = 400 * DAY

    def put_away(self, record: MemoryRecord) -> tuple[MemoryRecord, list[VersionRecord]]:
        versions = [VersionRecord(version=1, change="created", at=NOW, memory=record)]
        ledger = plan([record], {}, lambda _: versions, NOW + self.AHEAD, STEPS)
        archived = ledger.records[record.id]
        assert archived.status == "archived"
        return archived, [VersionRecord(version=2, change="archived", at=NOW + self.AHEAD, memory=archived), *versions]

    @pytest.mark.parametrize(
        "fields",
        [{}, {"category": "conversation"}, {"category": "blocker", "status": "resolved"}, {"status": "suspect"}],
    )
    def test_archived_by_maintenance_is_restored_once(self, fields: StoredFields) -> None:
        record = memory("a", **fields)
        archived, versions = self.put_away(record)
        ledger = planned([archived], history={"a": versions})
        back = ledger.records["a"]
        assert (back.status, back.updated_at, back.version) == (record.status, NOW, 3)
        assert planned([back], history={"a": versions}).planned == []

    def test_old_memory_by_the_right_clock_stays_archived(self) -> None:
        archived, versions = self.put_away(memory("a", updated_at=NOW - 60 * WEEK_MS))
        assert planned([archived], history={"a": versions}).records["a"].status == "archived"

    def test_memory_archived_for_another_reason_stays_archived(self) -> None:
        archived, versions = self.put_away(memory("a"))
        by_hand = msgspec.structs.replace(archived, archived_for=None)
        assert planned([by_hand], history={"a": versions}).planned == []
        in_time = msgspec.structs.replace(archived, updated_at=NOW)
        assert planned([in_time], history={"a": versions}).planned == []
        named_so = msgspec.structs.replace(memory("b"), name=archived.name)
        assert planned([archived, named_so], history={"a": versions}).records["a"].status == "archived"

    def test_a_look_at_consolidation_that_it_noted_puts_off_no_other(self) -> None:
        state = MaintenanceRecord(consolidated_at=NOW + self.AHEAD)
        assert is_due(state, [memory("a")], NOW, lambda since: 5 if since < NOW else 0)
        late = MaintenanceRecord(consolidated_at=NOW + 1_000)  # clocks of two machines
        assert not is_due(late, [memory("a")], NOW, lambda since: 5)
