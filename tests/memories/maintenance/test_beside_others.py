"""Maintenance beside other processes that record and show memories: nothing of theirs is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import RunOptions
from tests.memories.conftest import BookRig

DAY = 86_400_000
ROOT = Path(__file__).parents[3]

RECORDER = """
import sys
from itertools import count
from pathlib import Path
from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, InjectRequest
from sidecar.store.memory_store import MemoryStore

folder, who, now = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
numbers = count(1)
book = MemoryBook(
    MemoryStore.open(folder / "workspace"), MemoryStore.open(folder / "user"), lambda: now,
    lambda at: f"{at:012x}-{who}-{next(numbers):05d}",
)
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    book.recorder.record(Draft(content=f"Shared text {number % 10}", name=f"{who} {number}", scope="personal"))
    book.recorder.record(Draft(content=f"{who} says {number}", name="everybody's"))
    book.recorder.record(Draft(content=f"Only {who} knows {number}", name=f"own {who} {number}"))
    if number % 5 == 0:
        book.injector.inject(InjectRequest(session_id=f"{who} {number}", budget_tokens=300))
print("done", flush=True)
"""

MAINTAINER = """
import sys
from pathlib import Path
from sidecar.memories.book import MemoryBook
from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import RunOptions
from sidecar.store.memory_store import MemoryStore

folder, now = Path(sys.argv[1]), int(sys.argv[2])
book = MemoryBook(MemoryStore.open(folder / "workspace"), MemoryStore.open(folder / "user"), lambda: now, str)
print("ready", flush=True)
sys.stdin.readline()
while True:
    report = book.upkeep.maintain(RunOptions(steps=STEPS), now)
    print("ran", len(report.actions), len(report.busy), flush=True)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_nothing_recorded_meanwhile_is_lost(rig: BookRig) -> None:
    now = rig.clock()
    recorders = [start(RECORDER, rig.folder, who, now) for who in ("ada", "bob")]
    maintainers = [start(MAINTAINER, rig.folder, now + 8 * DAY) for _ in range(2)]
    processes = [*recorders, *maintainers]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in recorders:
            assert process.stdout is not None
            assert process.stdout.readline() == "done\n"
        for process in maintainers:  # each has run at least once, if only now
            assert process.stdout is not None
            assert process.stdout.readline().startswith("ran ")
    finally:
        for process in processes:
            process.kill()
            process.communicate()

    rig.book.upkeep.maintain(RunOptions(steps=STEPS), now + 8 * DAY)
    records = rig.workspace.all()
    assert len({record.id for record in records}) == len(records)
    own = {record.name for record in records if record.name.startswith("own ")}
    assert own == {f"own {who} {number}" for who in ("ada", "bob") for number in range(25)}
    (shared,) = (record for record in records if record.name == "everybody's")
    assert set(shared.content.splitlines()) == {f"{w} says {n}" for w in ("ada", "bob") for n in range(25)}
    visible = [record for record in records if record.content.startswith("Shared") and record.status == "active"]
    assert len({(record.scope, record.content) for record in visible}) == len(visible), "no duplicate is left"
    assert {record.content for record in visible} == {f"Shared text {n}" for n in range(10)}
    for record in records:
        (latest, *_) = rig.book.searcher.history(record.id)
        assert latest.memory is not None
        assert latest.memory.version == record.version
