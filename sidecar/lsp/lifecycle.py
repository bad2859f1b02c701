"""When the process ends, and with which exit code.

0: `exit`, or the end of stdin, after `shutdown`. 1: either of them without `shutdown`, a dead parent, or a client that
no longer reads. 128 + n: signal n (SIGTERM, SIGINT, SIGHUP). The first cause decides.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from sidecar.runtime.ending import Ending
from sidecar.runtime.processes import is_alive

if TYPE_CHECKING:
    import asyncio

logger = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
POLL_SECONDS = 0.25
TOLD_POLL_SECONDS = 5.0
"""Interval where the system reports the end: idle wake-ups are most of an idle process' cost."""


def end_quietly_on_signals() -> None:
    """Until there is a loop, let signals end the process without a traceback; main thread only."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in _signals():
        signal.signal(number, leave)


def end_on_signals(loop: asyncio.AbstractEventLoop, ending: Ending) -> None:
    """Let signals end the server in good order."""
    for number in _signals():
        loop.add_signal_handler(number, ending.reach, 128 + number, f"signal {number}")


def _signals() -> list[signal.Signals]:
    # A process started with nohup is meant to outlive its terminal.
    return [n for n in SIGNALS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]


class ClientProcess(NamedTuple):
    """What could be seen of the client's process when it named it; the earlier, the better.

    A client that dies while the server is still starting was there; one in another container never was.
    """

    process_id: int
    seen: bool
    parent: int

    @classmethod
    def seen_now(cls, process_id: int | None) -> ClientProcess:
        return cls(process_id or 0, bool(process_id and process_id > 0 and is_alive(process_id)), os.getppid())


class ParentWatch:
    """Notice when the process that `initialize` named is gone.

    A pidfd, where available, reports at once and even for a parent that nobody has reaped. A changed parent id says the
    same of our own parent. A process id that was never visible from here (a client in another container) does not count
    as dead.
    """

    def __init__(self, client: ClientProcess, gone: Callable[[], None]) -> None:
        self._gone = gone
        self._client = client

    async def run(self) -> None:
        """Watch until cancelled or until the process is gone."""
        process_id = self._client.process_id
        if process_id <= 0:
            return
        own_parent = self._client.parent
        if not self._client.seen:
            logger.warning("The client's process %d cannot be seen from here.", process_id)
            process_id = own_parent
        own = process_id == own_parent
        # A process that is gone has no pidfd and is not alive either, unless its number was reused within a second.
        descriptor = _open_pidfd(process_id)
        seconds = POLL_SECONDS if descriptor is None else TOLD_POLL_SECONDS
        import asyncio

        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        if descriptor is not None:
            loop.add_reader(descriptor, ended.set)
        try:
            while not ended.is_set() and is_alive(process_id) and (not own or os.getppid() == own_parent):
                try:
                    await asyncio.wait_for(ended.wait(), seconds)
                except TimeoutError:
                    continue
            self._gone()
        finally:
            if descriptor is not None:
                loop.remove_reader(descriptor)
                os.close(descriptor)


def _open_pidfd(process_id: int) -> int | None:
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(process_id))
    except OSError:
        return None
