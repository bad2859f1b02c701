"""Serve what needs no event loop on the reader's thread.

Importing pygls and lsprotocol takes most of a start and a fifth of a server's memory, so it waits until something needs
them. Until then the reader's thread answers `initialize` (`early_initialize.py`), serves our own methods and reports of
changed files, and lets the client leave (`leaving.py`). The first other message of LSP's own and every later message
wait for pygls, so that all take effect in order. Afterwards our own methods are served here while the loop is idle.

For an editor pygls is imported at once: an editor needs more than our own methods, and is told of changes that came
before its first answer. For an agent that we send requests to, pygls is imported after the agent's first answers.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Sequence
from typing import Final

from sidecar.lsp.connection import CANCEL, SHUTDOWN, LspConnection
from sidecar.lsp.early_initialize import answer_early
from sidecar.lsp.lifecycle import ParentWatch
from sidecar.lsp.mailbox import Arrival, EndOfInput, Mailbox
from sidecar.runtime.wakeup import Wakeup
from sidecar.wire.messages import Notification, Request
from sidecar.wire.reader import Received

EXIT: Final = "exit"
INITIALIZED: Final = "initialized"
MAX_SECONDS: Final = 2.0
"""Maximum time for which our requests to an agent wait while its first requests are answered."""

_CHECK_SECONDS: Final = 0.01


class ClientPhase(enum.Enum):
    """What is known of the client before there is an event loop."""

    UNKNOWN = enum.auto()
    """`initialize` has not been answered."""
    AGENT = enum.auto()
    """Our own methods are served here until the first answers; then pygls is imported, to send this client requests."""
    SILENT_AGENT = enum.auto()
    """Our own methods are served here for as long as the client sends no message of LSP's own."""
    LEAVING = enum.auto()
    """A silent agent has announced its end: `leaving` handles the rest."""
    WHOLE_SERVER = enum.auto()
    """Something waits for the whole server."""


class EarlyServing:
    """Serves messages on the reader's thread, and leaves in `mailbox` the messages that need the event loop."""

    def __init__(self, connection: LspConnection, parent: ParentWatch) -> None:
        self._connection = connection
        self._parent = parent
        self._phase = ClientPhase.UNKNOWN
        self._answered_at = 0.0
        self.mailbox = Mailbox()
        self.wakeup = Wakeup()  # of `wait` and `next`

    @property
    def leaving(self) -> bool:
        """Return whether the client is leaving without ever having needed the whole server."""
        return self._phase is ClientPhase.LEAVING

    def receive(self, events: Sequence[Received | EndOfInput]) -> None:
        """Serve events, or leave them in the mailbox. Call this on the reader's thread only."""
        with self.mailbox.lock:  # so that an end or a new loop comes before these events or after them
            if self.mailbox.awaits_loop:
                for event in events:
                    self._accept(event)
            else:
                served = 0
                while self.mailbox.loop_is_idle and served < len(events) and self._serve_beside_loop(events[served]):
                    served += 1
                if served < len(events):
                    self.mailbox.put(events[served:])

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Wait until the whole server is needed, the client leaves without it, or `is_over()` is true on a wakeup."""
        while self._phase not in (ClientPhase.WHOLE_SERVER, ClientPhase.LEAVING) and not is_over():
            self.wakeup.wait(_CHECK_SECONDS if self._phase is ClientPhase.AGENT else None)
            if self._phase is ClientPhase.AGENT:
                busy = any(self._connection.lanes.queued().values())
                if not busy or time.monotonic() - self._answered_at > MAX_SECONDS:
                    return

    def next(self, is_over: Callable[[], bool]) -> list[Arrival]:
        """Wait for the next events of a client that is leaving; return none once `is_over()` is true."""
        while not (events := self.mailbox.undelivered()) and not is_over():
            self.wakeup.wait()
        return events

    def _accept(self, event: Received | EndOfInput) -> None:
        serves = self._phase in (ClientPhase.AGENT, ClientPhase.SILENT_AGENT)
        if self._phase is ClientPhase.LEAVING:
            if not (isinstance(event, Notification) and event.method == CANCEL and self._connection.serve(event)):
                self.mailbox.put([event])
        elif serves and self._connection.serve(event):
            return
        elif self._phase is ClientPhase.SILENT_AGENT and _announces_end(event):
            self.mailbox.undelivered()  # only `initialize` and `initialized`, which are answered
            self.mailbox.put([event])
            self._phase = ClientPhase.LEAVING
        elif not self.mailbox.is_empty or not isinstance(event, Request) or not self._answer_initialize(event):
            self.mailbox.put([event])
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
        self.mailbox.put([answered])
        self._answered_at = time.monotonic()
        if answered.client_info.silent:
            self._phase = ClientPhase.SILENT_AGENT
        else:
            self._phase = ClientPhase.AGENT if answered.client_info.agent else ClientPhase.WHOLE_SERVER
        return True

    def _warm_up(self) -> None:
        self._connection.engine().warm_up(None, INITIALIZED, if_set=True)

    def _serve_beside_loop(self, event: Received | EndOfInput) -> bool:
        if isinstance(event, Notification) and event.method == CANCEL:
            return False  # the cancelled request may belong to the loop
        return self._connection.serve(event)


def _announces_end(event: Received | EndOfInput) -> bool:
    if isinstance(event, Request):
        return event.method == SHUTDOWN
    return isinstance(event, EndOfInput) or (isinstance(event, Notification) and event.method == EXIT)
