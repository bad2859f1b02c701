"""The schema of the database: set up once, newer or older than the program, and changed by whole steps."""

from __future__ import annotations

import os
import threading
import time

import pytest

from sidecar.runtime.errors import StoreTooNew, StoreUnavailable
from sidecar.team import postgresql, schema
from tests.client.postgresql import LocalServer
from tests.team.conftest import Database, Machines
from tests.team.desks import reason


def test_a_newer_schema_is_refused_and_the_store_works_on(database: Database, machines: Machines) -> None:
    laptop = machines()
    database.sql("INSERT INTO memory_sidecar.schema_version (version) VALUES (99)")
    id = laptop.record("Recorded all the same.")
    with pytest.raises(StoreTooNew, match="newer memory-sidecar"):
        laptop.sync()
    assert id in laptop.says()
    with postgresql.connect(database.url()) as opened, pytest.raises(StoreTooNew):
        schema.set_up(opened)


def test_an_older_schema_says_who_brings_it_up_to_date(database: Database, machines: Machines) -> None:
    database.sql("DELETE FROM memory_sidecar.schema_version")
    with pytest.raises(StoreUnavailable) as error:
        machines().sync()
    assert reason(error) == "tooOld"
    assert "team setup" in (error.value.data.hint or "")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory_sidecar.schema_version SET checksum = 'of other migrations'",
        "ALTER TABLE memory_sidecar.schema_version DROP COLUMN checksum",
    ],
)
def test_an_unknown_schema_is_refused_and_the_store_works_on(
    database: Database, machines: Machines, change: str
) -> None:
    laptop = machines()
    id = laptop.record("Recorded all the same.")
    database.sql(change)
    with postgresql.connect(database.url()) as opened:
        for use in (lambda: laptop.scope_sync.run(opened), lambda: schema.set_up(opened)):
            with pytest.raises(StoreUnavailable, match="does not know") as error:
                use()
            assert reason(error) == "schema"
    assert id in laptop.says()


def test_setting_up_twice_and_by_many_at_once_is_setting_up_once(database_server: LocalServer) -> None:
    name = f"fresh_{os.getpid()}_{time.monotonic_ns()}"
    postgres = Database(database_server, "postgres", database_server.port or 0)
    postgres.sql(f"CREATE DATABASE {name}")
    fresh = Database(database_server, name, database_server.port or 0)
    problems: list[BaseException] = []

    def work() -> None:
        try:
            with postgresql.connect(fresh.url()) as opened:
                schema.set_up(opened)
        except BaseException as error:  # a thread's own would be lost
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not problems
    assert fresh.sql("SELECT version FROM memory_sidecar.schema_version") == [(len(schema.migrations()),)]
    postgres.sql(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_step_to_a_newer_schema_is_whole_or_not_at_all(
    database: Database, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = machines()
    id = laptop.record("Older than the step.")
    laptop.sync()
    before = schema.migrations()
    broken = [*before, "CREATE TABLE extra (id integer); SELECT 1 / 0"]
    monkeypatch.setattr(schema, "migrations", lambda: broken)
    with postgresql.connect(database.url()) as opened, pytest.raises(StoreUnavailable):
        schema.set_up(opened)
    assert database.sql("SELECT to_regclass('memory_sidecar.extra')::text") == [(None,)]
    with pytest.raises(StoreUnavailable) as error:
        laptop.sync()
    assert reason(error) == "tooOld"
    monkeypatch.setattr(schema, "migrations", lambda: [*before, "CREATE TABLE extra (id integer)"])
    with postgresql.connect(database.url()) as opened:
        assert schema.set_up(opened)[:2] == (1, 2)
        assert schema.set_up(opened)[:2] == (2, 2)
    laptop.sync()
    assert database.memories().keys() == {id}
