"""Reminders over a real store: set, advanced, cleared, by several processes, and killed in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from sidecar.coordination import reminders
from sidecar.coordination.reminders import NewReminder
from sidecar.runtime.errors import InvalidField
from sidecar.store.memory_store import MemoryStore
from sidecar.store.reminders import ReminderRecord

ROOT = Path(__file__).resolve().parents[2]
ZONE = "Europe/Berlin"
HOUR = 3_600_000


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(ZONE)).timestamp()) * 1_000


def shown(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1_000, ZoneInfo(ZONE)).isoformat(" ", "minutes")[:16]


NOW = at("2026-11-20 10:00")  # a Friday


def put(home: MemoryStore, id: str, at: str, every: Any = None, now: int = NOW, text: str = "x") -> ReminderRecord:
    return reminders.put(home, NewReminder(text=text, at=at, zone=ZONE, every=every), id, now)[0]


def test_due_ones_come_first_and_at_their_time(home: MemoryStore) -> None:
    put(home, "late", "tomorrow 9am")
    put(home, "soon", "+2h")
    assert [each.id for each in reminders.list_reminders(home)] == ["soon", "late"]
    assert reminders.list_reminders(home, due_at=NOW + 2 * HOUR - 1) == []
    assert [each.id for each in reminders.list_reminders(home, due_at=NOW + 2 * HOUR)] == ["soon"]


def test_once_is_cleared_by_advancing(home: MemoryStore) -> None:
    put(home, "a", "+2h")
    assert reminders.advance(home, "a", NOW).cleared_at == NOW
    assert reminders.list_reminders(home) == []
    assert [each.id for each in reminders.list_reminders(home, cleared=True)] == ["a"]
    with pytest.raises(InvalidField) as caught:
        reminders.advance(home, "a", NOW)
    assert caught.value.data.reason == "cleared"
    assert reminders.clear(home, "a", NOW + 5).cleared_at == NOW  # again changes nothing


def test_advancing_passes_over_what_was_missed(home: MemoryStore) -> None:
    put(home, "a", "17:00", "weekdays")
    assert (
        shown(reminders.advance(home, "a", NOW).at) == "2026-11-23 17:00"
    )  # before it was due: that occurrence is skipped
    assert shown(reminders.advance(home, "a", at("2026-12-02 12:00")).at) == "2026-12-02 17:00"
    assert shown(reminders.advance(home, "a", at("2026-12-02 18:00")).at) == "2026-12-03 17:00"
    # the clock went back: still forward
    assert shown(reminders.advance(home, "a", at("2026-11-20 10:00")).at) == "2026-12-04 17:00"


def test_month_ends_are_counted_from_the_first(home: MemoryStore) -> None:
    put(home, "a", "2027-01-31 09:00", "monthly")
    days = [shown(reminders.advance(home, "a", NOW).at)[:10] for _ in range(3)]
    assert days == ["2027-02-28", "2027-03-31", "2027-04-30"]


def test_a_reminder_in_the_past_recurs_or_is_refused(home: MemoryStore) -> None:
    with pytest.raises(InvalidField) as caught:
        put(home, "a", "2026-11-20 09:59")
    assert caught.value.data.reason == "past"
    assert shown(put(home, "b", "2026-11-02 09:00", "weekly").at) == "2026-11-23 09:00"
    assert shown(put(home, "c", "2026-11-21 09:00", "weekdays").at) == "2026-11-23 09:00"  # a Saturday


def test_the_same_wish_waits_once(home: MemoryStore) -> None:
    first, created = reminders.put(home, NewReminder("call", "tomorrow 9am", ZONE), "a", NOW)
    assert created
    again, created = reminders.put(home, NewReminder(" call ", "2026-11-21T09:00", ZONE), "b", NOW + 1)
    assert (again, created) == (first, False)
    assert reminders.put(home, NewReminder("call", "tomorrow 10am", ZONE), "c", NOW)[1]
    reminders.clear(home, "a", NOW)
    assert reminders.put(home, NewReminder("call", "tomorrow 9am", ZONE), "d", NOW)[1]


def test_a_bad_wish_is_refused_by_its_field(home: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for wish, path in [
        (NewReminder(" ", "+2h", ZONE), "$.text"),
        (NewReminder("x" * 1_001, "+2h", ZONE), "$.text"),
        (NewReminder("x", "someday", ZONE), "$.at"),
        (NewReminder("x", "+2h", "Mars/X"), "$.timezone"),
    ]:
        with pytest.raises(InvalidField) as caught:
            reminders.put(home, wish, "a", NOW)
        assert caught.value.data.path == path
    for act in (reminders.clear, reminders.advance):
        with pytest.raises(InvalidField, match="No reminder") as caught:
            act(home, "none", NOW)
        assert caught.value.data.path == "$.id"
    monkeypatch.setattr(reminders, "MAX_OPEN_REMINDERS", 1)
    put(home, "a", "+2h")
    with pytest.raises(InvalidField, match="are open already"):
        put(home, "b", "+3h")


def test_secrets_are_redacted_and_old_cleared_ones_go(home: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert key not in put(home, "a", "+2h", text=f"rotate {key}").text
    monkeypatch.setattr(reminders, "MAX_CLEARED", 2)
    for number in range(4):
        put(home, f"n{number}", f"+{number + 3}h")
        reminders.clear(home, f"n{number}", NOW + number)
    assert {each.id for each in reminders.list_reminders(home, cleared=True)} == {"a", "n2", "n3"}


@pytest.mark.parametrize(
    ("field", "value"),
    [("first", "soon"), ("every", "now"), ("id", ""), ("id", "x" * 65), ("zone", "z" * 101), ("author", "a" * 101)]
    + [(field, value) for field in ("at", "created_at", "updated_at", "cleared_at") for value in (-1, 2**53)],
)
def test_the_bad_field_of_an_exported_reminder_is_named(home: MemoryStore, field: str, value: object) -> None:
    record = put(home, "a", "+2h")
    assert reminders.check_record(record) == record
    with pytest.raises(InvalidField) as caught:
        reminders.check_record(msgspec.structs.replace(record, **{field: value}))
    assert f"`{field}`" in caught.value.message


def test_reminders_are_no_change_of_the_memories(home: MemoryStore) -> None:
    before = home.seq()
    put(home, "a", "+2h")
    assert (home.seq(), home.all()) == (before, [])


WORKER = """
import sys
from pathlib import Path
from sidecar.coordination import reminders
from sidecar.coordination.reminders import NewReminder
from sidecar.store.memory_store import MemoryStore
home, me, now = MemoryStore.open(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(20):
    reminders.put(home, NewReminder("shared", f"+{number + 1}h", "UTC"), f"{me}-{number}", now)
    reminders.advance(home, "daily", now)
    print(number, flush=True)
if me == "0":
    sys.stdin.readline()
home.close()
"""


def test_several_processes_and_a_killed_one_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    home = MemoryStore.open(folder)
    reminders.put(home, NewReminder("daily", "tomorrow 9am", "UTC", "daily"), "daily", NOW)
    first = home.reminders.all()[0].at
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder), str(n), str(NOW)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(3)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert [worker.stdout.readline() for _ in range(20)][-1] == "19\n"
    os.kill(workers[0].pid, signal.SIGKILL)  # everything acknowledged was kept
    for worker in workers:
        worker.communicate(timeout=200)
    kept = {each.id: each for each in home.reminders.all()}
    home.close()
    assert len([each for each in kept.values() if each.text == "shared"]) == 20  # none of them twice
    assert kept["daily"].at == first + 60 * 24 * HOUR


def test_of_those_brought_back_no_more_cleared_ones_are_kept_than_of_others(
    home: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "MAX_CLEARED", 3)
    monkeypatch.setattr(reminders, "MAX_OPEN_REMINDERS", 1)
    waiting = put(home, "waits", "+1h")
    with home.transaction() as transaction:
        kept = transaction.reminders()
        for number in range(5):
            past = msgspec.structs.replace(waiting, id=f"p{number}", cleared_at=NOW + number)
            assert reminders.restore(kept, past)
        with pytest.raises(InvalidField):
            reminders.restore(kept, msgspec.structs.replace(past, cleared_at=None, updated_at=NOW + 9))
        assert [each.id for each in kept.all()] == ["p2", "p3", "p4", "waits"]


def test_reminder_that_recurs_in_an_unknown_zone_is_not_lost_by_advancing(home: MemoryStore) -> None:
    record = put(home, "r", "tomorrow 9am", "daily")
    with home.reminders.changing() as kept:
        kept.put(msgspec.structs.replace(record, zone="Nowhere/Land"))
    with pytest.raises(InvalidField, match="time zone"):
        reminders.advance(home, "r", NOW)
    assert [each.cleared_at for each in reminders.list_reminders(home)] == [None]
