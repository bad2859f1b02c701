"""A reminder of a shared workspace is seen on every machine, delivered on one of them, and done with on all."""

from __future__ import annotations

import threading
import time
from functools import partial

import msgspec
import pytest

from protocol.reminders import Reminder
from sidecar.coordination import reminders
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.reminders import ReminderRecord
from sidecar.team import postgresql
from sidecar.team.shared_database import SharedDatabase
from sidecar.team.team_reminders import TeamReminders
from tests.team.conftest import KEY, NEW_ID, Database, Machine, Machines, Proxy
from tests.team.desks import Desk, Desks, is_shared
from tests.waiting import eventually

HOUR = 3_600_000


def remind(
    machine: Machine, text: str, *, due_in: int = HOUR, every: str | None = None, memory: str | None = None
) -> str:
    """Set a reminder due in `due_in` milliseconds by this machine's clock; a negative value is in the past."""
    now = machine.now()
    record = ReminderRecord(
        id=NEW_ID(now),
        text=text,
        at=now + due_in,
        first="2026-01-01T09:00:00",
        zone="UTC",
        created_at=now,
        updated_at=now,
        every=every,
        memory_id=memory,
    )
    with machine.store.reminders.changing() as kept:
        kept.put(record)
    return record.id


def waiting(machine: Machine) -> list[str]:
    return [record.text for record in reminders.list_reminders(machine.store)]


def get(machine: Machine, id: str) -> ReminderRecord:
    return next(record for record in machine.store.reminders.all() if record.id == id)


def delivered(machine: Machine, *, ask: bool = True) -> list[str]:
    """Return what a session that starts on this machine is reminded of."""
    kept = SharedDatabase(machine.url)
    try:
        desk = TeamReminders(kept, machine.store, machine.believed)
        return [record.text for record in desk.due(KEY, machine.now(), ask=ask)]
    finally:
        kept.close()


def both(*machines: Machine) -> None:
    for machine in (*machines, *machines):
        machine.sync()


