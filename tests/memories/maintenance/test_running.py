"""Runs on real stores: the lock, concurrent writes, what is remembered of a run, accesses and links."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import InjectRequest
from sidecar.memories.index.meaning import FixedEmbedding
from sidecar.memories.maintenance import changes
from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.maintenance.upkeep import MaintenanceReport
from sidecar.models.static_table import StaticTable
from sidecar.models.vectors import Closest, VectorIndex
from sidecar.runtime.errors import Cancelled
from sidecar.store.records import LinkRecord
from tests.memories.conftest import BookRig

DAY = 86_400_000
ROOT = Path(__file__).parents[3]
ORDER = RunOptions(steps=STEPS)


def maintain(rig: BookRig, **changes: object) -> MaintenanceReport:
    report: MaintenanceReport = rig.book.upkeep.maintain(replace(ORDER, **changes), rig.clock())
    return report


def test_accesses_and_links_go_with_a_merged_memory(rig: BookRig) -> None:
    elder, younger, third = (
        rig.record(text, name=name).record
        for text, name in (("Deploy on Fridays", "a"), ("deploy on fridays", "b"), ("Never on Mondays", "c"))
    )
    for session in range(3):
        rig.book.injector.inject(InjectRequest(prompt="deploy fridays", session_id=f"s{session}"))
    with rig.workspace.transaction() as change:
        change.link(LinkRecord(source=younger.id, target=third.id, kind="related", strength=0.5, at=1))
        change.link(LinkRecord(source=younger.id, target=elder.id, kind="sameEntity", strength=0.5, at=1))
    before = rig.workspace.access_counts()
    assert before == {elder.id: 3, younger.id: 3}
    maintain(rig)
    assert rig.workspace.access_counts() == {elder.id: 6}
    links = {(link.source, link.target) for link in rig.workspace.links(elder.id)}
    assert (elder.id, third.id) in links
    assert (elder.id, elder.id) not in links


def test_restoring_what_was_merged_is_respected(rig: BookRig) -> None:
    rig.record("Deploy on Fridays", name="a")
    younger = rig.record("deploy on fridays", name="b").record
    maintain(rig)
    rig.book.editing.restore(younger.id)
    restored = rig.book.searcher.get(younger.id).record
    assert (restored.status, restored.archived_for, restored.merged_into) == ("active", None, None)
    report = maintain(rig)
    assert report.actions == ()
    assert [left.id for left in report.left] == [younger.id]


def test_recording_the_name_of_a_merged_memory_reaches_the_one_it_was_merged_into(rig: BookRig) -> None:
    elder = rig.record("Deploy on Fridays", name="a").record
    rig.record("deploy on fridays", name="b")
    maintain(rig)
    assert rig.record("deploy on fridays", name="b").status == "duplicate"
    more = rig.record("After noon.", name="b")
    assert (more.status, more.record.id) == ("merged", elder.id)


def test_a_restored_memory_has_all_its_time_again(rig: BookRig) -> None:
    id = rig.record("The old printer is on the third floor").record.id
    rig.clock.forward(days=400)
    assert maintain(rig).counts["archive"] == 1
    rig.book.editing.restore(id)
    assert maintain(rig).actions == ()
    assert rig.book.searcher.get(id).record.relevance == 1.0


def test_a_use_meanwhile_saves_a_memory(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    id = rig.record("The old printer is on the third floor").record.id
    rig.clock.forward(days=400)
    real = changes.apply

    def used_before(*args: Any) -> object:
        rig.workspace.record_access([id], rig.clock())
        return real(*args)

    monkeypatch.setattr(changes, "apply", used_before)
    maintain(rig)
    assert rig.book.searcher.get(id).record.status == "active"


def test_an_update_meanwhile_wins(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.record("Deploy on Fridays", name="a")
    younger = rig.record("deploy on fridays", name="b").record
    real = changes.apply

    def updated_before(home: Any, *args: Any) -> Any:
        if home is rig.workspace:
            rig.book.editing.update(younger.id, {"content": "deploy on fridays, but not in May"})
        return real(home, *args)

    monkeypatch.setattr(changes, "apply", updated_before)
    assert maintain(rig).actions == ()
    assert rig.book.searcher.get(younger.id).record.status == "active"


def test_a_name_taken_meanwhile_stops_a_promotion(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = rig.record("On port 80", name="port", scope="personal").record
    for at in range(6):
        rig.workspace.record_access([mine.id], at)
    real = changes.apply

    def taken_before(home: Any, *args: Any) -> Any:
        if home is rig.workspace:
            rig.record("On port 81", name="port")
        return real(home, *args)

    with monkeypatch.context() as patched:
        patched.setattr(changes, "apply", taken_before)
        assert maintain(rig).counts["promotion"] == 0
    assert maintain(rig).counts["promotion"] == 1, "the next run merges them"
    assert rig.book.searcher.get(mine.id).record.status == "archived"


def test_cancelling_keeps_what_is_done_and_the_next_run_does_the_rest(rig: BookRig) -> None:
    for number in range(120):
        rig.record(f"The same text {number // 2}", name=f"n{number}")
    calls = []

    def step(done: int, total: int) -> None:
        calls.append((done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        maintain(rig, step=step)
    assert calls == [(changes.MAX_CHANGES_AT_ONCE, 60)]
    assert rig.workspace.maintenance().ran_at is None
    assert maintain(rig).counts["duplicates"] == 60 - changes.MAX_CHANGES_AT_ONCE


def test_unasked_it_runs_once_a_day_whoever_comes_first(rig: BookRig) -> None:
    assert rig.book.upkeep.is_due(rig.clock())
    assert maintain(rig, unasked=True).ran == ("workspace", "user")
    other = rig.reopen()
    assert not other.upkeep.is_due(rig.clock())
    assert other.upkeep.maintain(replace(ORDER, unasked=True), rig.clock()).early == ("workspace", "user")
    rig.clock.forward(days=1)
    assert other.upkeep.is_due(rig.clock())


def test_a_run_of_some_steps_is_not_the_day_s(rig: BookRig) -> None:
    maintain(rig, steps=("age",), complete=False)
    assert rig.book.upkeep.is_due(rig.clock())


HOLD = """
import sys, time
from pathlib import Path
from sidecar.store.memory_store import MemoryStore
store = MemoryStore.open(Path(sys.argv[1]))
with store.maintaining() as mine:
    print(mine, flush=True)
    sys.stdin.readline()
