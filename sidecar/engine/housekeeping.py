"""When the maintenance of workspaces starts by itself; `maintaining.py` does the work.

Maintenance starts by itself at most once a day for each store, in whichever process comes first, after the workspace
has been open for some time and no request has come for some minutes. It runs on a thread of its own while requests go
on.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from weakref import WeakKeyDictionary

from sidecar.checkout import git
from sidecar.engine.ended_sessions import LearningProcesses
from sidecar.engine.preload import import_all
from sidecar.engine.requests import ActiveRequests
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.operations import Operation
from sidecar.runtime.priority import Priority
from sidecar.store.journals import remove_abandoned

MAINTENANCE_OPERATION = "maintenance"
HOUSEKEEPING_CHECK_SECONDS = 30.0
QUIET_BEFORE_COLLECTION_MS = 10_000
"""Milliseconds without a request after which all threads may be paused for a moment."""
MAX_CHECKS_WITHOUT_COLLECTION = 20
"""Checks of a busy process after which they are paused nevertheless."""
MAX_STEP_REST_SECONDS = 0.05
_MINUTE_MS = 60_000

log = logging.getLogger(__name__)


def _considerate(operation: Operation) -> Callable[[int, int], None]:
    """Return a step that sleeps for as long as the work before it took, so that requests get through."""
    began = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal began
        operation.step(done, total)
        operation.context.wait(min(MAX_STEP_REST_SECONDS, time.monotonic() - began))
        began = time.monotonic()

    return step


class Housekeeping:
    """Starts maintenance while the process is idle. Thread-safe.

    While no request comes, or after `MAX_CHECKS_WITHOUT_COLLECTION`, it also does what may briefly pause all threads.
    """

    def __init__(self, workspaces: Workspaces, requests: ActiveRequests, clock: Clock, priority: Priority) -> None:
        self._workspaces, self._requests = workspaces, requests
        self._clock, self._priority = clock, priority
        self._preloaded = False
        self._learning_processes = LearningProcesses()
        self._checks = 0  # since idle time was last used
        self._open_since: WeakKeyDictionary[WorkspaceHandle, int] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, handle: WorkspaceHandle) -> None:
        """Maintain this workspace. The first call starts the thread that checks periodically."""
        with self._lock:
            self._open_since[handle] = self._clock()
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Start no further maintenance; closing a workspace cancels a running operation. Idempotent."""
        self._stopped.set()

    def start_due(self) -> list[threading.Thread]:
        """Start maintenance of each workspace that is due; return the threads."""
        now = self._clock()
        started = (self._start(handle, now) for handle in self._workspaces.all())
        return [thread for thread in started if thread is not None]

    def learn_from_ended_sessions(self) -> None:
        """Start learning from the ended sessions of agents with hooks."""
        for handle in self._workspaces.all():
            if handle.settings.memory.enabled:
                self._learning_processes.start_if_needed(handle.data_home, handle.folder)

    def _run(self) -> None:
        while not self._stopped.is_set():
            for due in (self.learn_from_ended_sessions, self.start_due, self.use_idle_time):
                try:
                    due()
                except Exception:
                    log.exception("Maintenance that is due could not be started.")
            self._stopped.wait(HOUSEKEEPING_CHECK_SECONDS)

    def use_idle_time(self) -> None:
        """Import what is missing and collect garbage, if no request came lately or the last collection is long past."""
        self._checks += 1
        if (
            abs(self._clock() - self._requests.came_at) >= QUIET_BEFORE_COLLECTION_MS
            or self._checks >= MAX_CHECKS_WITHOUT_COLLECTION
        ):
            self._checks = 0
            if not self._preloaded:
                self._preloaded = True
                import_all(self._priority.give_way)
            self._priority.collect_garbage()

    def _start(self, handle: WorkspaceHandle, now: int) -> threading.Thread | None:
        settings = handle.settings.maintenance
        with self._lock:
            open_since = self._open_since.get(handle)
        if open_since is None or not settings.enabled or not handle.settings.memory.enabled:
            return None
        idle = abs(now - self._requests.came_at)  # `abs` because the clock may have been set back
        if (
            abs(now - open_since) < settings.after_open_minutes * _MINUTE_MS
            or idle < settings.idle_minutes * _MINUTE_MS
        ):
            return None
        if handle.operations.get(MAINTENANCE_OPERATION).state == "running" or handle.outdated_because:
            return None
        try:
            due = handle.open().book.upkeep.is_due(now)
        except SidecarError as error:
            log.info("%s is not maintained: %s", handle.folder, error.message)
            return None
        if not due:
            return None
        cause = f"no request for {idle // _MINUTE_MS} minutes"
        return handle.operations.start(MAINTENANCE_OPERATION, cause, lambda op: self._run_maintenance(handle, op))

    def _run_maintenance(self, handle: WorkspaceHandle, operation: Operation) -> None:
        from sidecar.engine.maintaining import maintain
        from sidecar.memories.maintenance.running import RunOptions

        options = RunOptions(steps=(), unasked=True, step=_considerate(operation))
        opened = handle.open()
        report = maintain(opened, options, None, self._clock())
        opened.book.catalogue.save(between_requests=True)  # a process that runs for months may be killed in the end
        done = {step: count for step, count in report.counts.items() if count}
        log.info("%s was maintained: %s.", handle.folder, done or "nothing to do")
        remove_abandoned(handle.data_home, self._clock())
        git.remove_abandoned()
