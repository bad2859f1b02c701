"""Carry messages from the reader's thread to the event loop, and serve some on the way.

Importing pygls and lsprotocol takes most of a start and a fifth of a server's memory, and an agent needs neither:
`initialize` is answered on the reader's thread (`early_initialize.py`), and so are our own requests as long as the
client sends nothing else but which files have changed, until it leaves (`leaving.py`), and later while the loop is
idle. The first other message of LSP's own and everything after it wait for pygls, so that all take effect in order.

Editors wait from the start, because they need pygls at once and are told of changes from before their first answer. So
does, once its first requests are answered, an agent that is to receive requests from us.
"""

from __future__ import annotations

import contextlib
import enum
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from sidecar.lsp.connection import CANCEL, SHUTDOWN, LspConnection
from sidecar.lsp.early_initialize import EarlyAnswer, answer_early
from sidecar.lsp.lifecycle import ParentWatch
from sidecar.runtime.wakeup import Wakeup
from sidecar.wire.messages import Notification, Request
from sidecar.wire.reader import Received

if TYPE_CHECKING:
    import asyncio

EXIT: Final = "exit"
INITIALIZED: Final = "initialized"
WATCHED: Final = "workspace/didChangeWatchedFiles"
MAX_SECONDS: Final = 2.0
"""Maximum time that a request to an agent waits, whatever is being answered."""

_LOOK_SECONDS: Final = 0.01


class _Change(msgspec.Struct):
    uri: str


class _WatchedFiles(msgspec.Struct):
    changes: list[_Change]


_watched: Final = msgspec.json.Decoder(_WatchedFiles)


class EndOfInput:
    """Marks the end of stdin in the mailbox."""


Arrival = Received | EndOfInput | EarlyAnswer


class ClientPhase(enum.Enum):
    """What has been learned of the client, before there is an event loop."""

    UNKNOWN = enum.auto()
    """It has not been answered `initialize`."""
    AGENT = enum.auto()
    """Our own requests are served here, until the first are answered: then it is to receive requests from us."""
    SILENT_AGENT = enum.auto()
    """Our own requests are served here, for as long as it sends nothing of LSP's own."""
    LEAVING = enum.auto()
    """A silent agent has announced its end: `leaving` handles the rest."""
    WHOLE_SERVER = enum.auto()
    """Something waits for the whole server."""


