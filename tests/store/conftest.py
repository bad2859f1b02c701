"""Helpers of the store's tests: records, and real processes that run `worker_process.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, Unpack

import pytest
from msgspec.structs import replace

from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import ContentRecord, MemoryRecord
from sidecar.store.vocabulary import MemoryChange
from tests.memory_fields import StoredFields

ROOT = Path(__file__).parents[2]

MakeContent = Callable[..., ContentRecord]


class MakeMemory(Protocol):
    def __call__(self, id: str, **fields: Unpack[StoredFields]) -> MemoryRecord: ...


class SpawnWorker(Protocol):
    """Starts `worker_process.py COMMAND ARGUMENTS...`."""

    def __call__(
        self, command: str, *arguments: object, preexec_fn: Callable[[], object] | None = None
    ) -> subprocess.Popen[str]: ...


def put(store: MemoryStore, record: MemoryRecord, change: MemoryChange = "created", at: int = 1) -> None:
    """Store a record in a transaction of its own."""
    with store.transaction() as transaction:
        transaction.put(record, change, at)


@pytest.fixture
def memory() -> MakeMemory:
    def make(id: str, **fields: Unpack[StoredFields]) -> MemoryRecord:
        plain = MemoryRecord(
            id=id,
            scope="project",
            type="project",
            name=f"name of {id}",
            content=f"content of {id}",
            source="agent",
            created_at=1,
            updated_at=1,
        )
        return replace(plain, **fields)

    return make


@pytest.fixture
def content() -> MakeContent:
    def make(hash: str, **fields: object) -> ContentRecord:
        return replace(ContentRecord(hash=hash, recipe=1, language="python", lines=3, file_tokens=9), **fields)

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    opened = MemoryStore.open(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def spawn() -> Iterator[SpawnWorker]:
    """Starts `worker_process.py COMMAND ARGUMENTS...`; whatever still runs at the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def start(
        command: str, *arguments: object, preexec_fn: Callable[[], object] | None = None
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker_process.py")), command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=preexec_fn,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()
