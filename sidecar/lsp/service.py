"""Serve the rows of the method table for one connection, before pygls is imported and after.

Knows no LSP beyond which folders to open. `SidecarServer` adds LSP's own methods on top of it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import msgspec

from protocol.errors import ErrorCode
from protocol.methods import Method
from sidecar.lsp.client_info import ClientInfo
from sidecar.lsp.dispatch import Dispatcher
from sidecar.lsp.session import ClientSession, EngineFactory, SettingsLoader
from sidecar.runtime.event import Event
from sidecar.runtime.lanes import Lanes
from sidecar.wire.inflight import InFlight
from sidecar.wire.messages import Id, Notification, Request, error_response, notification

logger = logging.getLogger(__name__)

CANCEL = "$/cancelRequest"
_SHOWN = 200  # characters of a client's text in an error


class _CancelParams(msgspec.Struct):
    id: int | str


# Made while there is one thread: see `sidecar.engine.decoder_warmup`.
_cancel_params = msgspec.json.Decoder(_CancelParams)


class Service:
    """One connection's own methods. `send` takes whole frames on any thread, `room` blocks until there is room for
    more.

    Nothing but answers is sent before `begin`.
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        room: Callable[[], None],
        *,
        engine_factory: EngineFactory,
        load_settings: SettingsLoader,
        environ: Mapping[str, str],
        methods: Mapping[str, Method],
    ) -> None:
        self.send = send
        self.methods = methods
        self.inflight = InFlight()
        self.lanes = Lanes()
        self.begun = False
        self.noticed: Event[[str, msgspec.Struct]] = Event()
        self._person = False
        self.session = ClientSession(
            self.lanes,
            notify=self.notify,
            tell=self.tell,
            engine_factory=engine_factory,
            load_settings=load_settings,
            environ=environ,
        )
        self.dispatcher = Dispatcher(self.lanes, self.inflight, self.session.engine, send, room)

    def begin(self, client: ClientInfo) -> None:
        """Open what the client named, in the background, once `initialize` is answered; only the first call counts."""
        if not self.begun:
            self.begun = True
            self._person = client.person
            self.session.prepare(client)
            self.session.begin()

    def request(self, request: Request) -> bool:
        """Serve a request of the table in its lane; return False for any other and ignore it."""
        row = self.methods.get(request.method)
        if row is None or row.sender != "client" or row.result is None:
            return False
        pending = self.inflight.open(request.id, request.method)
        if pending is None:
            self.refuse_double(request.id)
        else:
            pending.call.by_person = self._person
            self.dispatcher.request(pending, row, request.params)
        return True

    def notification(self, given: Notification) -> bool:
        """Take a notification of the table or `$/cancelRequest`; return False for any other and ignore it."""
        if given.method == CANCEL:
            try:
                self.dispatcher.cancel(_cancel_params.decode(given.params).id)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                logger.warning("Ignored a cancellation: %s.", error)
            return True
        row = self.methods.get(given.method)
        if row is None or row.sender != "client" or row.result is not None:
            return False
        self.dispatcher.notification(row, given.params)
        return True

    def refuse_double(self, id: Id) -> None:
        """Refuse a request whose id is in flight already."""
        reason = f"A request with the id {brief(id)} is still in flight."
        self.send(error_response(id, ErrorCode.INVALID_REQUEST, reason))

    def notify(self, method: str, params: msgspec.Struct) -> None:
        """Send a notification of the table, on any thread; dropped before `begin`."""
        if self.begun:
            self.send(notification(method, params))
            self.noticed(method, params)

    def tell(self, method: str, kind: int, message: str) -> None:
        """Send `window/showMessage` or `window/logMessage`, like `notify`; `kind` is LSP's MessageType."""
        if self.begun:
            self.send(notification(method, {"type": int(kind), "message": message}))


def brief(given: object) -> str:
    """Shorten a client's text for an error."""
    text = repr(given)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
