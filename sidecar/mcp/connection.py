"""One client's connection. Each request gets one answer; none if the client cancels it, as MCP demands.

The reader's thread handles one message at a time. Work that needs the engine runs in the lanes: so a call sees earlier
writes, and slow work delays no other call.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from protocol.errors import ErrorCode
from sidecar.mcp import failures, lines, versions
from sidecar.mcp.methods import ANSWERS, CALLS
from sidecar.mcp.sampling import ClientModel
from sidecar.mcp.served_folders import ServedFolders
from sidecar.mcp.tool_call import ToolCall, reporting_progress
from sidecar.mcp.versions import SERVER_INSTRUCTIONS, ProtocolError, server_info
from sidecar.runtime.errors import FileUnavailable, InvalidField, MemoryNotFound, OutsideWorkspace
from sidecar.runtime.lanes import LaneName, Lanes
from sidecar.wire.framing import BadFrame
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import Invalid, Message, Notification, Request, Response

log = logging.getLogger(__name__)

ROOTS_ID = "roots"


class McpConnection:
    """The state of one client.

    `send` takes whole messages on any thread. `wait_for_room` blocks while no message fits.
    """

    def __init__(
        self,
        folders: ServedFolders,
        model: ClientModel,
        lanes: Lanes,
        send: Callable[[bytes], None],
        wait_for_room: Callable[[], None],
    ) -> None:
        self._requests = InFlight(send, failures)
        self._folders = folders
        self._model = model
        self._lanes = lanes
        self._send = send
        self._wait_for_room = wait_for_room
        self._version: str | None = None
        self._has_roots = False
        self._offers_model = False
        self._folders_chosen = False
        self.session_id = f"mcp-{uuid.uuid4()}"

    def client_model(self) -> ClientModel | None:
        """Return the client's model once the client has offered it. Thread-safe."""
        return self._model if self._offers_model else None

    # -- on the reader's thread ------------------------------------------------------------------------------

    def receive(self, messages: Sequence[Message | BadFrame]) -> None:
        for message in messages:
            try:
                self._receive_one(message)
            except Exception:
                log.exception("%s could not be handled.", getattr(message, "method", "A message"))

    def _receive_one(self, message: Message | BadFrame) -> None:
        if isinstance(message, BadFrame):
            code = ErrorCode.INVALID_REQUEST if message.fault == "tooLarge" else ErrorCode.PARSE_ERROR
            self._send(lines.failure(None, code, message.reason))
        elif isinstance(message, Invalid):
            self._send(lines.failure(message.id, ErrorCode.INVALID_REQUEST, message.reason))
        elif isinstance(message, Request):
            self._request(message)
        elif isinstance(message, Notification):
            self._notification(message)
        else:
            self._response(message)

    def _request(self, request: Request) -> None:
        pending = Pending(request.id, request.method)
        if not self._requests.accept(pending):
            return
        try:
            params = _decode_object(request.params)
            version = self._version_of(params, request.method)
            self._route(pending, request.method, params, version)
        except BaseException as error:  # noqa: BLE001 - every request gets an answer
            self._requests.fail(pending, error)

    def _version_of(self, params: dict[str, Any], method: str) -> str:
        version = versions.version_of(params.get("_meta"))
        if version is not None:
            if version not in versions.SUPPORTED:
                data = {"supported": list(versions.SUPPORTED), "requested": version}
                raise ProtocolError(versions.UNSUPPORTED_VERSION, "Unsupported protocol version.", data)
            self._choose_folders(has_roots=False)
            return version
        if self._version is None and method not in ("initialize", "ping"):
            raise ProtocolError(ErrorCode.INVALID_REQUEST, "Send initialize first.")
        return self._version or versions.HANDSHAKE[-1]

    def _route(self, pending: Pending, method: str, params: dict[str, Any], version: str) -> None:
        if method == "initialize":
            self._answer(pending, self._initialize(params), version)
        elif method in ANSWERS:
            self._answer(pending, ANSWERS[method](version, params), version)
        elif method in CALLS:
            lane, work = CALLS[method](params)
            self._lanes.submit(lane, partial(self._run, pending, lane, work, params, version))
        else:
            raise ProtocolError(ErrorCode.METHOD_NOT_FOUND, f"There is no method {method}.")

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        requested = params.get("protocolVersion")
        if not isinstance(requested, str):
            raise InvalidField("The protocol version is missing.", path="$.protocolVersion")
        self._version = versions.agree_on_version(requested)
        capabilities = params.get("capabilities")
        offered = capabilities if isinstance(capabilities, dict) else {}
        self._has_roots = isinstance(offered.get("roots"), dict)
        if isinstance(offered.get("sampling"), dict):
            self._offers_model = True
        if not self._has_roots:
            self._choose_folders(has_roots=False)
        return {
            "protocolVersion": self._version,
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": server_info(),
            "instructions": SERVER_INSTRUCTIONS,
        }

    def _notification(self, notification: Notification) -> None:
        if notification.method == "notifications/initialized":
            self._choose_folders(has_roots=self._has_roots)
        elif notification.method == "notifications/roots/list_changed" and self._has_roots:
            self._send(lines.request(ROOTS_ID, "roots/list"))
        elif notification.method == "notifications/cancelled":
            id = _decode_object(notification.params).get("requestId")
            pending = self._requests.get(id) if isinstance(id, (str, int)) else None
            if pending is not None and pending.method != "initialize":
                self._requests.cancel(pending)

    def _response(self, response: Response) -> None:
        if response.id != ROOTS_ID:
            self._model.accept(response)
            return
        uris: list[str] = []
        if response.result is not None:
            roots = _decode_object(response.result).get("roots")
            root_uris = [root.get("uri") for root in roots if isinstance(root, dict)] if isinstance(roots, list) else []
            uris = [uri for uri in root_uris if isinstance(uri, str)]
        self._lanes.submit("now", lambda: self._folders.use(uris))

    def _choose_folders(self, *, has_roots: bool) -> None:
        """Ask the client, once only, for the folders to serve; serve the default folder if it names none."""
        if self._folders_chosen:
            return
        self._folders_chosen = True
        if has_roots:
            self._send(lines.request(ROOTS_ID, "roots/list"))
        else:
            self._lanes.submit("now", self._folders.use_default)

    # -- on threads ------------------------------------------------------------------------------------------

    def _run(
        self, pending: Pending, lane: LaneName, work: Callable[[ToolCall], Any], params: dict[str, Any], version: str
    ) -> None:
        self._wait_for_room()
        if pending.settled:
            return
        arguments = params.get("arguments")
        workspace = arguments.get("workspace") if isinstance(arguments, dict) else None
        call = ToolCall(self._folders, self.session_id, workspace if isinstance(workspace, str) else None, pending)
        try:
            with reporting_progress(params.get("_meta"), call, lane, self._notify):
                result = work(call)
        except BaseException as error:  # noqa: BLE001 - every request gets an answer
            if pending.method == "resources/read" and isinstance(error, _NOT_FOUND):
                error = ProtocolError(versions.not_found_code(version), error.message)
            self._requests.fail(pending, error)
        else:
            self._answer(pending, result(version) if callable(result) else result, version)

    def _answer(self, pending: Pending, result: dict[str, Any], version: str) -> None:
        if versions.is_stateless(version):
            result = {"resultType": "complete", **result}
            if pending.method in _CACHEABLE:
                result |= {"ttlMs": 0, "cacheScope": "private"}
        self._requests.answer(pending, lines.response(pending.id, result))

    def _notify(self, method: str, params: Any) -> None:
        self._send(lines.notification(method, params))

    def abandon(self) -> None:
        self._model.close()
        for pending in self._requests.all():
            self._requests.cancel(pending)

    def is_busy(self) -> bool:
        return bool(self._requests.all())


_NOT_FOUND = (MemoryNotFound, FileUnavailable, OutsideWorkspace)
_CACHEABLE = frozenset(
    "server/discover tools/list resources/list resources/templates/list resources/read prompts/list".split()
)


def _decode_object(raw: msgspec.Raw) -> dict[str, Any]:
    try:
        params = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidField(f"The params cannot be read: {error}.", path="$") from None
    if not isinstance(params, dict):
        raise InvalidField("The params must be an object.", path="$")
    return params
