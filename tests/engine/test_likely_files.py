"""A prompt that names no file: what a block says about the files that it is surely about."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from protocol import files as wire_files
from protocol import memories as wire
from sidecar.engine.engine import Engine
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.errors import InvalidField
from sidecar.settings import Settings
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine


def ask(engine: Engine, prompt: str, **more: object) -> wire.InjectResult:
    return EngineCalls(engine).memory_inject(msgspec.convert({"prompt": prompt, **more}, wire.InjectParams))


def indexed(engine: Engine, repository: Path) -> None:
    for name, words in {"billing": "invoice discount", "shipping": "parcel courier", "users": "login password"}.items():
        (repository / "app" / f"{name}.py").write_text(
            f'"""Handles {words}."""\n\n\ndef {words.split()[0]}_total(items):\n    """Add up every {words}."""\n'
        )
    engine.files_changed([path.as_uri() for path in (repository / "app").glob("*.py")])
    engine.warm_up()
    workspace = engine.lifecycle.add_workspace(repository).open()
    until = time.monotonic() + 60
    while True:
        found = EngineCalls(engine).file_search(wire_files.FileSearchParams(query="parcel"))
        if found.items and not found.pending and workspace.background_reading.index_ready_at():
            return
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_file_that_a_prompt_is_about_is_told(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    indexed(engine, repository)
    result = ask(engine, "the courier of a parcel is wrong in parcel_total")
    (item,) = [one for one in result.items if one.kind == "file"]
    assert item.path == "app/shipping.py"
    assert item.reasons[0].startswith("likely in play: ")
    assert "app/shipping.py" in result.text
    assert ask(engine, "the courier of a parcel is wrong in parcel_total").text == result.text


def test_a_prompt_about_nothing_here_is_told_nothing(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    indexed(engine, repository)
    assert ask(engine, "How long should sourdough rise overnight?").text == ""


def test_files_that_are_named_are_told_alone(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    indexed(engine, repository)
    result = ask(engine, "the courier of a parcel is wrong in parcel_total", files=["app/users.py"])
    assert [one.path for one in result.items] == ["app/users.py"]


def test_a_setting_switches_it_off(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    memory = msgspec.structs.replace(plain.memory, inject_likely_files=False)
    engine = make_engine(repository, settings=msgspec.structs.replace(plain, memory=memory))
    indexed(engine, repository)
    assert ask(engine, "the courier of a parcel is wrong in parcel_total").text == ""


def test_a_session_that_began_before_the_index_keeps_its_block(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    prompt = "the courier of a parcel is wrong in parcel_total"
    before = ask(engine, prompt, sessionId="early")
    indexed(engine, repository)
    assert ask(engine, prompt, sessionId="late").text != ""
    assert ask(engine, prompt, sessionId="early").text == before.text


def test_a_request_that_is_refused_reads_no_file(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    read: list[str] = []
    monkeypatch.setattr(OpenWorkspace, "briefing", lambda _, path, **options: read.append(path))
    with pytest.raises(InvalidField):
        ask(engine, "the courier of a parcel", files=["app/users.py"], frozen=True)
    assert read == []


def test_a_briefing_names_what_often_changes_with_its_file(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    indexed(engine, repository)
    body = "".join(f"def total_{n}(items):\n    return sum(items) + {n}\n\n\n" for n in range(40))
    for number in range(4):
        for name in ("billing", "users"):
            (repository / "app" / f"{name}.py").write_text(f"{body}AGAIN = {number}\n")
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "Change both")
    summary = wire_files.SummaryParams(path="app/billing.py")
    EngineCalls(engine).file_search(wire_files.FileSearchParams(query="total"))  # waits until the history is read
    briefing = EngineCalls(engine).file_summary(summary)
    assert briefing.summary.endswith("\nOften changes with: app/users.py (4 of 4 commits)")
    (repository / "app" / "users.py").unlink()
    assert "Often changes with" not in repr(EngineCalls(engine).file_summary(summary))