class Mailbox:
    """Keeps messages until there is an event loop, then passes them on."""

    def __init__(self, connection: LspConnection, parent: ParentWatch) -> None:
        self._connection = connection
        self._parent = parent
        self._lock = threading.Lock()
        self._waiting: list[Arrival] = []
        self._phase = ClientPhase.UNKNOWN
        self.wakeup = Wakeup()  # of `wait` and `next`
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived: asyncio.Queue[Sequence[Arrival]] | None = None
        self._answered_at = 0.0
        self._closed = False
        self._batches_passed = self._batches_fetched = 0  # batches of events, to the loop and by it
        self._idle = False  # whether the loop has served everything so far, so that the next message may be served here

    @property
    def leaving(self) -> bool:
        """Return whether the client is leaving without ever having needed the whole server."""
        return self._phase is ClientPhase.LEAVING

    def put(self, events: Sequence[Received | EndOfInput]) -> None:
        """Accept events on any thread; without effect on a loop that has ended."""
        with self._lock:
            if self._closed:
                self._waiting += events
            elif self._loop is not None and self._arrived is not None:
                dispatched = 0
                while self._idle and dispatched < len(events) and self._dispatch_on_reader(events[dispatched]):
                    dispatched += 1
                if dispatched == len(events):
                    return
                self._idle = False
                self._batches_passed += 1
                with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                    self._loop.call_soon_threadsafe(self._arrived.put_nowait, events[dispatched:])
            else:
                for event in events:
                    self._accept(event)

    def close(self) -> None:
        """Leave untaken and later events to `undelivered`, because the loop, if any, has ended."""
        with self._lock:
            self._closed = True
            while self._arrived is not None and not self._arrived.empty():
                self._waiting += self._arrived.get_nowait()

    def undelivered(self) -> list[Arrival]:
        """Return the events that arrived and were not taken, and forget them."""
        with self._lock:
            rest, self._waiting = self._waiting, []
        return rest

    def wait(self, over: Callable[[], bool]) -> None:
        """Wait until the whole server is needed, the client leaves without it, or `over()` is true on a wakeup."""
        while self._phase not in (ClientPhase.WHOLE_SERVER, ClientPhase.LEAVING) and not over():
            self.wakeup.wait(_LOOK_SECONDS if self._phase is ClientPhase.AGENT else None)
            if self._phase is ClientPhase.AGENT:
                busy = any(self._connection.lanes.queued().values())
                if not busy or time.monotonic() - self._answered_at > MAX_SECONDS:
                    return

    def next(self, over: Callable[[], bool]) -> list[Arrival]:
        """Wait for events of a client that is leaving, and return them; empty once `over()` is true."""
        while not (message := self.undelivered()) and not over():
            self.wakeup.wait()
        return message

    async def get(self, *, running: bool = False) -> Sequence[Arrival]:
        """Return the next events on the loop, which has served all earlier ones.

        While the server is `running`, our own requests are served on the reader's thread if none of LSP's came before
        them, because the way through the loop takes as long as many an answer.
        """
        if self._arrived is None:
            import asyncio

            with self._lock:
                self._loop = asyncio.get_running_loop()
                self._arrived = asyncio.Queue()
                self._arrived.put_nowait(self._waiting)
                self._batches_passed += 1
        with self._lock:
            self._idle = running and self._arrived.empty() and self._batches_passed == self._batches_fetched
        events = await self._arrived.get()
        self._batches_fetched += 1
        return events

    def _accept(self, event: Received | EndOfInput) -> None:
        serves = self._phase in (ClientPhase.AGENT, ClientPhase.SILENT_AGENT)
        if self._phase is ClientPhase.LEAVING:
            if not (isinstance(event, Notification) and event.method == CANCEL and self._dispatch(event)):
                self._waiting.append(event)
        elif serves and self._dispatch(event):
            return
        elif self._phase is ClientPhase.SILENT_AGENT and _announces_end(event):
            self._waiting = [event]
            self._phase = ClientPhase.LEAVING
        elif not self._waiting and isinstance(event, Request) and self._answer_initialize(event):
            pass
        else:
            self._waiting.append(event)
            initialized = isinstance(event, Notification) and event.method == INITIALIZED
            if initialized and self._phase is ClientPhase.SILENT_AGENT:
                self._connection.warm_up(self._warm_up)
            if not (initialized and serves):
                self._phase = ClientPhase.WHOLE_SERVER
        self.wakeup.wake()

    def _answer_initialize(self, request: Request) -> bool:
        early = answer_early(request)
        if early is None:
            return False
        answered, frame = early
        self._connection.send(frame)
        self._connection.begin(answered.client_info)
        self._parent.begin(answered.client)
        self._waiting.append(answered)
        self._answered_at = time.monotonic()
        if answered.client_info.silent:
            self._phase = ClientPhase.SILENT_AGENT
        else:
            self._phase = ClientPhase.AGENT if answered.client_info.agent else ClientPhase.WHOLE_SERVER
        return True

    def _warm_up(self) -> None:
        self._connection.host.engine().warm_up(None, INITIALIZED, if_set=True)

    def _dispatch_on_reader(self, event: Arrival) -> bool:
        if isinstance(event, Notification) and event.method == CANCEL:
            return False  # what it takes back may belong to the loop
        return not isinstance(event, EarlyAnswer) and self._dispatch(event)

    def _dispatch(self, event: Received | EndOfInput) -> bool:
        if isinstance(event, Request):
            return self._connection.request(event)
        if isinstance(event, Notification) and event.method == WATCHED:
            return self._note_changes(event.params)
        return isinstance(event, Notification) and self._connection.notification(event)

    def _note_changes(self, params: msgspec.Raw) -> bool:
        """Report changed files to the engine; return False if pygls is to say what is wrong with the parameters."""
        try:
            uris = [change.uri for change in _watched.decode(params).changes]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        self._connection.setup.notify_engine(lambda engine: engine.files_changed(uris))
        return True


def _announces_end(event: Received | EndOfInput) -> bool:
    if isinstance(event, Request):
        return event.method == SHUTDOWN
    return isinstance(event, EndOfInput) or (isinstance(event, Notification) and event.method == EXIT)
