"""pygls' protocol class on top of our wire.

pygls keeps capabilities, workspace folders, progress tokens and requests to the client. Every message that
`LspConnection.route` does not take arrives through `receive`, and every frame leaves through `_send_data` or the
connection. So the rules of JSON-RPC and LSP hold: one response for each request, and the right error for each kind of
mistake.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from protocol.errors import ErrorCode
from sidecar.checkout.paths import folder_of
from sidecar.lsp.client_info import UNKNOWN_CLIENT, read_client_info
from sidecar.lsp.early_initialize import Capabilities, EarlyAnswer, initialize_result
from sidecar.lsp.failures import brief, invalid_lsp_params
from sidecar.lsp.positions import encoding_of
from sidecar.runtime.errors import InvalidField
from sidecar.wire.inflight import Pending
from sidecar.wire.messages import Notification, Request, Response, error_response, frame, response
from sidecar.wire.reader import Received

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer

log = logging.getLogger(__name__)

_NOT_FOR_PYGLS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_EXECUTE_COMMAND,
)
"""Methods that pygls must not handle: it would keep every text, and call a command without its lane."""


class SidecarProtocol(LanguageServerProtocol):
    """The state machine of one connection; everything but `_send_data` and `_cancel_soon` runs on the event loop."""

    _server: SidecarServer

    def __init__(self, server: SidecarServer, converter: Converter) -> None:
        super().__init__(server, converter)
        for method in _NOT_FOR_PYGLS:
            self.fm.builtin_features.pop(method, None)
        self._connection = server.connection
        self._greeted = False
        self._keys = itertools.count()
        self._early: EarlyAnswer | None = None
        self._client = UNKNOWN_CLIENT

    # -- incoming --------------------------------------------------------------------------------------------

    def receive(self, message: Received) -> None:
        """Handle a message of LSP's own that the connection does not serve; never raises."""
        if isinstance(message, Request):
            key = f"request-{next(self._keys)}"  # the client may use the id again before work on it has ended
            cancel = partial(self._cancel_soon, asyncio.get_running_loop(), key)
            pending = Pending(message.id, message.method, on_cancel=cancel)
            if self._connection.requests.accept(pending):
                self._serve(pending, message.params, key)
        elif isinstance(message, Notification):
            self._on_notification(message)
        elif isinstance(message, Response):
            self._on_response(message)

    def resume(self, answered: EarlyAnswer) -> None:
        """Process an `initialize` that was answered before this class was imported; never raises."""
        pending = Pending("greeted", types.INITIALIZE)  # the client may have reused its id by now
        pending.settled = True
        self._early = answered
        self._serve(pending, answered.request.params, "greeted")
        if not self._greeted:
            log.error("What the client said in `initialize` could not be used.")
            self._connection.leaving.exit()

    def _no_method(self, method: str) -> str:
        known = self._connection.methods.get(method)
        if known is not None and known.sender == "client":
            return f"{brief(method)} is a notification: send it without an id."
        return f"There is no method {brief(method)}."

    def _serve(self, pending: Pending, params: msgspec.Raw, key: str) -> None:
        method = pending.method
        handler = self._handler(method) if _is_request(method) else None
        if handler is None:
            unknown = error_response(pending.id, ErrorCode.METHOD_NOT_FOUND, self._no_method(method))
            self._connection.requests.answer(pending, unknown)
            return
        try:
            decoded = self._structure(method, params)
        except InvalidField as error:
            self._connection.requests.fail(pending, error)
            return
        done = partial(self._feature_done, key=key, pending=pending)
        context = contextvars.copy_context()
        context.run(self._ctx_msg_id.set, pending.id)
        context.run(self._execute_handler, key, handler, done, (decoded,))

    def _on_notification(self, notification: Notification) -> None:
        method = notification.method
        if method in self._connection.methods:
            log.warning("%s was ignored: it is a request and came without an id.", method)
        else:
            self._notify_feature(method, notification.params)

    def _notify_feature(self, method: str, params: msgspec.Raw) -> None:
        handler = None if _is_request(method) else self._handler(method)
        if handler is None:
            log.debug("The notification %s was ignored.", method)
            return
        try:
            decoded = self._structure(method, params)
        except InvalidField as error:
            log.warning("%s was ignored: %s", method, error.message)
            return
        key = f"notification-{next(self._keys)}"
        self._execute_handler(key, handler, partial(self._notification_done, key=key, method=method), (decoded,))

    def _on_response(self, answer: Response) -> None:
        # The client's own ids are never in _result_types: it cannot answer itself.
        if answer.id is None or answer.id not in self._result_types:
            log.warning("A response was ignored: it answers none of our requests.")
            return
        kind = self._result_types.pop(answer.id)
        future = self._request_futures.pop(answer.id, None)
        if future is None or future.done():
            return
        try:
            if answer.error is not None:
                error = self._converter.structure(msgspec.json.decode(answer.error), types.ResponseError)
                future.set_exception(JsonRpcException.from_error(error))
                return
            result = None if answer.result is None else msgspec.json.decode(answer.result)
            if kind is not None:
                message = {"jsonrpc": "2.0", "id": answer.id, "result": result}
                result = self._converter.structure(message, kind).result
            future.set_result(result)
        except Exception as error:  # noqa: BLE001 - any reply of any client
            log.warning("A response of the client could not be read: %s.", type(error).__name__)
            future.set_exception(JsonRpcException("The client's response could not be read."))

    def _known_capabilities(self, capabilities: object) -> dict[str, Any]:
        """Return the capabilities whose shape LSP knows, each judged separately."""
        accepted: dict[str, Any] = {}
        for section, values in (capabilities if isinstance(capabilities, dict) else {}).items():
            for name, value in (values if isinstance(values, dict) else {}).items():
                try:
                    self._converter.structure({section: {name: value}}, types.ClientCapabilities)
                except Exception:  # noqa: BLE001 - cattrs raises whatever its hooks raise
                    log.info("The client's capability %s.%s is not known.", brief(section), brief(name))
                else:
                    accepted.setdefault(section, {})[name] = value
        return accepted

    # -- LSP's own methods -----------------------------------------------------------------------------------

    def _handler(self, method: str) -> Any:
        return self.fm.builtin_features.get(method) or self.fm.features.get(method)

    def _structure(self, method: str, params: msgspec.Raw) -> Any:
        """Decode the parameters of an LSP method. Raises `InvalidField`."""
        kind: Any = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
        if kind is None:
            return None
        try:
            plain = msgspec.json.decode(params)
            try:
                return self._converter.structure(plain, kind)
            except Exception:
                if method != types.INITIALIZE or not isinstance(plain, dict):
                    raise
                # A client newer than lsprotocol may declare what the types do not know. That must not keep it out, so
                # parts that we never read are dropped.
                plain["capabilities"] = self._known_capabilities(plain.get("capabilities"))
                for folder in plain.get("workspaceFolders") or ():
                    if isinstance(folder, dict):
                        folder.setdefault("name", "")  # required, but never read
                return self._converter.structure(plain, kind)
        except Exception as error:  # noqa: BLE001 - cattrs raises whatever its hooks raise
            raise invalid_lsp_params(error) from None

    def _feature_done(self, future: Future[Any], *, key: str, pending: Pending) -> None:
        self._request_futures.pop(key, None)
        self._answer_feature(future, pending)

    def _run_generator(
        self, future: Future[Any] | None, *, gen: Generator[Any, Any, Any], result_future: Future[Any]
    ) -> None:
        """Override pygls, which lets the cancellation of an async handler escape into the event loop."""
        if future is not None and future.cancelled():
            gen.close()
            result_future.cancel()
            return
        super()._run_generator(future, gen=gen, result_future=result_future)

    def _answer_feature(self, future: Future[Any], pending: Pending) -> None:
        if future.cancelled():
            self._connection.requests.cancel(pending)
            return
        error = future.exception()
        if isinstance(error, JsonRpcException):
            self._connection.requests.answer(pending, error_response(pending.id, error.code, error.message))
        elif error is not None:
            self._connection.requests.fail(pending, error)
        else:
            try:
                result = msgspec.json.encode(self._converter.unstructure(future.result()))
            except Exception as failure:  # noqa: BLE001 - the caller is owed an answer
                self._connection.requests.fail(pending, failure)
                return
            self._connection.requests.answer(pending, response(pending.id, result))
            if pending.method == types.INITIALIZE:
                self._greeted = True
                self._connection.start_running(self._client)

    def _notification_done(self, future: Future[Any], *, key: str, method: str) -> None:
        self._request_futures.pop(key, None)
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error(
                "%s failed with %s.", method, type(error).__name__, exc_info=(type(error), error, error.__traceback__)
            )

    def _cancel_soon(self, loop: asyncio.AbstractEventLoop, key: str) -> None:
        """Cancel the work on a request. Thread-safe."""
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(self._cancel_feature, key)

    def _cancel_feature(self, key: str) -> None:
        future = self._request_futures.pop(key, None)
        if future is not None:
            future.cancel()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        """Let pygls record the client, and answer unless an early answer was sent; folders are opened afterwards."""
        if params.root_uri is not None and folder_of(params.root_uri) is None:
            params.root_uri = None  # pygls would fail on some of them
        yield from super().lsp_initialize(params)
        raw = self._converter.unstructure(params)
        answered = self._early
        self._client = answered.client_info if answered else read_client_info(raw)
        result = answered.result if answered else initialize_result(msgspec.convert(raw["capabilities"], Capabilities))
        self._server.documents.use_encoding(encoding_of(result["capabilities"]["positionEncoding"]))
        return result

    def run(self, work: Callable[..., Any], name: str) -> None:
        """Run our own coroutine or generator function on the event loop, logging failures."""
        key = f"own-{next(self._keys)}"
        self._execute_handler(key, work, partial(self._notification_done, key=key, method=name), ())

    # -- outgoing --------------------------------------------------------------------------------------------

    def _send_data(self, data: Any) -> None:
        """Send the notifications and requests that pygls makes to the client. Thread-safe."""
        self._connection.send_unasked(frame(msgspec.json.encode(self._converter.unstructure(data))))


def _is_request(method: str) -> bool:
    method_types = types.METHOD_TO_TYPES.get(method)
    return method_types is not None and method_types[1] is not None
