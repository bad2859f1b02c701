"""What breaks between a machine and the database loses nothing and does nothing twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql, schema
from tests.client.postgresql import LocalServer
from tests.team.conftest import KEY, Database, Machine, Machines, Proxy, free_port, set_up
from tests.team.desks import insistent, reason

TEXT = "Record number {} of {}."


def test_an_unreachable_server_keeps_nobody_from_recording(machines: Machines) -> None:
    laptop = machines(f"postgresql://memory@127.0.0.1:{free_port()}/nothing")
    id = laptop.record("Written while the server is away.")
    with pytest.raises(StoreUnavailable) as error:
        laptop.sync()
    assert reason(error) == "offline"
    assert (laptop.says()[id], laptop.scope_sync.count_pending()) == ("Written while the server is away.", 1)


def test_machines_agree_after_a_network_partition(database: Database, machines: Machines, proxy: Proxy) -> None:
    laptop, desktop = machines(database.url(port=proxy.port)), machines()
    shared = laptop.record("Known to both.")
    laptop.sync()
    desktop.sync()
    proxy.cut()
    mine = laptop.record("Recorded on this side.")
    laptop.edit(shared, content="Known to both.\nAnd more on this side.")
    theirs = desktop.record("Recorded on that side.")
    desktop.edit(shared, content="Known to both.\nAnd more on that side.")
    desktop.sync()
    with pytest.raises(StoreUnavailable):
        laptop.sync()
    proxy.heal()
    laptop.sync()
    desktop.sync()
    assert laptop.says() == desktop.says()
    assert laptop.says().keys() == {shared, mine, theirs}
    assert laptop.says()[shared].count(" side") == 2


@pytest.mark.parametrize("after", [1, 400, 900, 1_500, 2_500])
def test_an_answer_that_is_cut_off_at_any_byte_is_not_stored_twice(
    database: Database, machines: Machines, proxy: Proxy, after: int
) -> None:
    laptop = machines(database.url(port=proxy.port))
    ids = [laptop.record(TEXT.format(number, after)) for number in range(40)]
    proxy.cut_after = after
    with pytest.raises(StoreUnavailable):
        laptop.sync()
    proxy.heal()
    laptop.sync()
    assert database.memories().keys() == set(ids)
    assert database.sql("SELECT count(*), max(version) FROM memory_sidecar.memory_versions") == [(40, 1)]
    assert laptop.scope_sync.count_pending() == 0


def test_a_lost_answer_whose_memory_was_changed_since_is_recognised(
    database: Database, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our edit came, its acknowledgement did not, and another took our line out again: it does not come back."""
    laptop, desktop = machines(), machines()
    id = laptop.record("One.")
    laptop.sync()
    desktop.sync()
    laptop.edit(id, content="One.\nTwo.")
    with monkeypatch.context() as patched:
        patched.setattr("sidecar.team.scope_sync.ScopeSync._store_results", _lost)
        with pytest.raises(StoreUnavailable):
            laptop.sync()
    desktop.sync()
    desktop.edit(id, content="One.\nThree.")
    desktop.sync()
    laptop.sync()
    desktop.sync()
    assert laptop.says()[id] == desktop.says()[id] == "One.\nThree."


def _lost(*_: object) -> None:
    raise StoreUnavailable("The answer was lost.")


def test_a_half_closed_connection_is_an_error(database: Database, proxy: Proxy) -> None:
    url = database.url(port=proxy.port)
    with postgresql.connect(url).connection as connection:
        proxy.half_close()
        with pytest.raises(StoreUnavailable) as error, postgresql.translate_errors(url):
            connection.execute("SELECT 1")
    assert reason(error) == "offline"


@pytest.mark.timeout(60)
def test_a_connection_that_stalls_is_given_up(database: Database, proxy: Proxy) -> None:
    proxy.stalled = True
    with pytest.raises(StoreUnavailable) as error:
        postgresql.connect(database.url(port=proxy.port), seconds=2)
    assert reason(error) == "offline"


@pytest.fixture
def mortal() -> Iterator[LocalServer]:
    """A server that may be killed."""
    folder = Path(tempfile.mkdtemp(prefix="ms-pg-"))
    folder.chmod(0o755)
    made = LocalServer(folder, free_port())
    made.make()
    made.start()
    yield made
    made.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.usefixtures("database_server")
