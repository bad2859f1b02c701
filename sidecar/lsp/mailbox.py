"""Messages on their way from the reader's thread to the event loop."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidecar.lsp.early_initialize import EarlyAnswer
from sidecar.wire.reader import Received

if TYPE_CHECKING:
    import asyncio


class EndOfInput:
    """Marks the end of stdin in the mailbox."""


Arrival = Received | EndOfInput | EarlyAnswer


class Mailbox:
    """Keeps messages until there is an event loop, then passes them on. Thread-safe."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._waiting: list[Arrival] = []  # before there is a loop, or after its end
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived: asyncio.Queue[Sequence[Arrival]] | None = None
        self._closed = False
        self._batches_passed = self._batches_fetched = 0  # batches of events, to the loop and by it
        self.loop_is_idle = False
        """The loop has served everything so far, so that the next message may be served without it."""

    @property
    def awaits_loop(self) -> bool:
        return self._arrived is None and not self._closed

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def put(self, events: Sequence[Arrival]) -> None:
        """Pass events to the loop; before and after the loop, keep them for `undelivered`."""
        with self.lock:
            self.loop_is_idle = False
            if self._closed or self._loop is None or self._arrived is None:
                self._waiting += events
                return
            self._batches_passed += 1
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._arrived.put_nowait, events)

    def close(self) -> None:
        """Keep later events and those not yet taken for `undelivered`, because the loop, if any, has ended."""
        with self.lock:
            self._closed, self.loop_is_idle = True, False
            while self._arrived is not None and not self._arrived.empty():
                self._waiting += self._arrived.get_nowait()

    def undelivered(self) -> list[Arrival]:
        """Return the events that nobody has taken, and forget them."""
        with self.lock:
            rest, self._waiting = self._waiting, []
        return rest

    async def get(self, *, running: bool = False) -> Sequence[Arrival]:
        """Return the next events. Call this on the loop, when all earlier events are served.

        While the server is `running` and no event waits, `loop_is_idle` holds, because the way through the loop often
        takes as long as the answer itself.
        """
        if self._arrived is None:
            import asyncio

            with self.lock:
                self._loop = asyncio.get_running_loop()
                self._arrived = asyncio.Queue()
                self._arrived.put_nowait(self.undelivered())
                self._batches_passed += 1
        with self.lock:
            self.loop_is_idle = running and self._arrived.empty() and self._batches_passed == self._batches_fetched
        events = await self._arrived.get()
        self._batches_fetched += 1
        return events
