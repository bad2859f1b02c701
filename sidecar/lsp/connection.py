"""What one connection needs before pygls is imported and after: setup, dispatcher, lanes, and how they wind down.

This module knows no LSP beyond which folders to open; `SidecarServer` adds LSP's own methods on top of it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator

from protocol.errors import ErrorCode
from sidecar.lsp.client_info import ClientInfo
from sidecar.lsp.client_setup import ClientSetup, ServerOptions
from sidecar.lsp.dispatch import Dispatcher
from sidecar.lsp.limits import SETTLE_SECONDS
from sidecar.runtime.lanes import Lanes
from sidecar.wire.framing import BadFrame
from sidecar.wire.inflight import InFlight
from sidecar.wire.messages import Invalid, error_response
from sidecar.wire.notification_sender import NotificationSender

log = logging.getLogger(__name__)

SHUTDOWN = "shutdown"


class Connection:
    """The parts of one connection; nothing but answers is sent before `begin`.

    `send` takes whole frames on any thread, `wait_for_room` blocks until there is room for more.
    """

    def __init__(
        self, send: Callable[[bytes], None], wait_for_room: Callable[[], None], options: ServerOptions
    ) -> None:
        self.send = send
        self.methods = options.methods
        self.inflight = InFlight()
        self.lanes = Lanes()
        self.notifications = NotificationSender(send)
        self._warmed = False
        self._wind_down_by = math.inf
        self.setup = ClientSetup(self.lanes, options, self.notifications)
        self.dispatcher = Dispatcher(self.setup, options.methods, self.inflight, self.lanes, send, wait_for_room)

    def begin(self, client: ClientInfo) -> None:
        """Open what the client named, in the background, once `initialize` is answered; only the first call counts."""
        if self.notifications.begin():
            self.setup.set_client(client)
            self.setup.begin()

    def warm_up(self, task: Callable[[], None]) -> None:
        """Run `task`, which reads the workspaces' files, in the background; only the first call counts."""
        if not self._warmed:
            self._warmed = True
            # The folders are being opened in this lane.
            self.lanes.submit("write", lambda: self.lanes.submit("background", task))

    def hurry(self, seconds: float) -> None:
        """Limit a running or later wind-down to this many seconds."""
        self._wind_down_by = min(self._wind_down_by, time.monotonic() + seconds)

    def winding_down(self, seconds: float, longest: float = 0.0) -> Iterator[None]:
        """Yield while reads and writes in flight end within `seconds`, then answer the rest with -32800.

        As long as they are answered one after another, they get more time, up to `longest`.
        """
        self.hurry(seconds)
        latest = time.monotonic() + longest
        for pending in self.inflight.all():
            row = self.methods.get(pending.method)
            if row is not None and row.lane == "slow":
                self.dispatcher.cancel_pending(pending)
        unanswered = len(self.inflight.all())
        while not self.lanes.drain(("write", "read"), 0) and time.monotonic() < self._wind_down_by:
            yield
            if (still := len(self.inflight.all())) < unanswered:
                unanswered = still
                self._wind_down_by = max(self._wind_down_by, min(latest, time.monotonic() + seconds))
        for pending in self.inflight.all():
            if pending.method != SHUTDOWN:
                self.dispatcher.cancel_pending(pending)

    def storing_pending(self) -> Iterator[None]:
        """Yield while the engine stores what is pending, within a bound."""
        stored = self.setup.host.pending_stored()
        until = time.monotonic() + SETTLE_SECONDS
        while not stored.is_set() and time.monotonic() < until:
            yield

    def refuse(self, event: Invalid | BadFrame) -> None:
        """Answer something that is not a JSON-RPC message, if it can be answered."""
        if isinstance(event, Invalid):
            self.send(error_response(event.id, ErrorCode.INVALID_REQUEST, event.reason))
            return
        log.info("A bad frame (%s): %s.", event.fault, event.reason.rstrip("."))
        if event.fault == "body":
            self.send(error_response(None, ErrorCode.PARSE_ERROR, event.reason))
        elif event.fault == "tooLarge":
            self.send(error_response(None, ErrorCode.INVALID_REQUEST, event.reason))
