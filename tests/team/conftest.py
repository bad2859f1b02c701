"""A real PostgreSQL server, data folders that stand for machines, and a proxy that breaks what passes through it."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import pytest
from msgspec.structs import replace

from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.ids import TimeOrderedIds
from sidecar.settings.model import StoreSettings
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.team import postgresql, schema
from sidecar.team.scope_sync import ScopeSync, SyncResult
from sidecar.team.shared_database import SharedWorkspace
from tests.client.git import git
from tests.client.postgresql import LocalServer, programs
from tests.memory_fields import StoredFields
from tests.summaries.conftest import Endpoint
from tests.team.desks import ORIGIN, Desk, Desks

NEW_ID = TimeOrderedIds()
KEY = "workspace-of-the-tests"


@pytest.fixture(scope="session")
def database_server() -> Iterator[LocalServer]:
    """The server of this process's tests; each test has a database of its own."""
    if programs() is None:
        if os.environ.get("SIDECAR_TEST_POSTGRESQL"):
            pytest.fail("PostgreSQL is not installed, which .ci/run does")
        pytest.skip("needs PostgreSQL (apt install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="ms-pg-"))
    folder.chmod(0o755)
    running = LocalServer(folder, free_port(), settings=("max_connections=40",))
    try:
        running.make()
        running.start()
        yield running
    finally:
        running.kill()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number: int = taken.getsockname()[1]
        return number


@dataclass
class Database:
    """One database that is set up, reached over TCP as its owner or another role."""

    server: LocalServer
    name: str
    port: int

    def url(self, role: str = LocalServer.owner, port: int | None = None) -> str:
        return f"postgresql://{role}@127.0.0.1:{port or self.port}/{self.name}"

    def sql(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        with postgresql.connect(self.url()).connection as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def role(self, name: str, *groups: str) -> str:
        """Make a role that may connect; return its URL."""
        self.sql(f"DROP ROLE IF EXISTS {name}; CREATE ROLE {name} LOGIN")
        for group in groups:
            self.sql(f"GRANT {group} TO {name}")
        return self.url(name)

    def member(self, role: str, may: str | None, key: str = KEY) -> None:
        self.sql(
            "SELECT memory_sidecar.set_member((SELECT id FROM memory_sidecar.workspaces WHERE key = %s), %s, %s)",
            key,
            role,
            may,
        )

    def memories(self) -> dict[str, str]:
        """Return the words of each memory in the database by id."""
        rows = self.sql("SELECT id, content FROM memory_sidecar.memories WHERE gone IS NULL")
        return {str(id): str(content) for id, content in rows}


@pytest.fixture
def database(database_server: LocalServer, request: pytest.FixtureRequest) -> Iterator[Database]:
    name = f"test_{os.getpid()}_{time.monotonic_ns()}"
    assert database_server.port is not None
    postgres = Database(database_server, "postgres", database_server.port)
    postgres.sql(f"CREATE DATABASE {name}")
    made = Database(database_server, name, database_server.port)
    with postgresql.connect(made.url()) as opened:
        schema.set_up(opened)
        opened.query("SELECT memory_sidecar.join_workspace(%s, 'tests', '')", KEY)
    yield made
    postgres.sql(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass
class Machine:
    """A data folder that shares its project memories, with a clock of its own."""

    folder: Path
    url: str
    key: str = KEY
    ahead_ms: int = 0
    believed: tuple[str, ...] = ()
    scope: str = "project"
    changed: list[ChangedMemory] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = MemoryStore.open(self.folder)

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self.ahead_ms

    @property
    def scope_sync(self) -> ScopeSync:
        return ScopeSync(self.store, self.scope, self.key, self.believed, self.now, self.changed.extend)

    def sync(self, *, dry_run: bool = False) -> SyncResult:
        with postgresql.connect(self.url) as opened:
            schema.check(opened)
            done: tuple[SharedWorkspace, SyncResult] = self.scope_sync.run(opened, dry_run=dry_run)
        return done[1]

    def record(self, text: str, id: str | None = None, **fields: Unpack[StoredFields]) -> str:
        now = self.now()
        plain = MemoryRecord(
            id=id or NEW_ID(now),
            scope="project",
            type="project",
            name=text[:60],
            content=text,
            source="user",
            created_at=now,
            updated_at=now,
        )
        record = replace(plain, **fields)
        with self.store.transaction() as transaction:
            transaction.put(record, "created", now)
        return record.id

    def edit(self, id: str, **fields: Unpack[StoredFields]) -> None:
        with self.store.transaction() as transaction:
            kept = transaction.get(id)
            assert kept is not None
            new = replace(kept, version=kept.version + 1, updated_at=self.now(), **fields)
            transaction.put(new, "updated", self.now())

    def delete(self, id: str, *, purge: bool = False) -> None:
        with self.store.transaction() as transaction:
            transaction.delete(id, self.now(), purge)

    def says(self) -> dict[str, str]:
        return {record.id: record.content for record in self.store.all() if record.scope == self.scope}

    def get(self, id: str) -> MemoryRecord:
        record = self.store.get(id)
        assert record is not None
        return record

    def texts(self, id: str) -> list[str]:
        """Return the texts that a memory has had here, newest first."""
        return [version.memory.content for version in self.store.history(id) if version.memory is not None]


Machines = Callable[..., Machine]


@pytest.fixture
def machines(database: Database, tmp_path: Path) -> Iterator[Machines]:
    """Make machines of the database's owner, or of the role whose URL is given."""
    made: list[Machine] = []

    def make(url: str | None = None, **options: Any) -> Machine:
        machine = Machine(tmp_path / f"machine{len(made)}", url or database.url(), **options)
        made.append(machine)
        return machine

    yield make
    for machine in made:
        machine.store.close()


class Proxy:
    """Passes bytes on to a port, until it is told to cut, stall or half-close connections."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.open = True
        self.refused = 0
        self.stalled = False
        self.cut_after: int | None = None  # bytes from the server after which its answer is cut off
        self.delay = 0.0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut all connections and refuse new ones."""
        self.open = False
        self.drop()

    def drop(self) -> None:
        for pair in self._pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def half_close(self) -> None:
        """End what the server says, as a middle box that forgets one direction does."""
        for client, _ in self._pairs:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)

    def heal(self) -> None:
        self.open, self.stalled, self.cut_after = True, False, None

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self.open:
                self.refused += 1
                client.close()
                continue
            try:
                ahead = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            for each in (client, ahead):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs.append((client, ahead))
            threading.Thread(target=self._pass_on, args=(client, ahead), daemon=True).start()

    def _pass_on(self, client: socket.socket, ahead: socket.socket) -> None:
        try:
            while True:
                ready, _, _ = select.select([client, ahead], [], [], 0.2)
                if self.stalled:
                    time.sleep(0.02)
                    continue
                for end in ready:
                    data = end.recv(65_536)
                    if not data:
                        return
                    if self.delay:
                        time.sleep(self.delay)
                    if end is ahead and self.cut_after is not None:
                        self.cut_after -= len(data)
                        if self.cut_after <= 0:
                            return
                    (ahead if end is client else client).sendall(data)
        except (OSError, ValueError):
            return
        finally:
            client.close()
            ahead.close()


@pytest.fixture
def proxy(database: Database) -> Iterator[Proxy]:
    made = Proxy(database.port)
    yield made
    made.close()


def set_up(server_: LocalServer) -> Database:
    assert server_.port is not None
    database = Database(server_, "postgres", server_.port)
    with postgresql.connect(database.url()) as opened:
        schema.set_up(opened)
        opened.query("SELECT memory_sidecar.join_workspace(%s, '', '')", KEY)
    return database


@pytest.fixture
def desks(database: Database, tmp_path: Path) -> Iterator[Desks]:
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "-q")
    (first / "app.py").write_text("PORT = 8080\n")
    git(first, "add", ".")
    git(first, "commit", "-qm", "first")
    made: list[Desk] = []

    def make(url: str | None = None, shared: tuple[str, ...] | None = None, shared_answers: bool = True) -> Desk:
        folder = tmp_path / f"desk{len(made)}" / "shop"
        git(tmp_path, "clone", "-q", str(first), str(folder))
        git(folder, "remote", "set-url", "origin", ORIGIN)
        git(folder, "config", "user.name", "Bob B.")
        store = StoreSettings(
            folder=tmp_path / f"store{len(made)}", url=url or database.url(), shared_answers=shared_answers
        )
        if shared is not None:
            store = replace(store, shared=shared)
        made.append(Desk(folder, store))
        return made[-1]

    yield make
    for desk in made:
        desk.close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()
