"""Query the engine on a thread of the read lane, so that no editor's request waits for another."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.lanes import LaneName

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

log = logging.getLogger(__name__)

T = TypeVar("T")
Asking = Generator[Any, Any, T]


def ask_engine(server: SidecarServer, work: Callable[[EditorQueries], T]) -> Asking[T | None]:
    """Let `work` query the engine; return None if there is no engine or it cannot answer now.

    Handlers call it with `return (yield from ask_engine(...))`, because pygls runs them as generators: what a handler
    does before runs as soon as the request arrives.
    """

    def task() -> T | None:
        try:
            return work(server.engine().editor)
        except SidecarError as error:  # editors ask at each move of the cursor: no place for messages
            log.info("An editor's question was not answered: %s", error.message)
            return None

    return (yield from in_lane(server, "read", task))


def in_lane(server: SidecarServer, lane: LaneName, task: Callable[[], T]) -> Asking[T]:
    """Run a task in a lane; return its result or raise its exception."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_outcome: Callable[[], None]) -> None:
        if not future.done():
            set_outcome()

    def run() -> None:
        try:
            set_outcome = partial(future.set_result, task())
        except Exception as error:  # noqa: BLE001 - given to whoever waits
            set_outcome = partial(future.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
            loop.call_soon_threadsafe(settle, set_outcome)

    server.lanes.submit(lane, run)
    answer: T = yield _wait, (future,), None
    return answer


async def _wait(future: asyncio.Future[T]) -> T:
    return await future
