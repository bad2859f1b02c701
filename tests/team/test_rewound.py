"""A database that was restored from a backup, and members' rights and a schema that change at work."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sidecar.runtime.errors import StoreTooNew, StoreUnavailable
from sidecar.team import schema
from tests.team.conftest import Database, Machine, Machines, Proxy
from tests.team.desks import Desks, claim, is_shared
from tests.waiting import eventually


class Backup:
    """A dump of the schema, as README.md says to make one."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._file = f"{database.server.folder}/{database.name}.sql"
        self._run("pg_dump", "-n", "memory_sidecar", "-f", self._file)

    def restore(self) -> None:
        self._database.sql("DROP SCHEMA memory_sidecar CASCADE")
        self._run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", self._file)

    def _run(self, program: str, *arguments: str) -> None:
        server = self._database.server
        place = (
            "-h",
            str(server.folder),
            "-p",
            str(self._database.port),
            "-U",
            server.owner,
            "-d",
            self._database.name,
        )
        done = server._run(program, *place, *arguments)
        assert done.returncode == 0, done.stderr


def everybody_says(database: Database, machines: list[Machine], expected: dict[str, str]) -> None:
    for machine in (*machines, *machines):
        machine.sync()
    assert database.memories() == expected
    assert all(machine.says() == expected for machine in machines)


def test_yesterday_s_backup_gets_today_s_changes_from_whoever_has_them(
    database: Database, machines: Machines, tmp_path: Path
) -> None:
    laptop, desktop = machines(), machines()
    kept, edited, deleted = (laptop.record(text) for text in ("Kept.", "Edited later.", "Deleted later."))
    laptop.sync()
    desktop.sync()
    backup = Backup(database, tmp_path)
    laptop.edit(edited, content="Edited today.")
    laptop.delete(deleted)
    made = laptop.record("Recorded today.")
    laptop.sync()
    desktop.sync()
    backup.restore()
    everybody_says(database, [laptop, desktop], {kept: "Kept.", edited: "Edited today.", made: "Recorded today."})


@pytest.mark.parametrize("pulled", [True, False])
def test_a_backup_whose_numbers_were_given_again_before_the_one_with_the_changes_came_back(
    database: Database, machines: Machines, tmp_path: Path, pulled: bool
) -> None:
    """Another machine's new changes take the numbers of those that were lost, so the number alone tells nothing."""
    laptop, desktop = machines(), machines()
    edited = laptop.record("Edited later.")
    laptop.sync()
    desktop.sync()
    backup = Backup(database, tmp_path)
    laptop.edit(edited, content="Edited today.")
    lost = {laptop.record(f"Lost {number}."): f"Lost {number}." for number in range(4)}
    laptop.sync()
    if pulled:
        laptop.sync()
    backup.restore()
    new = {desktop.record(f"New {number}."): f"New {number}." for number in range(9)}
    desktop.sync()
    everybody_says(database, [laptop, desktop], {edited: "Edited today.", **lost, **new})


def test_an_edit_whose_version_was_given_again_after_a_backup_is_merged(
    database: Database, machines: Machines, tmp_path: Path
) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("One.")
    laptop.sync()
    desktop.sync()
    backup = Backup(database, tmp_path)
    laptop.edit(id, content="One.\nOf the laptop.")
    laptop.sync()
    laptop.sync()
    backup.restore()
    desktop.edit(id, content="One.\nOf the desktop.")
    desktop.sync()
    for machine in (laptop, desktop, laptop):
        machine.sync()
    assert laptop.says() == desktop.says() == database.memories()
    assert set(laptop.says()[id].split("\n")) == {"One.", "Of the laptop.", "Of the desktop."}


