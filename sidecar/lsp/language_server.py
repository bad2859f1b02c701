"""The server object of one connection: pygls' `LanguageServer` with our protocol, lanes and session."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sidecar import __version__
from sidecar.lsp.abilities import Abilities
from sidecar.lsp.documents import OpenDocuments
from sidecar.lsp.features import register_features
from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.features.store_changes import StoreFollower
from sidecar.lsp.limits import SETTLE_SECONDS
from sidecar.lsp.protocol import SidecarProtocol
from sidecar.lsp.service import Service

logger = logging.getLogger(__name__)


class SidecarServer(LanguageServer):
    """One connection: LSP on top of the service of our own methods; `exit` gets the exit code at most once."""

    protocol: SidecarProtocol

    def __init__(self, service: Service, *, exit: Callable[[int], None]) -> None:
        self.service = service
        self.send = service.send
        self.exit = exit
        self.methods = service.methods
        self.inflight = service.inflight
        self.lanes = service.lanes
        self.session = service.session
        self.dispatcher = service.dispatcher
        self.notify_client = service.notify
        self._wind_down_by = math.inf
        super().__init__(
            name="memory-sidecar",
            version=__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=SidecarProtocol,
            converter_factory=default_converter,
        )
        self.abilities = Abilities()  # until `initialize` declares more
        self.documents = OpenDocuments()
        self.publisher = DiagnosticsPublisher(self)
        self.follower = StoreFollower(self)
        service.noticed.subscribe(self.follower.noticed)
        self.session.opened.subscribe(self.follower.opened)
        register_features(self)

    def hurry(self, seconds: float) -> None:
        """Limit a running or later wind-down to this many seconds."""
        self._wind_down_by = min(self._wind_down_by, time.monotonic() + seconds)

    async def wind_down(self, seconds: float, longest: float = 0.0) -> None:
        """Let reads and writes in flight end within `seconds`, then answer the rest with -32800.

        As long as they are answered one after another they get more time, up to `longest`.
        """
        self.hurry(seconds)
        latest = time.monotonic() + longest
        for pending in self.inflight.all():
            row = self.methods.get(pending.method)
            if row is not None and row.lane == "slow":
                self.dispatcher.cancel_pending(pending)
        left = len(self.inflight.all())
        while not self.lanes.drain(("write", "read"), 0) and time.monotonic() < self._wind_down_by:
            await asyncio.sleep(0.005)
            if (still := len(self.inflight.all())) < left:
                left = still
                self._wind_down_by = max(self._wind_down_by, min(latest, time.monotonic() + seconds))
        for pending in self.inflight.all():
            if pending.method != types.SHUTDOWN:
                self.dispatcher.cancel_pending(pending)

    async def settle(self) -> None:
        """Let the engine store what is waiting, within a bound."""
        settled = self.session.host.settled()
        until = time.monotonic() + SETTLE_SECONDS
        while not settled.is_set() and time.monotonic() < until:
            await asyncio.sleep(0.005)
