"""Opening a repository writes nothing into it; what is recorded is found again, wherever its origin moves."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from protocol import memories as wire
from protocol.files import SummaryParams
from protocol.reminders import SetReminderParams
from sidecar.checkout.identity import identify
from sidecar.engine.engine import Engine
from sidecar.settings import Settings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine


def origin(folder: Path, url: str) -> None:
    subprocess.run(["git", "config", "remote.origin.url", url], cwd=folder, check=True)


def contents(engine: Engine) -> list[str]:
    found = EngineCalls(engine).memory_list(wire.ListParams())
    return [item.content for item in found.items]


@pytest.mark.parametrize("with_origin", [True, False])
def test_nothing_is_written_into_a_repository_before_something_is_recorded(
    make_engine: MakeEngine, repository: Path, with_origin: bool
) -> None:
    if with_origin:
        origin(repository, "https://example.org/group/app.git")
    id = repository / ".git" / "memory-sidecar"
    for _ in range(2):
        engine = make_engine(repository)
        assert contents(engine) == []
        EngineCalls(engine).file_summary(SummaryParams(path="app/client.py"))
        engine.close()
        assert not id.exists()
    engine = make_engine(repository)
    EngineCalls(engine).memory_record(wire.RecordParams(content="The API listens on 8080."))
    assert id.exists()
    origin(repository, "https://elsewhere.example/group/app.git")
    assert contents(make_engine(repository)) == ["The API listens on 8080."]


def test_a_reminder_alone_keeps_the_id(make_engine: MakeEngine, repository: Path, tmp_path: Path) -> None:
    engine = make_engine(repository)
    EngineCalls(engine).reminder_set(SetReminderParams(text="Renew the certificate.", at="2035-01-31T09:00:00Z"))
    engine.close()
    before = identify(repository, tmp_path / "store").id
    origin(repository, "https://example.org/group/app.git")
    assert identify(repository, tmp_path / "store").id == before


def test_an_id_is_kept_as_it_was_when_the_origin_moves_before_the_first_record(
    make_engine: MakeEngine, repository: Path
) -> None:
    origin(repository, "https://example.org/group/app.git")
    engine = make_engine(repository)
    assert contents(engine) == []
    origin(repository, "https://elsewhere.example/group/app.git")
    EngineCalls(engine).memory_record(wire.RecordParams(content="The API listens on 8080."))
    engine.close()
    assert contents(make_engine(repository)) == ["The API listens on 8080."]


def test_a_clone_that_found_memories_keeps_them(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], tmp_path: Path
) -> None:
    one, two = make_repository("one"), tmp_path / "two"
    origin(one, "https://example.org/group/app.git")
    shutil.copytree(one, two)
    engine = make_engine(one)
    EngineCalls(engine).memory_record(wire.RecordParams(content="The API listens on 8080."))
    engine.close()
    assert contents(make_engine(two)) == ["The API listens on 8080."]
    origin(two, "https://elsewhere.example/group/app.git")
    assert contents(make_engine(two)) == ["The API listens on 8080."]


@pytest.mark.parametrize("with_origin", [True, False])
def test_where_memory_is_off_nothing_is_written(
    make_engine: MakeEngine, repository: Path, plain: Settings, with_origin: bool, tmp_path: Path
) -> None:
    if with_origin:
        origin(repository, "https://example.org/group/app.git")
    off = msgspec.structs.replace(plain, memory=msgspec.structs.replace(plain.memory, enabled=False))
    engine = make_engine(repository, settings=off)
    EngineCalls(engine).file_summary(SummaryParams(path="app/client.py"))
    engine.close()
    assert not (repository / ".git" / "memory-sidecar").exists()
    assert not list((tmp_path / "store").rglob("*.db"))