"""


def test_maintenance_runs_in_one_process_and_a_dead_one_holds_nothing(rig: BookRig) -> None:
    rig.record("Deploy on Fridays", name="a")
    rig.record("deploy on fridays", name="b")
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLD, str(rig.workspace.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        report = maintain(rig)
        assert (report.busy, report.ran) == (("workspace",), ("user",))
        assert report.actions == ()
        assert maintain(rig, dry_run=True).counts["duplicates"] == 1, "a dry run waits for nobody"
    finally:
        process.kill()
        process.communicate()
    assert maintain(rig).counts["duplicates"] == 1


def test_consolidation_waits_for_a_day_and_five_sessions(rig: BookRig) -> None:
    text = (
        "The nightly build runs on the large machine in the cellar, uploads packages to the mirror, mails reviewers, "
        "opens an issue when linters complain, publishes documentation, prunes caches, rotates logs and restarts {}"
    )
    rig.record(text.format("nginx"), name="a")
    rig.record(text.format("nginx twice daily"), name="b")
    rig.clock.forward(days=2)
    assert maintain(rig).proposals == ()
    for session in range(5):
        rig.book.injector.inject(InjectRequest(session_id=f"s{session}"))
    rig.clock.forward(ms=1)
    assert len(maintain(rig).proposals) == 1
    rig.clock.forward(days=2)
    rig.record(text.format("nginx three times"), name="c")
    assert len(maintain(rig).proposals) == 1, "no sessions since"


def test_consolidation_reckons_with_the_closest_and_not_with_every_cosine(
    rig: BookRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = StaticTable.load()
    rig.record("The nightly settlement job takes an advisory lock on the ledger.", name="lock")
    rig.record("The nightly settlement job takes one advisory lock on the ledger.", name="again")
    for number in range(20):
        rig.record(f"Printer {number} is on floor {number}.", name=f"printer {number}")
    book = MemoryBook(rig.workspace, rig.user, rig.clock, rig.ids, embedding=FixedEmbedding(table))
    book.catalogue.embed_missing()
    one_by_one: list[object] = []
    closest = VectorIndex.closest

    def counted(
        index: VectorIndex, query: bytes, most: int, also: Sequence[str] = (), ids: Collection[str] | None = None
    ) -> Closest:
        one_by_one.extend(ids or ())
        return closest(index, query, most, also, ids)

    monkeypatch.setattr(VectorIndex, "closest", counted)
    proposals = book.upkeep.maintain(replace(ORDER, asked=True), rig.clock()).proposals
    assert {"lock", "again"} in [{proposal.keep_name, proposal.other_name} for proposal in proposals]
    assert one_by_one == []
