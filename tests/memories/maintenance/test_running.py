"""Runs on real stores: the lock, concurrent writes, what is remembered of a run, accesses and links."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import InjectRequest
from sidecar.memories.maintenance import changes
from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.maintenance.upkeep import MaintenanceReport
from sidecar.memories.meaning import FixedEmbedding
from sidecar.models.static_table import StaticTable
from sidecar.models.vectors import Closest, VectorIndex
from sidecar.runtime.errors import Cancelled
from sidecar.store.records import LinkRecord
from tests.memories.conftest import BookFixture

DAY = 86_400_000
ROOT = Path(__file__).parents[3]
ORDER = RunOptions(steps=STEPS)


def maintain(house: BookFixture, **changes: object) -> MaintenanceReport:
    report: MaintenanceReport = house.book.upkeep.maintain(replace(ORDER, **changes), house.clock())
    return report


def test_accesses_and_links_go_with_a_merged_memory(house: BookFixture) -> None:
    elder, younger, third = (
        house.record(text, name=name).record
        for text, name in (("Deploy on Fridays", "a"), ("deploy on fridays", "b"), ("Never on Mondays", "c"))
    )
    for session in range(3):
        house.book.inject(InjectRequest(prompt="deploy fridays", session_id=f"s{session}"))
    with house.workspace.transaction() as change:
        change.link(LinkRecord(source=younger.id, target=third.id, kind="related", strength=0.5, at=1))
        change.link(LinkRecord(source=younger.id, target=elder.id, kind="sameEntity", strength=0.5, at=1))
    before = house.workspace.accesses([elder.id, younger.id])
    assert before == {elder.id: 3, younger.id: 3}
    maintain(house)
    assert house.workspace.accesses([elder.id, younger.id]) == {elder.id: 6, younger.id: 0}
    links = {(link.source, link.target) for link in house.workspace.links(elder.id)}
    assert (elder.id, third.id) in links
    assert (elder.id, elder.id) not in links


def test_restoring_what_was_merged_is_respected(house: BookFixture) -> None:
    house.record("Deploy on Fridays", name="a")
    younger = house.record("deploy on fridays", name="b").record
    maintain(house)
    house.book.restore(younger.id)
    restored = house.book.get(younger.id).record
    assert (restored.status, restored.archived_for, restored.merged_into) == ("active", None, None)
    report = maintain(house)
    assert report.actions == ()
    assert [left.id for left in report.left] == [younger.id]


def test_recording_the_name_of_a_merged_memory_reaches_the_one_it_was_merged_into(house: BookFixture) -> None:
    elder = house.record("Deploy on Fridays", name="a").record
    house.record("deploy on fridays", name="b")
    maintain(house)
    assert house.record("deploy on fridays", name="b").status == "duplicate"
    more = house.record("After noon.", name="b")
    assert (more.status, more.record.id) == ("merged", elder.id)


def test_a_restored_memory_has_all_its_time_again(house: BookFixture) -> None:
    id = house.record("The old printer is on the third floor").record.id
    house.clock.forward(days=400)
    assert maintain(house).counts["archive"] == 1
    house.book.restore(id)
    assert maintain(house).actions == ()
    assert house.book.get(id).record.relevance == 1.0


def test_a_use_meanwhile_saves_a_memory(house: BookFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    id = house.record("The old printer is on the third floor").record.id
    house.clock.forward(days=400)
    real = changes.apply

    def used_before(*args: Any) -> object:
        house.workspace.record_access([id], house.clock())
        return real(*args)

    monkeypatch.setattr(changes, "apply", used_before)
    maintain(house)
    assert house.book.get(id).record.status == "active"


def test_an_update_meanwhile_wins(house: BookFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    house.record("Deploy on Fridays", name="a")
    younger = house.record("deploy on fridays", name="b").record
    real = changes.apply

    def updated_before(home: Any, *args: Any) -> Any:
        if home is house.workspace:
            house.book.update(younger.id, {"content": "deploy on fridays, but not in May"})
        return real(home, *args)

    monkeypatch.setattr(changes, "apply", updated_before)
    assert maintain(house).actions == ()
    assert house.book.get(younger.id).record.status == "active"


def test_a_name_taken_meanwhile_stops_a_promotion(house: BookFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = house.record("On port 80", name="port", scope="personal").record
    for at in range(6):
        house.workspace.record_access([mine.id], at)
    real = changes.apply

    def taken_before(home: Any, *args: Any) -> Any:
        if home is house.workspace:
            house.record("On port 81", name="port")
        return real(home, *args)

    with monkeypatch.context() as patched:
        patched.setattr(changes, "apply", taken_before)
        assert maintain(house).counts["promotion"] == 0
    assert maintain(house).counts["promotion"] == 1, "the next run merges them"
    assert house.book.get(mine.id).record.status == "archived"


def test_cancelling_keeps_what_is_done_and_the_next_run_does_the_rest(house: BookFixture) -> None:
    for number in range(120):
        house.record(f"The same text {number // 2}", name=f"n{number}")
    calls = []

    def step(done: int, total: int) -> None:
        calls.append((done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        maintain(house, step=step)
    assert calls == [(changes.BATCH, 60)]
    assert house.workspace.maintenance().ran_at is None
    assert maintain(house).counts["duplicates"] == 60 - changes.BATCH


def test_unasked_it_runs_once_a_day_whoever_comes_first(house: BookFixture) -> None:
    assert house.book.upkeep.due(house.clock())
    assert maintain(house, unasked=True).ran == ("workspace", "user")
    other = house.reopen()
    assert not other.upkeep.due(house.clock())
    assert other.upkeep.maintain(replace(ORDER, unasked=True), house.clock()).early == ("workspace", "user")
    house.clock.forward(days=1)
    assert other.upkeep.due(house.clock())


def test_a_run_of_some_steps_is_not_the_day_s(house: BookFixture) -> None:
    maintain(house, steps=("age",), complete=False)
    assert house.book.upkeep.due(house.clock())


HOLD = """
import sys, time
from pathlib import Path
from sidecar.store.memory_store import MemoryStore
store = MemoryStore.open(Path(sys.argv[1]))
with store.maintaining() as mine:
    print(mine, flush=True)
    sys.stdin.readline()
