"""Lessons of one workspace do not delay another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
