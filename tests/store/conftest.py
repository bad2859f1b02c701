"""Helpers of the store's tests: records, and real processes that run `worker_process.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import ContentRecord, MemoryRecord

ROOT = Path(__file__).parents[2]

MakeMemory = Callable[..., MemoryRecord]
MakeContent = Callable[..., ContentRecord]
Spawn = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def memory() -> MakeMemory:
    def make(id: str, **fields: Any) -> MemoryRecord:
        plain: dict[str, Any] = {
            "scope": "project",
            "type": "project",
            "name": f"name of {id}",
            "content": f"content of {id}",
            "source": "agent",
            "created_at": 1,
            "updated_at": 1,
        }
        return MemoryRecord(id=id, **{**plain, **fields})

    return make


@pytest.fixture
def content() -> MakeContent:
    def make(hash: str, **fields: Any) -> ContentRecord:
        plain: dict[str, Any] = {"recipe": 1, "language": "python", "lines": 3, "file_tokens": 9}
        return ContentRecord(hash=hash, **{**plain, **fields})

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    opened = MemoryStore.open(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts `worker_process.py COMMAND ARGUMENTS...`; whatever still runs at the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def start(command: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker_process.py")), command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            **options,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()
