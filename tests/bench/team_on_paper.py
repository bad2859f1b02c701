"""What the rows and connections of `team.py million` measure, and what they come to for more of them."""

from __future__ import annotations

from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]

from sidecar.team import postgresql
from sidecar.team.scope_sync import _SELECT_ROWS
from tests.team.conftest import Database

DEVELOPERS, THEIRS, WRITES_A_DAY, READERS = 10_000, 2_000, 30, 10
GB_MONTH, SERVER_HOUR, SERVER_GB = 0.115, 2.32, 128
"""Dollars on demand in us-east-1: a month of a GB of Amazon RDS' gp3 storage (as a page of June 2026 states it), an
hour of an Aurora db.r6g.4xlarge with 16 processors and 128 GB (a page of 2026). A standby doubles both."""


def on_paper(database: Database) -> None:
    """Print what the rows and connections of the filled database measure, and what they come to for more of them."""
    each = entries = 0.0
    for table in ("memories", "memory_versions", "audit"):
        ((rows, heap),) = _asked(
            database, f"SELECT count(*), pg_table_size('memory_sidecar.{table}') FROM memory_sidecar.{table}"
        )
        indexes = _asked(
            database,
            "SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) FROM pg_index"
            " WHERE indrelid = %s::regclass ORDER BY 1",
            f"memory_sidecar.{table}",
        )
        print(f"{table}: {heap / rows:,.0f} bytes a row; an entry in its indexes: ", end="")
        print(", ".join(f"{name.rpartition('.')[2]} {size / rows:,.0f}" for name, size in indexes))
        entries += sum(size for _, size in indexes) / rows
        each += heap / rows
    rows_and_entries = f"{each:,.0f} bytes in rows and {entries:,.0f} in indexes"
    for number in (DEVELOPERS * THEIRS, 10**9):
        print(f"{number:,} memories of one version, {rows_and_entries}: {each * number / 1e9:,.0f} and ", end="")
        print(f"{entries * number / 1e9:,.0f} GB; a partition of 64: {(each + entries) * number / 64e9:,.1f} GB")
    each += entries
    held = [postgresql.connect(database.url()) for _ in range(20)]
    for connection in held:
        connection.connection.execute("LISTEN x")
        connection.connection.execute(
            "SELECT * FROM memory_sidecar.memories WHERE workspace_id = 1 AND seq > 50"
        ).fetchall()
    private = [psutil.Process(one.connection.info.backend_pid).memory_full_info().uss for one in held]
    backend = sum(private) / len(private)
    for connection in held:
        connection.close()
    write, pull = _processor_ms(database)
    gigabytes = each * DEVELOPERS * THEIRS / 1e9
    busy = DEVELOPERS * WRITES_A_DAY * (write + READERS * pull) / 1e3
    connections = DEVELOPERS * backend / 1e9
    servers = -(-connections // (SERVER_GB / 2))
    cost = servers * SERVER_HOUR * 730 + gigabytes * GB_MONTH
    print(
        f"a connection at rest: {backend / 1e6:.1f} MB; processor time of the server for a write {write:.2f} ms, "
        f"for a row pulled {pull:.3f} ms"
    )
    print(
        f"{DEVELOPERS:,} developers with {THEIRS:,} memories: {gigabytes:,.0f} GB; {WRITES_A_DAY} writes a day, each "
        f"seen by {READERS}: {busy:,.0f} s of one core a day; a connection each: {connections:,.0f} GB, {servers:.0f} "
        f"servers with half of {SERVER_GB} GB for them: {cost:,.0f} dollars a month, {cost / DEVELOPERS:.2f} a "
        f"developer; twice that with a standby"
    )
    print(f"storage of 10^9 memories: {each * GB_MONTH:,.0f} dollars a month; of a read replica as much again")


def _asked(database: Database, statement: str, *values: object) -> list[tuple[Any, ...]]:
    with postgresql.connect(database.url()).connection as connection:
        return connection.execute(statement.encode(), values or None).fetchall()


def _processor_ms(database: Database, number: int = 2_000) -> tuple[float, float]:
    """Return the server's processor time of a pushed memory and of a pulled row, one and 500 at a time."""
    with postgresql.connect(database.url()).connection as connection:
        backend = psutil.Process(connection.info.backend_pid)
        row = connection.execute("SELECT memory_sidecar.join_workspace('paper', '', '')").fetchone()
        assert row is not None
        memory = {"type": "project", "name": "x", "content": "A fact of the size of a sentence. " * 7, "source": "user"}
        began = sum(backend.cpu_times()[:2])
        for turn in range(number):
            change = {"id": f"p{turn}", "expected": 0, "digest": str(turn), "change": "created", "memory": memory}
            connection.execute(
                "SELECT * FROM memory_sidecar.push(%s, %s)", (row[0], msgspec.json.encode([change]).decode())
            ).fetchall()
        pushed = sum(backend.cpu_times()[:2])
        for _ in range(20):
            connection.execute(_SELECT_ROWS, (row[0], 0, number)).fetchall()
        pulled = sum(backend.cpu_times()[:2])
    return (pushed - began) * 1e3 / number, (pulled - pushed) * 1e3 / (20 * number)
