"""Where a client's messages arrive: each is served at once, or waits for the event loop.

Importing pygls and lsprotocol takes most of a start and a fifth of a server's memory, so it waits until something
needs them. Until then the reader's thread answers `initialize` (`early_initialize.py`), serves our own methods and
reports of changed files, and lets the client leave (`leaving.py`). The first other message of LSP's own waits for
pygls, and so does every message after it, so that all take effect in order. Afterwards our own methods are served at
once while the loop is idle, because the way through the loop often takes as long as the answer itself.

For an editor pygls is imported at once: an editor uses LSP's own methods, and must hear of changes made before its
first answer. For an agent that we send requests to, pygls is imported after the agent's first answers.
"""

from __future__ import annotations

import contextlib
import enum
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from sidecar.lsp.connection import CANCEL, EndOfInput, LspConnection
from sidecar.lsp.early_initialize import EarlyAnswer, answer_early
from sidecar.lsp.process_end import ParentWatch
from sidecar.runtime.wakeup import Wakeup
from sidecar.wire.messages import Notification, Request
from sidecar.wire.reader import Received

if TYPE_CHECKING:
    import asyncio

INITIALIZED: Final = "initialized"
FIRST_ANSWERS_SECONDS: Final = 2.0
"""How long this server keeps back its own requests to an agent, so that the agent's first ones are answered first."""

_CHECK_SECONDS: Final = 0.01


Arrival = Received | EndOfInput | EarlyAnswer


class InboxMode(enum.Enum):
    """Which messages are served at once; it depends on the client."""

    UNKNOWN = enum.auto()
    """`initialize` has not been answered."""
    AGENT = enum.auto()
    """Our own methods are served at once until the first answers; then pygls is imported, to send requests."""
    SILENT_AGENT = enum.auto()
    """Our own methods are served at once for as long as the client sends no message of LSP's own."""
    WHOLE_SERVER = enum.auto()
    """Something waits for the event loop, or it runs."""


class Inbox:
    """Serves messages on the reader's thread, and keeps those that need the event loop until it fetches them.

    Thread-safe; only the reader's thread calls `receive`.
    """

    def __init__(self, connection: LspConnection, parent: ParentWatch) -> None:
        self._connection = connection
        self._parent = parent
        self._lock = threading.Lock()
        self._mode = InboxMode.UNKNOWN
        self._answered_at = 0.0
        self._waiting: list[Arrival] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived: asyncio.Event | None = None  # made by the loop, which waits for it
        self._loop_is_idle = False  # the loop has served all that it fetched, and no message waits for it
        self.wakeup = Wakeup()  # ends `wait`

    def receive(self, messages: Sequence[Received | EndOfInput]) -> None:
        """Serve messages, or keep them for the loop."""
        for message in messages:
            with self._lock:  # so that a new loop, or its end, comes before this message or after it
                served = self._may_be_served(message) and self._connection.route(message)
                if not served and not self._answer_initialize(message):
                    self._keep(message)

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Wait until the whole server is needed, or `is_over()` returns True."""
        while self._mode is not InboxMode.WHOLE_SERVER and not is_over():
            self.wakeup.wait(_CHECK_SECONDS if self._mode is InboxMode.AGENT else None)
            if self._mode is InboxMode.AGENT and self._connection.is_running:
                busy = any(self._connection.lanes.queued().values())
                if not busy or time.monotonic() - self._answered_at > FIRST_ANSWERS_SECONDS:
                    return

    async def fetch(self, *, running: bool) -> list[Arrival]:
        """Return the next messages. Call this on the loop, when all earlier messages are served.

        While the server is `running` and nothing waits, the reader's thread serves our own methods itself.
        """
        if self._arrived is None:
            import asyncio  # by now pygls has imported it

            self._arrived = asyncio.Event()
            self._loop = asyncio.get_running_loop()
        while True:
            with self._lock:
                self._mode = InboxMode.WHOLE_SERVER
                self._arrived.clear()
                messages, self._waiting = self._waiting, []
                self._loop_is_idle = running and not messages
            if messages:
                return messages
            await self._arrived.wait()

    def close(self) -> None:
        """From now on keep every message for `take_all`, because the loop, if any, has ended."""
        with self._lock:
            self._mode, self._loop_is_idle = InboxMode.WHOLE_SERVER, False

    def take_all(self) -> list[Arrival]:
        """Return the messages that wait, and forget them."""
        with self._lock:
            messages, self._waiting = self._waiting, []
        return messages

    def _may_be_served(self, message: Received | EndOfInput) -> bool:
        """Return whether nothing before this message waits for the loop."""
        if isinstance(message, Notification) and message.method == CANCEL:
            # Once there is a loop, the cancelled request may belong to it.
            return self._mode in (InboxMode.AGENT, InboxMode.SILENT_AGENT)
        return self._loop_is_idle or self._mode in (InboxMode.AGENT, InboxMode.SILENT_AGENT)

    def _keep(self, message: Received | EndOfInput) -> None:
        self._loop_is_idle = False
        initialized = isinstance(message, Notification) and message.method == INITIALIZED
        if initialized and self._mode is InboxMode.SILENT_AGENT:
            self._connection.warm_up(self._warm_up)
        if not (initialized and self._mode in (InboxMode.AGENT, InboxMode.SILENT_AGENT)):
            self._mode = InboxMode.WHOLE_SERVER
        self._waiting.append(message)
        if self._loop is None or self._arrived is None:
            self.wakeup.wake()
        elif len(self._waiting) == 1:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._arrived.set)

    def _answer_initialize(self, message: Received | EndOfInput) -> bool:
        """Answer `initialize`, if it is plain; return whether this was done."""
        if self._mode is not InboxMode.UNKNOWN or not isinstance(message, Request):
            return False
        early = answer_early(message)
        if early is None:
            return False
        answered, frame = early
        self._connection.send(frame)
        self._connection.start_running(answered.client_info)
        self._parent.watch(answered.client)
        self._waiting.append(answered)
        self._answered_at = time.monotonic()
        if answered.client_info.silent:
            self._mode = InboxMode.SILENT_AGENT
        else:
            self._mode = InboxMode.AGENT if answered.client_info.agent else InboxMode.WHOLE_SERVER
        self.wakeup.wake()
        return True

    def _warm_up(self) -> None:
        self._connection.engine().warm_up(None, INITIALIZED, if_set=True)
