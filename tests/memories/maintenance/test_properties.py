"""Maintenance over random histories: idempotent, independent of the order of sessions, nothing lost without trace."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.drafts import InjectRequest
from sidecar.memories.maintenance.changes import STEPS, never_fades
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.maintenance.upkeep import MaintenanceReport
from sidecar.runtime.errors import SidecarError
from sidecar.store.records import MemoryRecord, ReferenceRecord
from tests.memories.conftest import BookRig

DAY = 86_400_000
TEXTS = (
    "Use pnpm for installs",
    "- use  PNPM for installs.",
    "The release is cut on Fridays",
    "the release is cut on fridays",
    "Waiting for the certificate",
    "We talked about the roadmap",
)
NAMES = (None, "one", "two")
CATEGORIES = (None, "directive", "blocker", "conversation", "fact")

recording = st.fixed_dictionaries(
    {
        "content": st.sampled_from(TEXTS),
        "name": st.sampled_from(NAMES),
        "scope": st.sampled_from(["personal", "project", "global"]),
        "type": st.sampled_from(["project", "feedback", "user"]),
        "category": st.sampled_from(CATEGORIES),
        "source": st.sampled_from(["agent", "agent", "user", "extractor:x"]),
        "pinned": st.sampled_from([False, False, False, True]),
        "references": st.sampled_from([(), (ReferenceRecord(kind="path", text="a", path="a", hash="1"),)]),
    }
)
place = st.integers(0, 20)
steps = st.one_of(
    st.tuples(st.just("record"), recording),
    st.tuples(st.just("record"), recording),
    st.tuples(st.just("inject"), st.integers(0, 12)),
    st.tuples(st.just("many"), place),
    st.tuples(st.sampled_from(["editing.archive", "editing.restore", "editing.resolve"]), place),
    st.tuples(st.sampled_from(["editing.reopen", "editing.delete", "undoing.undo", "promoter.promote"]), place),
    st.tuples(st.just("update"), place),
    st.tuples(st.just("clock"), st.sampled_from([1, 8, 50, 100, 200, 400, -30])),
    st.tuples(st.just("maintain"), st.none()),
)
quick = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def missing(record: MemoryRecord) -> tuple[int, int]:
    return len(record.references), len(record.references)


def maintain(rig: BookRig, **changes: Any) -> MaintenanceReport:
    order = RunOptions(steps=STEPS, missing=missing, asked=True, **changes)
    report: MaintenanceReport = rig.book.upkeep.maintain(order, rig.clock())
    return report


def play(rig: BookRig, history: list[tuple[str, Any]]) -> None:
    """Play a history; skip what cannot be done at that moment."""
    ids: list[str] = []
    for number, (what, given_) in enumerate(history):
        rig.clock.forward(ms=1)
        try:
            if what == "record":
                recorded = rig.record(**given_)
                if recorded.status == "created":
                    ids.append(recorded.record.id)
            elif what == "inject":
                rig.book.injector.inject(InjectRequest(session_id=f"session {given_}"))
            elif what == "clock":
                rig.clock.forward(days=given_)
            elif what == "maintain":
                maintain(rig)
            elif ids and what == "many":
                home = rig.user if rig.user.get(ids[given_ % len(ids)]) else rig.workspace
                for at in range(6):
                    home.record_access([ids[given_ % len(ids)]], rig.clock() + at)
            elif ids and what == "update":
                rig.book.editing.update(ids[given_ % len(ids)], {"tags": (f"t{number}",)})
            elif ids:
                attrgetter(what)(rig.book)(ids[given_ % len(ids)])
        except SidecarError:
            continue


def everything(rig: BookRig) -> dict[str, MemoryRecord]:
    return {record.id: record for home in (rig.workspace, rig.user) for record in home.all()}


def dump(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


@quick
@given(history=st.lists(steps, max_size=25))
def test_a_run_does_what_its_dry_run_promised(
    new_rig: Callable[[], BookRig], history: list[tuple[str, object]]
) -> None:
    rig = new_rig()
    play(rig, history)
    before = everything(rig)
    disk = dump(rig.folder)
    promised = maintain(rig, dry_run=True)
    assert dump(rig.folder) == disk, "a dry run writes nothing"

    done = maintain(rig)
    assert (promised.counts, promised.actions, promised.left) == (done.counts, done.actions, done.left)
    after = everything(rig)
    assert before.keys() == after.keys(), "maintenance deletes nothing"
    for id, old in before.items():
        new = after[id]
        if old.status != "archived" and new.status == "archived":
            version = rig.book.searcher.history(id)[0]
            assert (version.change, version.memory) == ("archived", new)
            assert new.archived_for in ("faded", "old", "merged")
            assert new.archived_for != "merged" or new.merged_into in after
        if never_fades(old) and old.status in ("active", "suspect"):
            assert new.relevance == 1.0
            assert new.archived_for in (None, "merged", "old")
            assert new.archived_for != "old" or old.status == "resolved"
        if old.type == "user":
            assert new.scope == old.scope
        if new.version == old.version:
            assert new.updated_at == old.updated_at

    seqs = (rig.workspace.seq(), rig.user.seq())
    again = maintain(rig)
    assert again.actions == ()
    assert (rig.workspace.seq(), rig.user.seq()) == seqs, "the second run changes nothing"
    shutil.rmtree(rig.folder)
    rig.close()


@settings(parent=quick, max_examples=6)
@given(
    records=st.lists(recording, min_size=1, max_size=6),
    shown=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 100)), max_size=30),
    order=st.randoms(use_true_random=False),
)
def test_the_order_of_sessions_is_nothing(
    new_rig: Callable[[], BookRig], records: list[dict[str, Any]], shown: list[tuple[int, int]], order: Any
) -> None:
    outcomes = []
    shuffled = list(shown)
    order.shuffle(shuffled)
    for sessions in (shown, shuffled):
        rig = new_rig()
        ids = list(dict.fromkeys(rig.record(**{**given_, "scope": "personal"}).record.id for given_ in records))
        for which, day in sessions:
            rig.workspace.record_access([ids[which % len(ids)]], rig.clock() + day * DAY)
        rig.clock.forward(days=150)
        maintain(rig)
        outcomes.append((everything(rig), rig.workspace.all_uses()))
        shutil.rmtree(rig.folder)
        rig.close()
    assert outcomes[0] == outcomes[1]
