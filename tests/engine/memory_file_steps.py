"""What the tests of MEMORY.md share: record, synchronise, read and edit the file."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from protocol import memories as wire
from sidecar.engine.engine import Engine
from tests.client.calling import EngineCalls
from tests.client.git import git


def record(engine: Engine, content: str, **fields: object) -> wire.Memory:
    params = msgspec.convert({"content": content, **fields}, wire.RecordParams)
    result = EngineCalls(engine).memory_record(params)
    return result.memory


def contents(engine: Engine) -> list[str]:
    result = EngineCalls(engine).memory_list(wire.ListParams())
    return sorted(memory.content for memory in result.items)


def stepped(engine: Engine, folder: Path) -> None:
    """Synchronise both sides now, without waiting for the background."""
    workspace = next(w for w in engine.workspaces.all() if w.folder == folder.resolve())
    memory_file = workspace.open().memory_file
    memory_file.sync()


def status(engine: Engine) -> str | None:
    memory_file = engine.workspaces.all()[0].open().memory_file
    return memory_file.status.detail


def place(folder: Path) -> Path:
    return folder / ".agents" / "MEMORY.md"


def entries(folder: Path) -> list[str]:
    return [line for line in place(folder).read_text().splitlines() if line.startswith("- ")]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def git_is_quiet(folder: Path) -> None:
    """Make git's last command an hour old."""
    past = time.time() - 3_600
    os.utime(folder / ".git" / "index", (past, past))


def pages(folder: Path) -> list[Path]:
    return sorted((folder / ".agents" / "memory").glob("*.md"))


def shared(engine: Engine, folder: Path, *texts: str) -> None:
    """Record some memories and commit the file."""
    for text in texts:
        record(engine, text)
    stepped(engine, folder)
    git(folder, "add", "-f", ".agents")
    git(folder, "commit", "-qm", "share")
    stepped(engine, folder)
