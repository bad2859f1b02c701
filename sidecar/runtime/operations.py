"""Long background operations, one of each kind at a time, with the cause of each."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Literal

import msgspec

from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import Cancelled, SidecarError
from sidecar.runtime.priority import Priority

log = logging.getLogger(__name__)

OperationState = Literal["idle", "running", "done", "cancelled", "failed"]
Progress = Callable[[int, int, str], None]
Work = Callable[["Operation"], None]


class Operation(msgspec.Struct):
    """The state of one kind of operation, and the cause of its last run."""

    kind: str
    priority: Priority
    state: OperationState = "idle"
    cause: str | None = None  # of the last run
    done: int = 0  # steps, of `total`
    total: int = 0
    context: Context = msgspec.field(default_factory=Context)
    thread: threading.Thread | None = None
    again: tuple[str, Work] | None = None  # the next run's cause and work

    def begin(self, cause: str) -> None:
        """Forget the last run; `cause` is that of the one that begins."""
        self.context, self.state, self.cause = Context(), "running", cause
        self.done = self.total = 0

    def step(self, done: int, total: int) -> None:
        """Report progress and yield to requests. Raises `Cancelled` if the operation was cancelled."""
        self.done, self.total = done, total
        self.check()

    def check(self) -> None:
        self.priority.give_way()
        self.context.check()


class Operations:
    """Runs each operation on its own thread; one that is started while it runs will run once more afterwards."""

    def __init__(self, priority: Priority) -> None:
        self.priority = priority
        self._lock = threading.Lock()
        self._operations: dict[str, Operation] = {}
        self._closed = False

    def get(self, kind: str) -> Operation:
        """Return the operation of a kind, `idle` if it never ran."""
        with self._lock:
            return self._operations.setdefault(kind, Operation(kind, self.priority))

    def start(self, kind: str, cause: str, work: Work) -> threading.Thread | None:
        """Start `work`, after the running one of its kind if there is one; return the thread, None if closed.

        If several are started while one runs, only the last of them runs next.
        """
        with self._lock:
            if self._closed:
                return None
            operation = self._operations.setdefault(kind, Operation(kind, self.priority))
            if operation.thread is not None and operation.thread.is_alive():
                operation.again = (cause, work)
                return operation.thread
            operation.begin(cause)
            operation.thread = threading.Thread(
                target=self._run, args=(operation, work), name=f"{kind}: {cause}", daemon=True
            )
            operation.thread.start()
            return operation.thread

    def cancel(self, kind: str) -> None:
        """Ask the running operation of a kind to stop at its next step."""
        with self._lock:
            operation = self._operations.get(kind)
            if operation is not None:
                operation.again = None
                operation.context.cancel()

    def close(self, timeout: float) -> None:
        """Cancel everything and wait up to `timeout` seconds in total."""
        with self._lock:
            self._closed = True
            running = [op for op in self._operations.values() if op.thread is not None]
            for operation in running:
                operation.again = None
                operation.context.cancel()
        for operation in running:
            if operation.thread is not None:
                operation.thread.join(timeout / len(running))

    def _run(self, operation: Operation, work: Work) -> None:
        while True:
            try:
                work(operation)
                operation.state = "done"
            except Cancelled:
                operation.state = "cancelled"
                log.info("Operation %s was cancelled.", operation.kind)
            except SidecarError as error:
                operation.state = "cancelled" if operation.context.cancelled else "failed"
                log.warning("Operation %s failed (cause: %s): %s", operation.kind, operation.cause, error.message)
            except Exception:
                if operation.context.cancelled:  # its stores may be closed by now
                    operation.state = "cancelled"
                    log.info("Operation %s was cancelled.", operation.kind, exc_info=True)
                else:
                    operation.state = "failed"
                    log.exception("Operation %s failed (cause: %s).", operation.kind, operation.cause)
            with self._lock:
                if operation.again is None or self._closed:
                    operation.thread = None
                    return
                (cause, work), operation.again = operation.again, None
                operation.begin(cause)
