"""When the process ends, and with which exit code.

0: `exit`, or the end of stdin, after `shutdown`. 1: `exit` or the end of stdin without `shutdown`, a dead parent, or a
client that no longer reads. 128 + n: signal n (SIGTERM, SIGINT, SIGHUP). The first cause decides.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from sidecar.runtime.ending import Ending
from sidecar.system.processes import ENDING_SIGNALS, is_alive
from sidecar.system.readiness import readable

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)

PARENT_POLL_SECONDS = 0.25
PIDFD_POLL_SECONDS = 5.0
"""Interval where a pidfd reports the end, because idle wake-ups are most of an idle process's cost."""


def end_quietly_on_signals() -> None:
    """Let signals end the process without a traceback until there is a loop; main thread only."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in _signals():
        signal.signal(number, leave)


def note_signals(numbers: list[int]) -> None:
    """Append the number of each signal to `numbers` until there is a loop."""
    for number in _signals():
        signal.signal(number, lambda number, _: numbers.append(number))


def end_on_signals(loop: asyncio.AbstractEventLoop, ending: Ending) -> None:
    """Let signals end the server in an orderly way."""
    for number in _signals():
        loop.add_signal_handler(number, ending.reach, 128 + number, f"signal {number}")


def _signals() -> list[signal.Signals]:
    # A process started with nohup is meant to outlive its terminal.
    return [n for n in ENDING_SIGNALS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]


class ClientProcess(NamedTuple):
    """Whether the client's process was visible when the client named it.

    This is recorded early: a client that dies while the server starts counts as gone, a client in another container
    does not.
    """

    process_id: int
    seen: bool
    parent: int

    @classmethod
    def seen_now(cls, process_id: int | None) -> ClientProcess:
        return cls(process_id or 0, bool(process_id and process_id > 0 and is_alive(process_id)), os.getppid())


class ParentWatch:
    """Notices, on a thread, when the process that `initialize` named is gone.

    A pidfd, where available, reports the end at once, even of a process that nobody has reaped. For our own parent, a
    changed parent id reports it. A process that was never visible from here, such as a client in another container,
    does not count as dead.
    """

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self._client: ClientProcess | None = None
        self._stopped = threading.Event()

    def watch(self, client: ClientProcess) -> None:
        """Watch until stopped or until the process is gone; only the first call counts."""
        if self._client is None:
            self._client = client
            if client.process_id > 0:
                threading.Thread(target=self._run, args=(client,), name="sidecar-parent", daemon=True).start()

    def stop(self) -> None:
        """Stop watching: the end of the process is no reason to end any more."""
        self._stopped.set()

    def _run(self, client: ClientProcess) -> None:
        process_id, own_parent = client.process_id, client.parent
        if not client.seen:
            log.warning("The client's process %d cannot be seen from here.", process_id)
            process_id = own_parent
        is_parent = process_id == own_parent
        # A process that is gone has no pidfd and is not alive either, unless its number was reused within a second.
        descriptor = _open_pidfd(process_id)
        ended = False
        while not ended and is_alive(process_id) and (not is_parent or os.getppid() == own_parent):
            if descriptor is None:
                ended = self._stopped.wait(PARENT_POLL_SECONDS)
            else:
                ended = bool(readable([descriptor], PIDFD_POLL_SECONDS)) or self._stopped.is_set()
        if descriptor is not None:
            os.close(descriptor)
        if not self._stopped.is_set():
            self._ending.reach(1, "the client's process is gone")


def _open_pidfd(process_id: int) -> int | None:
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(process_id))
    except OSError:
        return None
