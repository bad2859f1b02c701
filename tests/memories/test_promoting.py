"""Promotion by hand: wider scopes, clashes of names, and a crash at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.store.records import ReferenceRecord
from tests.memories.conftest import BookRig

ROOT = Path(__file__).parents[2]


def test_personal_to_project_keeps_the_id_and_the_history(rig: BookRig) -> None:
    id = rig.record("The printer is on floor three", scope="personal").record.id
    done = rig.book.promoter.promote(id)
    assert (done.record.id, done.record.scope, done.record.promoted_from) == (id, "project", "personal")
    assert done.archived is None
    assert [version.change for version in rig.book.searcher.history(id)] == ["promoted", "created"]
    assert rig.book.undoing.undo(id).record.scope == "personal"


def test_to_global_leaves_a_trace_and_takes_the_counts(rig: BookRig) -> None:
    files = ("a.py",)
    references = (
        ReferenceRecord(kind="path", text="a.py", path="a.py", hash="1"),
        ReferenceRecord(kind="issue", text="#12"),
    )
    old = rig.record("The printer is on floor three", files=files, references=references).record
    rig.book.injector.inject(InjectRequest(session_id="s"))
    done = rig.book.promoter.promote(old.id, "global")
    new = done.record
    assert (new.scope, new.promoted_from, new.files, new.created_at) == ("global", "project", (), old.created_at)
    assert [reference.text for reference in new.references] == ["#12"]
    assert rig.book.searcher.get(new.id).accesses == 1
    archived = rig.book.searcher.get(old.id).record
    assert (archived.status, archived.archived_for, archived.merged_into) == ("archived", "promoted", new.id)
    found = rig.book.searcher.search("printer", Filters()).items
    assert [each.record.id for each in found] == [new.id]


def test_a_memory_of_the_name_is_merged_with_it(rig: BookRig) -> None:
    there = rig.record("On floor three.", name="printer").record
    mine = rig.record("It is out of paper.", name="printer", scope="personal").record
    done = rig.book.promoter.promote(mine.id)
    assert done.record.id == there.id
    assert done.record.content == "On floor three.\nIt is out of paper."
    assert done.archived is not None
    assert done.archived.merged_into == there.id
    wide = rig.record("It is a laser printer.", name="printer", scope="global").record
    again = rig.book.promoter.promote(there.id)
    assert again.record.id == wide.id
    assert again.record.content.startswith("It is a laser printer.\nOn floor three.")


def test_promoting_again_changes_nothing(rig: BookRig) -> None:
    id = rig.record("The printer is on floor three").record.id
    first = rig.book.promoter.promote(id, "global")
    seqs = rig.workspace.seq(), rig.user.seq()
    second = rig.book.promoter.promote(id, "global")
    third = rig.book.promoter.promote(first.record.id, "global")
    assert (second.record.id, second.changed, third.changed) == (first.record.id, False, False)
    assert (rig.workspace.seq(), rig.user.seq()) == seqs


def test_refused_promotion_says_why(rig: BookRig) -> None:
    wide = rig.record("wide", scope="global").record.id
    project = rig.record("project wide").record.id
    archived = rig.record("archived one").record.id
    rig.book.editing.archive(archived)
    for id, scope in ((wide, None), (wide, "project"), (project, "personal"), (project, "planet"), (archived, None)):
        with pytest.raises(InvalidField):
            rig.book.promoter.promote(id, scope)
    with pytest.raises(MemoryNotFound):
        rig.book.promoter.promote("0-0")


def test_an_update_meanwhile_comes_along(rig: BookRig, monkeypatch: pytest.MonkeyPatch) -> None:
    id = rig.record("The printer is on floor three", name="printer").record.id
    real = rig.workspace.transaction

    def updated_before() -> Any:
        monkeypatch.setattr(rig.workspace, "transaction", real)
        rig.book.editing.update(id, {"content": "The printer is on floor four"})
        return real()

    monkeypatch.setattr(rig.workspace, "transaction", updated_before)
    done = rig.book.promoter.promote(id, "global")
    assert "floor four" in rig.book.searcher.get(done.record.id).record.content
    assert rig.book.searcher.get(id).record.status == "archived"
    assert len([r for r in rig.user.all() if r.status == "active"]) == 1


CRASH = """
import os, sys
from pathlib import Path
from sidecar.memories.book import MemoryBook
from sidecar.store.memory_store import MemoryStore

folder, id, moment = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
workspace, user = MemoryStore.open(folder / "workspace"), MemoryStore.open(folder / "user")
left = moment

def dying(real):
    def then(*args):
        global left
        if left == 0:
            os.kill(os.getpid(), 9)
        left -= 1
        return real(*args)
    return then

user.transaction = dying(user.transaction)
workspace.transaction = dying(workspace.transaction)
workspace.hand_accesses = dying(workspace.hand_accesses)
MemoryBook(workspace, user, lambda: 1, lambda now: f"new-{moment}").promoter.promote(id, "global")
print("done")
"""


@pytest.mark.parametrize("moment", [0, 1, 2, 3])
def test_a_crash_at_any_moment_leaves_a_copy_and_a_rerun_finishes(rig: BookRig, moment: int) -> None:
    id = rig.record("The printer is on floor three", name="printer").record.id
    out = subprocess.run(
        [sys.executable, "-P", "-c", CRASH, str(rig.folder), id, str(moment)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert (out.returncode, out.stdout) == ((0, "done\n") if moment == 3 else (-9, "")), out.stderr

    def active() -> list[str]:
        return [r.scope for home in (rig.workspace, rig.user) for r in home.all() if r.status == "active"]

    assert active(), "at least one copy is left"
    rig.book.promoter.promote(id, "global")
    assert active() == ["global"]