def test_a_purge_is_no_reason_to_compare_everything(
    database: Database, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desktop = machines(), machines()
    laptop.record("Kept.")
    laptop.sync()
    bob = laptop.record("Purged.")
    laptop.sync()
    desktop.sync()
    database.sql("SELECT memory_sidecar.purge(id, who => 'memory') FROM memory_sidecar.workspaces")
    called: list[Any] = []

    def unseen(known: Any, seen: Any) -> list[str]:
        called.append(known)
        return []

    monkeypatch.setattr("sidecar.team.incoming.missing_ids", unseen)
    for machine in (laptop, desktop, laptop):
        machine.sync()
        assert bob not in machine.says()
    assert not called


def test_reader_keeps_its_changes_and_sends_them_once_allowed(database: Database, machines: Machines) -> None:
    owner = machines()
    edited, deleted = owner.record("One."), owner.record("Deleted by the reader.")
    owner.sync()
    reader = machines(database.role("reader", schema.MEMBER_ROLE))
    database.member("reader", "read")
    reader.sync()
    reader.edit(edited, content="One.\nOf the reader.")
    reader.delete(deleted)
    mine = reader.record("The reader's own.")
    done = reader.sync()
    assert (done.pushed, done.waiting) == (0, 3)
    assert "not allowed" in (done.detail or "")
    owner.edit(edited, content="One.\nOf the owner.")
    owner.sync()
    reader.sync()
    assert {"Of the reader.", "Of the owner."} <= set(reader.says()[edited].split("\n"))
    assert deleted not in reader.says()
    assert database.memories()[edited] == "One.\nOf the owner."
    database.member("reader", "write")
    reader.sync()
    owner.sync()
    assert owner.says() == reader.says() == database.memories()
    assert owner.says().keys() == {edited, mine}


def test_a_role_that_loses_the_right_to_write_at_work_and_gets_it_again(database: Database, desks: Desks) -> None:
    laptop = desks()
    laptop.team.join(None, dry_run=False)
    database.role("eve", schema.MEMBER_ROLE)
    laptop.team.set_role("eve", "write")
    eve = desks(database.url("eve"))
    eventually(partial(is_shared, eve))
    laptop.team.set_role("eve", None)
    eve.record("Recorded after she was removed.")
    eventually(lambda: eve.state().state in ("notJoined", "offline"))
    laptop.record("After she left.")
    eventually(lambda: laptop.state().waiting == 0)
    assert eve.texts() == ["Recorded after she was removed."]
    laptop.team.set_role("eve", "write")
    eventually(lambda: len(laptop.texts()) == 2 and len(eve.texts()) == 2, 120)


def test_a_database_brought_up_to_date_at_work_is_left_alone_by_an_older_program(
    database: Database, machines: Machines, desks: Desks
) -> None:
    """It is seen with the next synchronisation or claim, not with the next connection."""
    laptop = desks()
    laptop.team.join(None, dry_run=False)
    laptop.call("session/start", sessionId="s0")
    eventually(partial(is_shared, laptop))
    assert claim(laptop, "s0").claimed
    count = database.sql("SELECT count(*) FROM memory_sidecar.memory_versions")
    database.sql("INSERT INTO memory_sidecar.schema_version (version) VALUES (99)")
    laptop.record("Recorded all the same.")
    eventually(lambda: laptop.state().state == "refused")
    assert "Update memory-sidecar" in (laptop.state().detail or "")
    assert laptop.texts() == ["Recorded all the same."]
    with pytest.raises((StoreTooNew, StoreUnavailable)):
        claim(laptop, "s0", "another item")
    assert database.sql("SELECT count(*) FROM memory_sidecar.memory_versions") == count
    assert database.sql("SELECT count(*) FROM memory_sidecar.claims") == [(1,)]


def test_a_clock_that_is_hours_wrong_on_one_machine_decides_nothing(
    database: Database, machines: Machines, proxy: Proxy
) -> None:
    """Offline edits of both merge, the later sync does not win because its clock is ahead, and it settles."""
    slow, fast = machines(ahead_ms=-7_200_000), machines(database.url(port=proxy.port), ahead_ms=7_200_000)
    id, gone = slow.record("Base."), slow.record("Deleted by the slow one.")
    slow.sync()
    fast.sync()
    proxy.cut()
    fast.edit(id, content="Base.\nFast.", tags=("fast",))
    slow.edit(id, content="Base.\nSlow.", tags=("slow",))
    slow.delete(gone)
    slow.sync()
    proxy.heal()
    for machine in (fast, slow, fast):
        machine.sync()
    assert slow.says() == fast.says() == database.memories()
    assert set(slow.says()[id].split("\n")) == {"Base.", "Slow.", "Fast."}
    assert slow.get(id).tags == fast.get(id).tags == ("slow",), "the first to arrive"
    assert gone not in fast.says()
    for machine in (slow, fast):
        done = machine.sync()
        assert (done.pulled, done.pushed, done.merged) == (0, 0, 0)
    stored = database.sql(
        "SELECT bool_and(stored_at BETWEEN now() - interval '10 minutes' AND now()) FROM memory_sidecar.memories"
    )
    assert stored == [(True,)]