def test_a_reminder_waits_and_is_cleared_on_both_machines(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    seq = laptop.store.seq()
    id = remind(laptop, "Rotate the certificate.", every="daily", memory=laptop.record("The certificate is Ann's."))
    assert laptop.scope_sync.count_pending() == 2
    both(laptop, desktop)
    ours, theirs = get(laptop, id), get(desktop, id)
    assert ours == theirs
    assert (ours.every, ours.memory_id in desktop.says(), ours.author) == ("daily", True, None)
    assert laptop.scope_sync.count_pending() == 0
    moved = reminders.advance(desktop.store, id, desktop.now())
    both(desktop, laptop)
    assert get(laptop, id).at == moved.at > ours.at
    reminders.clear(laptop.store, id, laptop.now())
    both(laptop, desktop)
    assert (waiting(laptop), waiting(desktop)) == ([], [])
    assert get(desktop, id).cleared_at == get(laptop, id).cleared_at
    actions = database.sql("SELECT action FROM memory_sidecar.audit WHERE subject = %s ORDER BY at", id)
    assert [action for (action,) in actions] == ["reminder set", "reminder moved", "reminder cleared"]
    assert laptop.store.seq() == seq + 1, "only the memory is a change of the memories"
    fresh = machines()
    fresh.sync()
    assert fresh.store.reminders.all() == [], "what is done with is not brought to a machine that never had it"


def test_reminder_is_delivered_by_one_of_two_machines_until_it_is_done(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = remind(laptop, "Call the bank.", due_in=-1, every="daily")
    both(laptop, desktop)
    assert delivered(desktop) == ["Call the bank."]
    assert delivered(laptop) == []
    assert delivered(desktop) == ["Call the bank."], "a later session on the same machine is reminded as well"
    assert not get(desktop, id).delivered_offline
    assert get(laptop, id).delivered_to is not None
    reminders.advance(laptop.store, id, laptop.now())
    both(laptop, desktop)
    assert (delivered(desktop), delivered(laptop)) == ([], [])


def test_a_reminder_is_delivered_by_one_of_many_machines(machines: Machines) -> None:
    desks = [machines() for _ in range(4)]
    remind(desks[0], "Once.", due_in=-1)
    both(*desks)
    deliveries: list[list[str]] = []
    threads = [threading.Thread(target=lambda desk=desk: deliveries.append(delivered(desk))) for desk in desks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(deliveries) == [[], [], [], ["Once."]]


@pytest.mark.parametrize("ahead_ms", [-600_000, 600_000])
def test_the_database_s_clock_decides_when_a_reminder_is_due(machines: Machines, ahead_ms: int) -> None:
    right, wrong = machines(), machines(ahead_ms=ahead_ms)
    remind(right, "Due now.", due_in=-1)
    remind(right, "Due in a minute.", due_in=60_000)
    both(right, wrong)
    assert delivered(wrong) == ["Due now."]
    assert delivered(right) == []


def test_a_due_reminder_without_the_database_is_delivered_here_and_marked(
    database: Database, machines: Machines, proxy: Proxy
) -> None:
    laptop, desktop = machines(database.url(port=proxy.port)), machines()
    id = remind(laptop, "Water the plants.", due_in=-1)
    remind(laptop, "Not yet.", due_in=60_000)
    both(laptop, desktop)
    proxy.cut()
    assert delivered(laptop) == ["Water the plants."]
    assert get(laptop, id).delivered_offline
    proxy.heal()
    both(laptop, desktop)
    assert delivered(desktop) == []
    assert get(desktop, id).delivered_offline
    assert database.sql("SELECT delivered_offline FROM memory_sidecar.reminders WHERE id = %s", id) == [(True,)]


def test_an_answer_that_does_not_come_keeps_no_session_waiting(
    database: Database, machines: Machines, proxy: Proxy
) -> None:
    laptop = machines(database.url(port=proxy.port))
    id = remind(laptop, "Stalled.", due_in=-1)
    laptop.sync()
    proxy.stalled = True
    assert delivered(laptop) == ["Stalled."]
    assert get(laptop, id).delivered_offline
    proxy.heal()


def test_a_reminder_delivered_on_both_machines_belongs_to_the_first_to_return(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = remind(laptop, "Twice, which cannot be known.", due_in=-1)
    both(laptop, desktop)
    assert delivered(laptop, ask=False) == delivered(desktop, ask=False) == ["Twice, which cannot be known."]
    both(desktop, laptop)
    assert (get(desktop, id).delivered_to, get(laptop, id).delivered_to is None) == (None, False)
    assert laptop.scope_sync.count_pending() == desktop.scope_sync.count_pending() == 0


def test_a_reminder_moved_on_two_machines_gets_the_later_time_and_clearing_wins(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id, other = remind(laptop, "A.", every="daily"), remind(laptop, "B.", every="daily")
    both(laptop, desktop)
    reminders.advance(laptop.store, id, laptop.now())
    later = reminders.advance(desktop.store, id, desktop.now() + 48 * HOUR)
    reminders.advance(laptop.store, other, laptop.now())
    reminders.clear(desktop.store, other, desktop.now())
    both(laptop, desktop)
    for machine in (laptop, desktop):
        assert get(machine, id).at == later.at
        assert waiting(machine) == ["A."]


def test_a_reminder_cleared_and_dropped_before_it_was_sent_is_cleared_elsewhere(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "MAX_CLEARED", 0)
    laptop, desktop = machines(), machines()
    id = remind(laptop, "Done.")
    both(laptop, desktop)
    with laptop.store.reminders.changing() as kept:
        kept.drop([id])
    both(laptop, desktop)
    assert (laptop.store.reminders.all(), waiting(desktop)) == ([], [])


def test_reminder_of_an_unshared_memory_stays_here(database: Database, machines: Machines) -> None:
    laptop = machines()
    remind(laptop, "Of a personal memory.", memory=laptop.record("Mine.", scope="personal"))
    remind(laptop, "Of a memory that is gone.", memory="nowhere")
    remind(laptop, "Beyond any calendar.", due_in=2**52)
    laptop.sync()
    assert database.sql("SELECT count(*) FROM memory_sidecar.reminders") == [(0,)]
    assert laptop.scope_sync.count_pending() == 0


def test_a_colleague_s_reminder_is_seen_with_its_author_and_delivered_only_to_who_believes_them(
    database: Database, machines: Machines
) -> None:
    ann = machines(database.role("ann", "memory_sidecar_member"))
    bob = machines(database.role("bob", "memory_sidecar_member"))
    believer = machines(database.url("bob"), believed=("ann",))
    database.member("ann", "write")
    database.member("bob", "write")
    id = remind(ann, "Run everything.", due_in=-1)
    both(ann, bob, believer)
    assert get(bob, id).author == "ann"
    assert delivered(bob) == []
    assert delivered(bob, ask=False) == []
    assert delivered(believer) == ["Run everything."]
    assert delivered(ann) == []


def test_a_role_that_may_only_read_sees_reminders_and_sends_none(database: Database, machines: Machines) -> None:
    owner, reader = machines(), machines(database.role("reader", "memory_sidecar_member"))
    database.member("reader", "read")
    remind(owner, "The owner's.")
    mine = remind(reader, "The reader's own.", due_in=-1)
    both(owner, reader)
    assert (waiting(owner), len(waiting(reader))) == (["The owner's."], 2)
    assert delivered(reader) == ["The reader's own."]
    assert get(reader, mine).delivered_offline


def test_a_member_can_write_neither_in_another_s_name_nor_elsewhere(database: Database, machines: Machines) -> None:
    ann = machines(database.role("ann", "memory_sidecar_member"))
    database.member("ann", "write")
    database.sql("SELECT memory_sidecar.join_workspace('elsewhere', '', '')")
    place, other = (
        int(str(database.sql("SELECT id FROM memory_sidecar.workspaces WHERE key = %s", key)[0][0]))
        for key in (KEY, "elsewhere")
    )
    item = {"id": "x", "text": "Forged.", "at": "2030-01-01", "details": {}, "author": "memory", "workspace_id": other}
    with postgresql.connect(ann.url).connection as connection:
        for _ in range(2):
            connection.execute(
                "SELECT memory_sidecar.push_reminders(%s, 'm', %s::jsonb)",
                (place, msgspec.json.encode([item]).decode()),
            )
    assert database.sql("SELECT workspace_id, author FROM memory_sidecar.reminders") == [(place, "ann")]
    ann.sync()
    assert waiting(ann) == [], "what no program of ours sends is left alone"


def test_a_purge_by_person_takes_their_reminders_from_every_machine(database: Database, machines: Machines) -> None:
    ann, owner = machines(database.role("ann", "memory_sidecar_member")), machines()
    database.member("ann", "write")
    remind(ann, "Ann's own affair.")
    remind(owner, "The owner's.")
    both(ann, owner)
    database.sql("SELECT memory_sidecar.purge(id, who => 'ann') FROM memory_sidecar.workspaces WHERE key = %s", KEY)
    both(ann, owner)
    assert waiting(ann) == waiting(owner) == ["The owner's."]
    assert database.sql("SELECT text FROM memory_sidecar.reminders ORDER BY text") == [("",), ("The owner's.",)]


def test_a_secret_that_another_program_sent_is_not_kept(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    id = remind(laptop, f"Rotate {key}.")
    both(laptop, desktop)
    assert key not in get(desktop, id).text


def test_after_a_restored_backup_what_the_database_lost_is_sent_again(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id, gone = remind(laptop, "Before."), remind(laptop, "Cleared since the backup.")
    laptop.record("A memory that tells where the database was.")
    both(laptop, desktop)
    database.sql("CREATE TABLE backup AS SELECT * FROM memory_sidecar.reminders")
    reminders.clear(laptop.store, gone, laptop.now())
    late = remind(laptop, "After.")
    both(laptop, desktop)
    database.sql("DELETE FROM memory_sidecar.reminders")
    database.sql("INSERT INTO memory_sidecar.reminders SELECT * FROM backup")
    database.sql("UPDATE memory_sidecar.identity SET id = 'restored'")
    both(laptop, desktop)
    for machine in (laptop, desktop):
        assert {record.id for record in reminders.list_reminders(machine.store)} == {id, late}
    rows = database.sql("SELECT id FROM memory_sidecar.reminders WHERE cleared_at IS NULL ORDER BY id")
    assert rows == sorted([(id,), (late,)])


def test_many_machines_with_faults_end_with_the_same_reminders(
    database: Database, machines: Machines, proxy: Proxy
) -> None:
    desks = [machines(database.url(port=proxy.port)), machines()]
    ids: list[str] = []
    for turn in range(30):
        desk = desks[turn % 2]
        ids.append(remind(desk, f"Number {turn}.", every="daily"))
        if turn % 5 == 4:
            reminders.clear(desk.store, ids[turn - 2], desk.now())
        if turn % 3 == 2:
            proxy.cut_after = 40 * turn
        try:
            desk.sync()
        except StoreUnavailable:
            proxy.heal()
    proxy.heal()
    both(*desks)
    left, right = ({record.id: record.at for record in reminders.list_reminders(desk.store)} for desk in desks)
    assert left == right
    assert len(left) == 24
    assert database.sql("SELECT count(*) FROM memory_sidecar.reminders WHERE cleared_at IS NULL") == [(24,)]


def listed(desk: Desk, **params: bool) -> list[Reminder]:
    return list(desk.call("reminder/list", **params).items)


def test_servers_share_reminders_and_a_session_s_start_delivers_them(desks: Desks) -> None:
    laptop, desktop = desks(), desks()
    laptop.team.join(None, dry_run=False)
    for desk in (laptop, desktop):
        eventually(partial(is_shared, desk))
    made = laptop.call("reminder/set", text="Renew the domain.", at="+2h").reminder
    eventually(lambda: [each.id for each in listed(desktop)] == [made.id])
    store = laptop.engine.lifecycle.add_workspace(laptop.folder).open().memory_store
    with store.reminders.changing() as kept:
        kept.put(msgspec.structs.replace(store.reminders.all()[0], id="due", at=time.time_ns() // 1_000_000 - 1_000))
    laptop.record("So that it is sent.")
    eventually(lambda: len(listed(desktop)) == 2)
    assert [reminder.id for reminder in desktop.call("context/boot").reminders] == ["due"]
    assert laptop.call("context/boot", include=["identity"]).reminders == []
    assert laptop.call("context/boot").reminders == []
    assert listed(laptop, due=True) == []
    (shown,) = [each for each in listed(laptop) if each.id == "due"]
    assert (shown.due, bool(shown.delivered_to), shown.delivered_offline) == (True, True, None)
    assert [each.id for each in listed(desktop, due=True)] == ["due"]
    laptop.call("reminder/clear", id="due")
    eventually(lambda: [each.id for each in listed(desktop)] == [made.id])


def test_joining_another_workspace_sends_the_reminders_there(database: Database, desks: Desks) -> None:
    laptop = desks()
    laptop.call("reminder/set", text="Everywhere.", at="+2h")
    laptop.team.join("one", dry_run=False)
    assert [scope.pushed for scope in laptop.team.push(dry_run=True)] == [0]
    laptop.team.join("two", dry_run=False)
    rows = database.sql(
        "SELECT w.key, r.text FROM memory_sidecar.reminders r JOIN memory_sidecar.workspaces w ON w.id = workspace_id"
    )
    assert sorted(rows) == [("name:one", "Everywhere."), ("name:two", "Everywhere.")]
