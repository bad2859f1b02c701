"""A process waits before its end for a model to read its sessions: a real engine, and a program that answers."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from protocol.events import UserMessageParams
from protocol.memories import ListParams
from protocol.sessions import EndParams
from protocol.status import StatusParams
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import ModelSettings, StoreSettings
from tests.client.calling import EngineCalls

SAID = "The release train must never be changed on a Monday morning by anybody"
ADDS = (
    '{"operations": [{"op": "add", "text": "The release train must never be changed on a Monday.",'
    ' "quote": "must never be changed on a Monday", "message": 1}]}'
)
Open = Callable[[str], Engine]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens an engine whose sessions are read by a program of these lines."""
    engines: list[Engine] = []
    (tmp_path / "work").mkdir()

    def opened(body: str) -> Engine:
        program = tmp_path / "answering"
        program.write_text(f"#!{sys.executable}\nimport sys, time\nsys.stdin.read()\n{body}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        settings = Settings(
            store=StoreSettings(folder=tmp_path / "store"),
            models=ModelSettings(sessions="command", command=str(program)),
        )
        engine = Engine(settings, EngineOptions(short_lived=True))
        engines.append(engine)
        engine.lifecycle.add_workspace(tmp_path / "work")
        return engine

    yield opened
    for each in engines:
        each.close()


def a_session(engine: Engine) -> None:
    EngineCalls(engine).event_user_message(UserMessageParams(session_id="one", text=SAID))
    EngineCalls(engine).session_end(EndParams(session_id="one"))


def learned(engine: Engine) -> list[str]:
    found = EngineCalls(engine).memory_list(ListParams())
    return [item.content for item in found.items]


def status(engine: Engine) -> tuple[int, int, str | None]:
    found = EngineCalls(engine).sidecar_status(StatusParams())
    (row,) = found.workspaces
    assert row.model is not None
    assert row.model.sessions == "command"
    return row.model.waiting, row.model.sessions_today, row.model.detail


def test_engine_waits_until_the_answer_has_come(start: Open) -> None:
    engine = start(f"time.sleep(1)\nprint({ADDS!r})")
    assert engine.wait_for_models(60), "nothing was asked yet"
    a_session(engine)
    assert engine.wait_for_models(60)
    assert learned(engine) == ["The release train must never be changed on a Monday."]
    assert status(engine) == (0, 1, None)


@pytest.mark.timeout(120)
def test_engine_waits_no_longer_than_allowed(start: Open) -> None:
    engine = start("time.sleep(600)")
    a_session(engine)
    assert not engine.wait_for_models(0.5)


@pytest.mark.timeout(120)
def test_failed_question_is_not_waited_for_and_reported_by_the_next_process(start: Open) -> None:
    engine = start("sys.exit(3)")
    a_session(engine)
    assert not engine.wait_for_models(600)
    engine.close()
    waiting, read, detail = status(start("sys.exit(3)"))
    assert (waiting, read) == (1, 0)
    assert detail is not None
    assert "ended with status 3" in detail
