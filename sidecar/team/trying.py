"""Try sharing with a private server and two data folders that act as machines, and show what they exchange."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from sidecar.runtime.clock import epoch_ms
from sidecar.runtime.ids import TimeOrderedIds
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.team import schema, server
from sidecar.team.exchange import MemoryExchange
from sidecar.team.local_server import LocalServer

_NAME = "name:try"


class TrialResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was observed, and how long a change took from one machine's store to the other's."""

    lines: list[str]
    seen_ms: float


def run_trial(folder: Path) -> TrialResult:
    """Share two memories in `folder`, and change one on both machines. Raises `StoreUnavailable`."""
    folder.chmod(0o755)
    running = LocalServer(folder / "s")
    running.make()
    running.start()
    lines = [f"PostgreSQL from {running.programs} runs in {running.folder}."]
    try:
        with server.connect(running.url) as connection:
            schema.set_up(connection, running.url)
            connection.execute("SELECT memory_sidecar.join_workspace(%s, 'try', '')", (_NAME,))
        laptop, desktop = MemoryStore.open(folder / "laptop"), MemoryStore.open(folder / "desktop")
        with closing(laptop), closing(desktop):
            began = time.perf_counter()
            id = _record(laptop, "Tests run with make check.")
            _exchange(laptop, running.url)
            _exchange(desktop, running.url)
            seen_ms = (time.perf_counter() - began) * 1_000
            lines.append(f"Recorded on the laptop, seen on the desktop: {_text(desktop, id)}")
            _edit(laptop, id, "Tests run with make check.\nThey take a minute.")
            _edit(desktop, id, "Tests run with make check.\nThey need Docker.")
            for store in (laptop, desktop, laptop):
                _exchange(store, running.url)
            lines.append(f"Changed on both at once, merged: {_text(laptop, id)}")
            if _text(laptop, id) != _text(desktop, id):
                raise RuntimeError("the two machines disagree")
    finally:
        running.stop()
    return TrialResult(lines, seen_ms)


def _record(store: MemoryStore, content: str) -> str:
    now = epoch_ms()
    record = MemoryRecord(
        id=TimeOrderedIds()(now),
        scope="project",
        type="project",
        name=content,
        content=content,
        source="user",
        created_at=now,
        updated_at=now,
    )
    with store.transaction() as transaction:
        transaction.put(record, "created", now)
    return record.id


def _edit(store: MemoryStore, id: str, content: str) -> None:
    with store.transaction() as transaction:
        record = transaction.get(id)
        if record is not None:
            transaction.put(replace(record, content=content, version=record.version + 1), "updated", epoch_ms())


def _exchange(store: MemoryStore, url: str) -> None:
    with server.connect(url) as connection:
        MemoryExchange(store, "project", _NAME, url, (), epoch_ms).run(connection)


def _text(store: MemoryStore, id: str) -> str:
    record = store.get(id)
    return "" if record is None else record.content
