"""Lessons of one workspace do not delay another, and what cannot be stored now is stored later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from sidecar.engine import lesson_storer
from sidecar.engine.engine import Engine
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.errors import StoreUnavailable
from sidecar.settings.model import ModelSettings
from sidecar.summaries.question_queue import QuestionQueue
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine, settings


def test_a_read_does_not_wait_for_lessons_of_another_workspace(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], tmp_path: Path
) -> None:
    read, taught = make_repository("read"), make_repository("taught")
    engine = make_engine(read, taught, settings=settings(tmp_path / "store", learn_buffer_seconds=3_600.0))
    began, may_end = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        began.set()
        may_end.wait()

    engine.lifecycle.add_workspace(taught).open().book.changed.subscribe(hold)
    call = MethodCaller(engine)
    say = "From now on always run `make check` before you commit."
    call("event/userMessage", workspaceUri=taught.as_uri(), sessionId="s1", text=say)
    with ThreadPoolExecutor() as pool:
        storing = pool.submit(call, "memory/list", workspaceUri=taught.as_uri())
        try:
            assert began.wait(90)
            assert not pool.submit(call, "memory/list", workspaceUri=read.as_uri()).result(30).items
            assert not storing.done()
        finally:
            may_end.set()
        assert storing.result().items


class Queue:
    """Stands in for writing to the queue of questions: refuses each session as often as told, then hands it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **refusals: int) -> None:
        self.refusals = refusals
        self.sessions: list[str] = []
        self.changed = threading.Condition()
        real = QuestionQueue.enqueue_session

        def enqueue(questions: QuestionQueue, session_id: str, text: str) -> None:
            if self.refusals.get(session_id, 0):
                self.refusals[session_id] -= 1
                raise StoreUnavailable("The store is busy.")
            real(questions, session_id, text)
            with self.changed:
                self.sessions.append(session_id)
                self.changed.notify_all()

        monkeypatch.setattr(QuestionQueue, "enqueue_session", enqueue)


@pytest.fixture
def reading(make_engine: MakeEngine, repository: Path, tmp_path: Path) -> Engine:
    """Return an engine whose sessions are read by a program, which here always fails."""
    models = ModelSettings(sessions="command", command="/bin/false")
    chosen = replace(settings(tmp_path / "store", learn_buffer_seconds=3_600.0), models=models)
    return make_engine(repository, settings=chosen)


def end_sessions(engine: Engine, *ids: str) -> None:
    call = MethodCaller(engine)
    for id in ids:
        call("event/userMessage", sessionId=id, text=f"The release train {id} must never be changed on a Monday.")
        call("session/end", sessionId=id)


def test_conversations_that_cannot_be_stored_wait_in_their_order(
    reading: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(monkeypatch, b=2, d=1)
    end_sessions(reading, "a", "b", "c")
    assert queue.sessions == ["a"]
    assert reading.lessons.pending() == 2
    end_sessions(reading, "d")
    assert queue.sessions == ["a", "b", "c"]
    MethodCaller(reading)("memory/list")
    assert queue.sessions == ["a", "b", "c", "d"]
    assert reading.lessons.pending() == 0


def test_a_conversation_is_tried_again_without_a_request(reading: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, a=1)
    end_sessions(reading, "a")
    with queue.changed:
        assert queue.changed.wait_for(lambda: queue.sessions == ["a"], 90)


def test_conversations_that_cannot_be_stored_are_bounded(
    reading: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lesson_storer, "MAX_LESSONS", 3)
    queue = Queue(monkeypatch, **{f"s{number}": 100 for number in range(5)})
    end_sessions(reading, *(f"s{number}" for number in range(5)))
    assert reading.lessons.pending() == 3
    assert "discarded" in caplog.text
    queue.refusals.clear()
    MethodCaller(reading)("memory/list")
    assert queue.sessions == ["s2", "s3", "s4"]


def test_a_defect_does_not_end_the_thread_that_stores_lessons(
    make_engine: MakeEngine, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_storer, "PAUSE_AFTER_DEFECT_SECONDS", 0.2, raising=False)
    engine = make_engine(repository, settings=settings(tmp_path / "store", learn_buffer_seconds=0.01))
    failed: list[float] = []
    stored = threading.Event()
    engine.lifecycle.add_workspace(repository).open().book.changed.subscribe(lambda _: stored.set())
    real = Workspaces.in_folder

    def in_folder(workspaces: Workspaces, folder: Path) -> object:
        if threading.current_thread().name == "lessons" and len(failed) < 2:
            failed.append(time.monotonic())
            raise RuntimeError("a defect")
        return real(workspaces, folder)

    monkeypatch.setattr(Workspaces, "in_folder", in_folder)
    say = "From now on always run `make check` before you commit."
    MethodCaller(engine)("event/userMessage", sessionId="s1", text=say)
    assert stored.wait(90)
    assert failed[1] - failed[0] > 0.1, "it tried again at once"
