"""One connection: each request runs on a thread of its method's lane and is answered once.

Of LSP's own methods it serves `$/cancelRequest`, reports of changed files and, by `leaving.py`, the client's end;
`SidecarProtocol` serves the others.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from protocol.errors import ErrorCode
from protocol.methods import Method
from sidecar.engine.host import EngineHost
from sidecar.lsp import failures
from sidecar.lsp.client_folders import ClientFolders, ServerOptions
from sidecar.lsp.client_info import UNKNOWN_CLIENT, ClientInfo
from sidecar.lsp.leaving import SHUTDOWN, Leaving
from sidecar.lsp.limits import DRAIN_LANES_SECONDS, WRITE_EVENTS_SECONDS
from sidecar.lsp.work_done import work_done_progress
from sidecar.runtime.ending import Ending
from sidecar.runtime.event import Event
from sidecar.runtime.lanes import Lanes
from sidecar.wire.framing import BadFrame
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import Invalid, Notification, Request, Response, error_response, notification, response
from sidecar.wire.params import decode_params
from sidecar.wire.reader import Received

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine

log = logging.getLogger(__name__)

MAX_JOINED_REQUESTS = 32
"""Maximum requests that share a commit: the first must wait for the last."""

CANCEL: Final = "$/cancelRequest"
EXIT: Final = "exit"
INITIALIZE: Final = "initialize"
WATCHED: Final = "workspace/didChangeWatchedFiles"
CHANGE_NOTIFICATIONS: Final = ("memory/didChange", "file/didInvalidate")


class EndOfInput:
    """Stands among the messages for the end of stdin."""


class _CancelParams(msgspec.Struct):
    id: int | str


class _Change(msgspec.Struct):
    uri: str


class _WatchedFiles(msgspec.Struct):
    changes: list[_Change]


# Created while there is one thread: see `sidecar.engine.decoder_warmup`.
_cancel_params = msgspec.json.Decoder(_CancelParams)
_watched_files = msgspec.json.Decoder(_WatchedFiles)


class LspConnection:
    """Serves the methods of the table, and answers each request exactly once.

    `send` takes whole frames on any thread, `wait_for_room` blocks while too many frames wait. Only one thread at a
    time calls `route` and `start_running`: the reader's, the loop's while the `Inbox` keeps messages for it, or the
    main one at the end. So phase and client have one writer; to read an outdated phase is harmless, because the message
    then counts as having come earlier.
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        wait_for_room: Callable[[], None],
        ending: Ending,
        host: EngineHost,
        options: ServerOptions,
    ) -> None:
        self.send = send
        self._host = host
        self._phase: Literal["new", "running", "shutdown"] = "new"
        self.requests = InFlight(send, failures)
        self.methods = options.methods
        self.lanes = Lanes()
        self.client = UNKNOWN_CLIENT
        self._wait_for_room = wait_for_room
        self._notifications: deque[tuple[Method, msgspec.Raw]] = deque()
        self._warmed = False
        self.change_sent: Event[[]] = Event()
        """Announces that the client was notified of changed memories or files."""
        self.leaving = Leaving(self.requests, self.lanes, host, ending)
        self.folders = ClientFolders(host, self.lanes, options, self.notify)

    @property
    def is_running(self) -> bool:
        """Return whether `initialize` is answered and `shutdown` has not come."""
        return self._phase == "running"

    def engine(self) -> Engine:
        """Return the engine. Raises `SidecarError` if there is none."""
        return self._host.engine()

    def start_running(self, client: ClientInfo) -> None:
        """Open what the client named, in the background, once `initialize` is answered; only the first call counts."""
        if self._phase == "new":
            self.client = client
            self._phase = "running"
            self.folders.start_engine(client)

    def refuse_from_now_on(self) -> None:
        """Refuse what comes from now on, because the client sent `shutdown`."""
        self._phase = "shutdown"

    def notify(self, method: str, params: msgspec.Struct) -> None:
        """Send a notification. Thread-safe."""
        self.send_unasked(notification(method, params))
        if method in CHANGE_NOTIFICATIONS:
            self.change_sent.announce()

    def send_unasked(self, frame: bytes) -> None:
        """Send what is no answer, but nothing before `initialize` is answered, as LSP demands. Thread-safe."""
        if self._phase == "new":
            log.debug("A message was not sent: `initialize` is not answered yet.")
        else:
            self.send(frame)

    def notify_engine(self, action: Callable[[Engine], None]) -> None:
        """Pass a client's notification to the engine, in order, on a thread."""
        self.lanes.submit("changes", partial(self._host.if_started, action))

    def warm_up(self, task: Callable[[], None]) -> None:
        """Run `task`, which reads the workspaces' files, in the background; only the first call counts."""
        if not self._warmed:
            self._warmed = True
            # The folders are being opened in this lane.
            self.lanes.submit("write", lambda: self.lanes.submit("background", task))

    def route(self, message: Received | EndOfInput) -> bool:
        """Route a message to where it is answered; return False if that is pygls.

        - A request or notification of the table goes into its method's lane.
        - A cancellation takes effect at once.
        - A report of changed files is passed to the engine, unless it cannot be read: then pygls explains why.
        - What cannot be read, or comes too early or too late, is refused.
        - `shutdown`, `exit` and the end of stdin let the client leave.
        - LSP's other messages are left to pygls.
        """
        if isinstance(message, Response):
            return False
        if isinstance(message, EndOfInput):
            self.leaving.hang_up()
        elif isinstance(message, Invalid | BadFrame):
            self._refuse_unread(message)
        elif message.method == CANCEL and isinstance(message, Notification):
            self._cancel_by_id(message.params)
        elif not self._comes_in_time(message):
            self._refuse_untimely(message)
        elif message.method == WATCHED and isinstance(message, Notification):
            return self._report_changes(message.params)
        elif message.method == EXIT and isinstance(message, Notification):
            self.leaving.exit()
        elif message.method == SHUTDOWN and isinstance(message, Request):
            self._accept_shutdown(message)
        else:
            method = self.methods.get(message.method)
            if method is None or method.sender != "client" or isinstance(message, Request) == (method.result is None):
                return False
            if isinstance(message, Request):
                self._submit(message, method)
            else:
                self._submit_notification(method, message.params)
        return True

    def _accept_shutdown(self, request: Request) -> None:
        pending = Pending(request.id, request.method)
        if self.requests.accept(pending):
            self.refuse_from_now_on()
            self.leaving.shut_down(pending)

    def _comes_in_time(self, message: Request | Notification) -> bool:
        if message.method == INITIALIZE and isinstance(message, Request):
            return self._phase == "new"
        return self._phase == "running" or (message.method == EXIT and isinstance(message, Notification))

    def _refuse_untimely(self, message: Request | Notification) -> None:
        if isinstance(message, Notification):
            log.info("%s was dropped: the server is not running.", message.method)
        elif self._phase == "new":
            self.send(error_response(message.id, ErrorCode.SERVER_NOT_INITIALIZED, "Send `initialize` first."))
        else:
            reason = "was shut down" if self._phase == "shutdown" else "is initialized already"
            self.send(error_response(message.id, ErrorCode.INVALID_REQUEST, f"The server {reason}."))

    def _refuse_unread(self, message: Invalid | BadFrame) -> None:
        """Answer an invalid message or a bad frame, if an answer is possible."""
        if isinstance(message, Invalid):
            self.send(error_response(message.id, ErrorCode.INVALID_REQUEST, message.reason))
            return
        log.info("A bad frame arrived (%s): %s.", message.fault, message.reason.rstrip("."))
        if message.fault == "body":
            self.send(error_response(None, ErrorCode.PARSE_ERROR, message.reason))
        elif message.fault == "tooLarge":
            self.send(error_response(None, ErrorCode.INVALID_REQUEST, message.reason))

    def _report_changes(self, params: msgspec.Raw) -> bool:
        try:
            uris = [change.uri for change in _watched_files.decode(params).changes]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        self.notify_engine(lambda engine: engine.files_changed(uris))
        return True

    def _submit(self, request: Request, method: Method) -> None:
        pending = Pending(request.id, request.method, by_person=self.client.by_person, is_slow=method.lane == "slow")
        if not self.requests.accept(pending):
            return
        if method.groups_commits:
            answer = partial(self._answer_together, method)
            self.lanes.submit_joined(method.name, (pending, request.params), answer, MAX_JOINED_REQUESTS)
        else:
            self.lanes.submit(method.lane, partial(self._answer, method, pending, request.params))

    def _answer(self, method: Method, pending: Pending, params: msgspec.Raw) -> None:
        self._wait_for_room()
        if pending.settled:
            return
        with self._answering(pending):
            decoded = decode_params(params, method.params)
            with work_done_progress(self.send, decoded, pending, method.name):
                result = self.engine().call(method.name, decoded, pending)
            self.requests.answer(pending, response(pending.id, msgspec.json.encode(result)))

    def _answer_together(self, method: Method, requests: list[tuple[Pending, msgspec.Raw]]) -> None:
        """Answer requests that share a commit, in one piece."""
        self._wait_for_room()
        decoded: list[tuple[msgspec.Struct, Pending]] = []
        for pending, params in requests:
            if not pending.settled:
                with self._answering(pending):
                    decoded.append((decode_params(params, method.params), pending))
        if not decoded:
            return
        try:
            outcomes = self.engine().call_together(method.name, decoded)
        except BaseException as error:  # noqa: BLE001 - whatever happens, the callers are owed an answer
            outcomes = [error] * len(decoded)
        frames: list[bytes] = []  # each write may let another thread run
        for (_, pending), outcome in zip(decoded, outcomes, strict=True):
            with self._answering(pending):
                if isinstance(outcome, BaseException):
                    raise outcome
                frame = response(pending.id, msgspec.json.encode(outcome))
                if self.requests.settle(pending):
                    frames.append(frame)
        if frames:
            self.send(b"".join(frames))

    @contextmanager
    def _answering(self, pending: Pending) -> Iterator[None]:
        """Answer the request with the error of the block, if it raises one."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - whatever happens, the caller is owed an answer
            self.requests.fail(pending, error)

    def _submit_notification(self, method: Method, params: msgspec.Raw) -> None:
        self._notifications.append((method, params))
        self.lanes.submit(method.lane, self._handle_notification)

    def _handle_notification(self) -> None:
        """Handle the oldest notification, unless `handle_waiting_notifications` was faster."""
        try:
            method, params = self._notifications.popleft()
        except IndexError:
            return
        try:
            self.engine().call(method.name, decode_params(params, method.params))
        except Exception as error:  # noqa: BLE001 - nobody waits for this one
            message = str(getattr(error, "message", "") or type(error).__name__)
            log.warning("%s was not handled: %s.", method.name, message.rstrip("."))

    def handle_waiting_notifications(self) -> None:
        """Give the lane of writes some time, more if notifications wait; then handle these on this thread."""
        self.lanes.drain(("write",), WRITE_EVENTS_SECONDS if self._notifications else DRAIN_LANES_SECONDS)
        while self._notifications:
            self._handle_notification()

    def _cancel_by_id(self, params: msgspec.Raw) -> None:
        try:
            pending = self.requests.get(_cancel_params.decode(params).id)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            log.warning("A cancellation was ignored: %s.", error)
        else:
            if pending is not None:
                self.requests.cancel(pending)