def test_a_server_killed_again_and_again_loses_nothing(mortal: LocalServer, tmp_path: Path) -> None:
    database = set_up(mortal)
    machines = [Machine(tmp_path / str(number), database.url()) for number in range(3)]
    stop = threading.Event()
    written: list[list[str]] = [[], [], []]

    def work(number: int) -> None:
        chance = random.Random(number)
        while not stop.is_set() or len(written[number]) < 60:
            written[number].append(machines[number].record(TEXT.format(len(written[number]), number)))
            if chance.random() < 0.2:
                insistent(machines[number].sync)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.7)
        mortal.kill()
        time.sleep(0.2)
        mortal.start()
    stop.set()
    for thread in threads:
        thread.join(100)
    for machine in (*machines, *machines):
        insistent(machine.sync)
    expected = {id for ids in written for id in ids}
    assert database.memories().keys() == expected
    assert all(machine.says().keys() == expected for machine in machines)
    assert database.sql("SELECT count(*), max(version) FROM memory_sidecar.memory_versions") == [(len(expected), 1)]
    for machine in machines:
        machine.store.close()


@pytest.mark.usefixtures("database_server")
def test_another_server_that_took_over_without_the_last_changes_gets_them_again(
    mortal: LocalServer, tmp_path: Path
) -> None:
    """A copy from before the last changes is promoted on another port; the URL names both."""
    set_up(mortal)
    standby_folder = Path(tempfile.mkdtemp(prefix="ms-pg-"))
    standby_folder.chmod(0o755)
    standby = LocalServer(standby_folder, free_port())
    if standby._user is not None:
        os.chown(standby_folder, standby._user.pw_uid, standby._user.pw_gid)
    both = (
        f"postgresql://memory@127.0.0.1:{mortal.port},127.0.0.1:{standby.port}/postgres?target_session_attrs=read-write"
    )
    laptop, desktop = Machine(tmp_path / "a", both), Machine(tmp_path / "b", both)
    try:
        early = laptop.record("Before the copy.")
        laptop.sync()
        desktop.sync()
        copied = standby._run(
            "pg_basebackup", "-h", str(mortal.folder), "-p", str(mortal.port), "-U", "memory",
            "-D", str(standby._data), "-X", "fetch", "-c", "fast",
        )  # fmt: skip
        assert copied.returncode == 0, copied.stderr
        late = desktop.record("After the copy: the copy lacks it.")
        desktop.edit(early, content="Before the copy, edited after it.")
        desktop.sync()
        laptop.sync()
        mortal.kill()
        subprocess.run(["touch", str(standby._data / "standby.signal")], check=True)
        if standby._user is not None:
            os.chown(standby._data / "standby.signal", standby._user.pw_uid, standby._user.pw_gid)
        standby.start()
        promoted = standby._run("pg_ctl", "promote", "-D", str(standby._data), "-w")
        assert promoted.returncode == 0, promoted.stderr
        for machine in (laptop, desktop, laptop):
            machine.sync()
        expected = {early: "Before the copy, edited after it.", late: "After the copy: the copy lacks it."}
        assert Database(standby, "postgres", standby.port or 0).memories() == expected
        assert laptop.says() == desktop.says() == expected
    finally:
        standby.kill()
        laptop.store.close()
        desktop.store.close()
        shutil.rmtree(standby_folder, ignore_errors=True)


WRITER = """
import sys
from pathlib import Path
from tests.team.conftest import Machine
machine = Machine(Path(sys.argv[1]), sys.argv[2])
for number in range(10_000):
    print(machine.record(f"Record {number} of a process that is killed."), flush=True)
    if number % 7 == 0:
        machine.sync()
"""


def test_a_process_killed_at_any_moment_loses_nothing_that_it_acknowledged(
    database: Database, machines: Machines, tmp_path: Path
) -> None:
    acknowledged: set[str] = set()
    for seconds in (0.0, 0.05, 0.13, 0.3):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "killed"), database.url()], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        acknowledged.add(process.stdout.readline().strip())
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        acknowledged |= {line.strip() for line in process.stdout if line.endswith("\n")}
        process.wait()
    again = Machine(tmp_path / "killed", database.url())
    again.sync()
    other = machines()
    other.sync()
    assert acknowledged <= other.says().keys() == again.says().keys() == database.memories().keys()
    assert database.sql("SELECT max(version) FROM memory_sidecar.memory_versions") == [(1,)]
    again.store.close()


