"""Run methods of the table: decode, one engine call on a thread of the method's lane, encode, answer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Final

import msgspec

from protocol.errors import ErrorCode
from protocol.methods import Method
from sidecar.lsp.client_setup import ClientSetup
from sidecar.lsp.failures import duplicate_id_frame, failure_frame
from sidecar.lsp.work_done import work_done_progress
from sidecar.runtime.cancellation import Call
from sidecar.runtime.errors import Cancelled
from sidecar.runtime.lanes import Lanes
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import Id, Notification, Request, error_response, response
from sidecar.wire.params import decode_params

MOST_TOGETHER = 32
"""Maximum requests that share a commit: the first of them waits for the others."""

CANCEL: Final = "$/cancelRequest"

log = logging.getLogger(__name__)


class _CancelParams(msgspec.Struct):
    id: int | str


_cancel_params = msgspec.json.Decoder(_CancelParams)
"""Created while there is one thread: see `sidecar.engine.decoder_warmup`."""


class Dispatcher:
    """Runs requests and answers each exactly once; `wait_for_room` blocks until an answer can be sent."""

    def __init__(
        self,
        setup: ClientSetup,
        methods: Mapping[str, Method],
        inflight: InFlight,
        lanes: Lanes,
        send: Callable[[bytes], None],
        wait_for_room: Callable[[], None],
    ) -> None:
        self._setup = setup
        self._engine = setup.host.engine
        self._methods = methods
        self._inflight = inflight
        self._lanes = lanes
        self._send = send
        self._wait_for_room = wait_for_room
        self._lock = threading.Lock()
        self._batch: list[tuple[Pending, msgspec.Raw]] | None = None  # requests that are to be served together
        self._notices: dict[int, Callable[[], None]] = {}
        self._count = count()

    def request(self, request: Request) -> bool:
        """Serve a request of the table in its lane; return False for any other request."""
        row = self._methods.get(request.method)
        if row is None or row.sender != "client" or row.result is None:
            return False
        pending = Pending(request.id, request.method, by_person=self._setup.client.person)
        if not self._inflight.open(pending):
            self._send(duplicate_id_frame(request.id))
        elif row.shares_commit:
            self._join(pending, row, request.params)
        else:
            self._submit(pending, row, request.params)
        return True

    def notification(self, notification: Notification) -> bool:
        """Handle a notification of the table or `$/cancelRequest`; return False for any other notification."""
        if notification.method == CANCEL:
            try:
                self.cancel(_cancel_params.decode(notification.params).id)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                log.warning("Ignored a cancellation: %s.", error)
            return True
        row = self._methods.get(notification.method)
        if row is None or row.sender != "client" or row.result is not None:
            return False
        self._submit_notice(row, notification.params)
        return True

    def _submit(self, pending: Pending, row: Method, params: msgspec.Raw) -> None:
        def task() -> None:
            self._wait_for_room()
            if pending.settled:
                return
            try:
                decoded = decode_params(params, row.params)
                with work_done_progress(self._send, decoded, pending.call, row.name):
                    result = self._engine().call(row.name, decoded, pending.call)
                frame = response(pending.id, msgspec.json.encode(result))
            except BaseException as error:  # noqa: BLE001 - whatever happens, the caller is owed an answer
                self.fail(pending, error)
            else:
                self.answer(pending, frame)

        with self._lock:
            if row.lane == "write":
                self._batch = None  # later requests are not served before this
        self._lanes.submit(row.lane, task)

    def _join(self, pending: Pending, row: Method, params: msgspec.Raw) -> None:
        """Serve a request together with those of its method that were submitted just before and still wait."""
        with self._lock:
            if self._batch is not None and len(self._batch) < MOST_TOGETHER:
                self._batch.append((pending, params))
                return
            self._batch = waiting = [(pending, params)]
        self._lanes.submit(row.lane, partial(self._serve_batch, row, waiting))

    def _serve_batch(self, row: Method, waiting: list[tuple[Pending, msgspec.Raw]]) -> None:
        self._wait_for_room()
        with self._lock:
            if self._batch is waiting:
                self._batch = None
        requests: list[tuple[msgspec.Struct, Call]] = []
        askers: list[Pending] = []
        frames: list[bytes] = []  # sent in one piece: each write may let another thread run
        for pending, params in waiting:
            try:
                if not pending.settled:
                    requests.append((decode_params(params, row.params), pending.call))
                    askers.append(pending)
            except BaseException as error:  # noqa: BLE001 - whatever happens, the caller is owed an answer
                self.fail(pending, error)

        def answer(index: int, outcome: msgspec.Struct | BaseException) -> None:
            pending = askers[index]
            try:
                if isinstance(outcome, BaseException):
                    raise outcome
                frame = response(pending.id, msgspec.json.encode(outcome))
            except BaseException as error:  # noqa: BLE001 - likewise
                self.fail(pending, error)
            else:
                if self._inflight.settle(pending):
                    frames.append(frame)

        try:
            if requests:
                self._engine().call_batch(row.name, requests, answer)
        except BaseException as error:  # noqa: BLE001 - likewise
            for pending in askers:
                self.fail(pending, error)
        finally:
            if frames:
                self._send(b"".join(frames))

    def _submit_notice(self, row: Method, params: msgspec.Raw) -> None:
        number = next(self._count)

        def task() -> None:
            if self._notices.pop(number, None) is None:
                return
            try:
                self._engine().call(row.name, decode_params(params, row.params))
            except Exception as error:  # noqa: BLE001 - nobody waits for this one
                log.warning("%s was not handled: %s.", row.name, _describe(error).rstrip("."))

        self._notices[number] = task
        with self._lock:
            self._batch = None
        self._lanes.submit(row.lane, task)

    @property
    def has_unserved_notices(self) -> bool:
        return bool(self._notices)

    def serve_notices(self) -> None:
        """Serve the remaining notifications on this thread, once the lanes have stopped."""
        for task in list(self._notices.values()):
            task()

    def answer(self, pending: Pending, frame: bytes) -> None:
        """Send the response unless the request was answered already, for example by a cancellation."""
        if self._inflight.settle(pending):
            self._send(frame)

    def fail(self, pending: Pending, error: BaseException) -> None:
        """Answer with the error that the exception means to the client."""
        if self._inflight.settle(pending):
            self._send(failure_frame(pending.id, pending.method, error))

    def cancel(self, id: Id) -> None:
        """Answer a request with -32800 now and let its work stop when it can; ignore unknown ids."""
        pending = self._inflight.find(id)
        if pending is not None:
            self.cancel_pending(pending)

    def cancel_pending(self, pending: Pending) -> None:
        pending.call.cancel()
        if self._inflight.settle(pending):
            self._send(error_response(pending.id, ErrorCode.REQUEST_CANCELLED, Cancelled().message))
            if pending.on_cancel is not None:
                pending.on_cancel()


def _describe(error: BaseException) -> str:
    message = getattr(error, "message", None)
    return str(message) if message else type(error).__name__