"""


def test_maintenance_runs_in_one_process_and_a_dead_one_holds_nothing(house: BookFixture) -> None:
    house.record("Deploy on Fridays", name="a")
    house.record("deploy on fridays", name="b")
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLD, str(house.workspace.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        report = maintain(house)
        assert (report.busy, report.ran) == (("workspace",), ("user",))
        assert report.actions == ()
        assert maintain(house, dry_run=True).counts["duplicates"] == 1, "a dry run waits for nobody"
    finally:
        process.kill()
        process.communicate()
    assert maintain(house).counts["duplicates"] == 1


def test_consolidation_waits_for_a_day_and_five_sessions(house: BookFixture) -> None:
    text = (
        "The nightly build runs on the large machine in the cellar, uploads packages to the mirror, mails reviewers, "
        "opens an issue when linters complain, publishes documentation, prunes caches, rotates logs and restarts {}"
    )
    house.record(text.format("nginx"), name="a")
    house.record(text.format("nginx twice daily"), name="b")
    house.clock.forward(days=2)
    assert maintain(house).proposals == ()
    for session in range(5):
        house.book.inject(InjectRequest(session_id=f"s{session}"))
    house.clock.forward(ms=1)
    assert len(maintain(house).proposals) == 1
    house.clock.forward(days=2)
    house.record(text.format("nginx three times"), name="c")
    assert len(maintain(house).proposals) == 1, "no sessions since"


def test_consolidation_reckons_with_the_closest_and_not_with_every_cosine(
    house: BookFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = StaticTable.load()
    house.record("The nightly settlement job takes an advisory lock on the ledger.", name="lock")
    house.record("The nightly settlement job takes one advisory lock on the ledger.", name="again")
    for number in range(20):
        house.record(f"Printer {number} is on floor {number}.", name=f"printer {number}")
    book = MemoryBook(house.workspace, house.user, house.clock, house.ids, embedding=FixedEmbedding(table))
    book.embed_missing()
    one_by_one: list[object] = []
    closest = VectorIndex.closest

    def counted(
        index: VectorIndex, query: bytes, most: int, also: Iterable[str] = (), ids: Collection[str] | None = None
    ) -> Closest:
        one_by_one.extend(ids or ())
        return closest(index, query, most, also, ids)

    monkeypatch.setattr(VectorIndex, "closest", counted)
    proposals = book.upkeep.maintain(replace(ORDER, asked=True), house.clock()).proposals
    assert {"lock", "again"} in [{each.keep_name, each.other_name} for each in proposals]
    assert one_by_one == []