def test_a_database_that_is_another_one_gets_everything(database: Database, machines: Machines) -> None:
    """As after a backup of the past was restored, or the URL was changed."""
    laptop = machines()
    kept, deleted = laptop.record("Kept."), laptop.record("Deleted before.")
    laptop.sync()
    laptop.delete(deleted)
    laptop.sync()
    database.sql("DELETE FROM memory_sidecar.memories; DELETE FROM memory_sidecar.memory_versions")
    database.sql("UPDATE memory_sidecar.workspaces SET seq = 0; UPDATE memory_sidecar.identity SET id = 'another'")
    laptop.sync()
    assert database.memories() == {kept: "Kept."}
    assert laptop.scope_sync.count_pending() == 0


def test_a_process_killed_while_it_compares_everything_begins_again(
    database: Database, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = machines()
    ids = {laptop.record(f"Number {number}.") for number in range(7)}
    laptop.sync()
    database.sql("DELETE FROM memory_sidecar.memories WHERE seq IN (2, 5)")
    database.sql("UPDATE memory_sidecar.identity SET id = 'another'")
    with monkeypatch.context() as patched:
        patched.setattr("sidecar.team.scope_sync.ROWS_AT_ONCE", 2)
        patched.setattr("sidecar.team.incoming.missing_ids", _lost)
        with pytest.raises(StoreUnavailable):
            laptop.sync()
    assert len(database.memories()) == 5
    laptop.sync()
    assert database.memories().keys() == ids


@pytest.mark.usefixtures("database_server")
def test_a_person_alone_needs_no_right_to_make_roles(mortal: LocalServer, tmp_path: Path) -> None:
    postgres = Database(mortal, "postgres", mortal.port or 0)
    postgres.sql("CREATE ROLE solo LOGIN")
    postgres.sql("CREATE DATABASE own OWNER solo")
    own = Database(mortal, "own", mortal.port or 0).url("solo")
    with postgresql.connect(own) as opened:
        assert not schema.set_up(opened).roles
        opened.query("SELECT memory_sidecar.join_workspace(%s, '', '')", KEY)
    laptop, desktop = Machine(tmp_path / "a", own), Machine(tmp_path / "b", own)
    id = laptop.record("Mine, on both machines.")
    laptop.sync()
    desktop.sync()
    assert desktop.says() == {id: "Mine, on both machines."}
    laptop.store.close()
    desktop.store.close()


def test_a_server_without_a_free_connection_is_busy(database: Database, machines: Machines) -> None:
    laptop = machines()
    laptop.record("Waits for a connection.")
    taken: list[Any] = []

    def take_all() -> None:
        while True:
            taken.append(postgresql.connect(database.url()))

    try:
        with pytest.raises(StoreUnavailable) as error:
            take_all()
        assert reason(error) == "busy"
    finally:
        for connection in taken:
            connection.close()
    insistent(laptop.sync)
    assert len(database.memories()) == 1


def test_a_full_disk_of_the_server_is_waited_out(database: Database, machines: Machines) -> None:
    laptop = machines()
    id = laptop.record("Finds no room at first.")
    database.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE disk_full USING MESSAGE = 'could not extend file'; END $$;"
        " CREATE TRIGGER full_disk BEFORE INSERT ON memory_sidecar.memory_versions EXECUTE FUNCTION full_disk()"
    )
    with pytest.raises(StoreUnavailable) as error:
        laptop.sync()
    assert reason(error) == "full"
    assert database.memories() == {}
    database.sql("DROP TRIGGER full_disk ON memory_sidecar.memory_versions")
    laptop.sync()
    assert database.memories().keys() == {id}


def test_many_machines_at_once_agree(database: Database, machines: Machines) -> None:
    """All edit one memory and record their own, in threads."""
    crowd = [machines() for _ in range(8)]
    shared = crowd[0].record("Everybody adds a line.")
    crowd[0].sync()
    for machine in crowd:
        machine.sync()
    problems: list[BaseException] = []

    def work(number: int, machine: Machine) -> None:
        try:
            for turn in range(4):
                machine.record(TEXT.format(turn, number))
                machine.edit(shared, content=f"{machine.says()[shared]}\nLine {turn} of {number}.")
                insistent(machine.sync)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=each) for each in enumerate(crowd)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not problems
    for machine in (*crowd, *crowd):
        machine.sync()
    lines = crowd[0].says()[shared].split("\n")
    assert set(lines) >= {f"Line {turn} of {number}." for turn in range(4) for number in range(8)}
    assert len(lines) == len(set(lines))
    assert all(machine.says() == crowd[0].says() for machine in crowd)
    assert len(crowd[0].says()) == 33
    seqs = [seq for (seq,) in database.sql("SELECT seq FROM memory_sidecar.memories ORDER BY seq")]
    assert len(seqs) == len(set(seqs))
