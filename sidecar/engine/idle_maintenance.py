"""When maintenance runs and with what: by request, or unasked while nobody asks for anything.

Unasked it starts at most once a day for a store, whichever sidecar comes first, when the workspace has been open for
some time and no request came for some minutes. It runs on a thread of its own; requests go on meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeAlias, cast
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from sidecar.engine.ended_sessions import Settlers
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.operations import Operation

if TYPE_CHECKING:  # maintenance is imported when its time comes
    from protocol.memories import Change
    from sidecar.engine.workspace import Components, Workspace
    from sidecar.engine.workspaces import Workspaces
    from sidecar.memories.maintenance.changes import MaintenanceStep, Missing
    from sidecar.memories.maintenance.running import Order
    from sidecar.memories.maintenance.upkeep import MaintenanceReport
    from sidecar.settings.model import MaintenanceSettings
    from sidecar.store.records import MemoryRecord

MAINTENANCE = "maintenance"
CHECK_SECONDS = 30.0
QUIET = 10_000
"""Milliseconds without a request after which everything may stop for a moment."""
NEVER_QUIET = 20
"""Checks after which it may all the same: nobody leaves it alone for that long."""
LONGEST_REST = 0.05
_MINUTE = 60_000

log = logging.getLogger(__name__)

Changed: TypeAlias = "Callable[[Workspace, str, str, Change], None]"


def switched_on(settings: MaintenanceSettings) -> tuple[MaintenanceStep, ...]:
    """The steps that the settings allow, in their order."""
    from sidecar.memories.maintenance.changes import STEPS

    names = {field.encode_name: field.name for field in msgspec.structs.fields(settings)}
    return tuple(step for step in STEPS if getattr(settings, names[step]))


def maintain(
    workspace: Workspace, order: Order, wanted: Collection[MaintenanceStep] | None, now: int, changed: Changed
) -> MaintenanceReport:
    """Carry out `order` with the steps that are wanted (None: all) and switched on; `changed` is told of new versions.

    Raises StoreUnavailable and what `order.step` raises.
    """
    opened = workspace.open()
    settings = workspace.settings.maintenance
    steps = tuple(step for step in switched_on(settings) if wanted is None or step in wanted)
    report = opened.book.upkeep.maintain(
        replace(
            order,
            steps=steps,
            complete=wanted is None,
            asked=wanted is not None and "consolidation" in wanted,
            fading=settings.relevance,
            missing=_missing(opened, look=not order.dry_run) if settings.references else None,
        ),
        now,
    )
    if not order.dry_run:
        for action in report.actions:
            for id, scope, change in action.touched:
                changed(workspace, id, scope, cast("Change", change))
        if wanted is None and "workspace" in report.ran:
            opened.book.candidacy.expire()
        if "memoryFile" in steps and "workspace" in report.ran and opened.memory_file is not None:
            opened.memory_file.sync()
    return report


def _missing(opened: Components, *, look: bool) -> Missing:
    """Tells how many files and symbols that a memory names are gone.

    `look`: at the files too, in case nobody told of a change; what is found then may be noted in the background.
    """

    def missing(record: MemoryRecord) -> tuple[int, int]:
        if look and record.scope != "global":
            opened.grounding.outdated({each.path for each in record.references if each.path is not None})
        return opened.book.missing(record)

    return missing


def _considerate(operation: Operation) -> Callable[[int, int], None]:
    """Steps of work that nobody waits for: each is followed by a rest as long as itself, and requests get through."""
    began = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal began
        operation.step(done, total)
        operation.call.cancelled.wait(min(LONGEST_REST, time.monotonic() - began))
        began = time.monotonic()

    return step


class IdleMaintenance:
    """Starts maintenance when nobody asks for anything. Methods may be called from any thread.

    `clock` gives epoch milliseconds; `changed` is told of each new version of a memory; `tidy` may stop everything
    for a moment, and is called when that disturbs nobody.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        clock: Callable[[], int],
        changed: Changed,
        tidy: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspaces = workspaces
        self._clock = clock
        self._changed = changed
        self._tidy = tidy
        self._untidy = 0  # checks since it was tidied
        self._asked_at = clock()
        self._open_since: WeakKeyDictionary[Workspace, int] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._settlers = Settlers()

    def touched(self) -> None:
        """A request came."""
        self._asked_at = self._clock()

    def watch(self, workspace: Workspace) -> None:
        """A workspace was opened that is to be maintained. The first call starts the thread that looks now and then."""
        with self._lock:
            self._open_since[workspace] = self._clock()
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Start nothing more. Safe to call twice; what runs is cancelled with its workspace."""
        self._stopped.set()

    def look(self) -> list[threading.Thread]:
        """Start maintenance of each workspace whose time has come; the threads that do it."""
        now = self._clock()
        started = (self._start(workspace, now) for workspace in self._workspaces.all())
        return [thread for thread in started if thread is not None]

    def settle(self) -> None:
        """Have sessions of agents with hooks settled that are over."""
        for workspace in self._workspaces.all():
            if workspace.settings.memory.enabled:
                self._settlers.look(workspace.data_home, workspace.folder)

    def _run(self) -> None:
        while not self._stopped.is_set():
            for due in (self.settle, self.look, self.tidy):
                try:
                    due()
                except Exception:
                    log.exception("looking whether something is due failed")
            self._stopped.wait(CHECK_SECONDS)

    def tidy(self) -> None:
        """Tidy up when it is quiet, or has not been for long."""
        self._untidy += 1
        if abs(self._clock() - self._asked_at) >= QUIET or self._untidy >= NEVER_QUIET:
            self._untidy = 0
            self._tidy()

    def _start(self, workspace: Workspace, now: int) -> threading.Thread | None:
        settings = workspace.settings.maintenance
        with self._lock:
            open_since = self._open_since.get(workspace)
        if open_since is None or not settings.enabled or not workspace.settings.memory.enabled:
            return None
        if abs(now - open_since) < settings.after_open_minutes * _MINUTE:  # also where the clock was set back
            return None
        if abs(now - self._asked_at) < settings.idle_minutes * _MINUTE:
            return None
        if workspace.operations.get(MAINTENANCE).state == "running" or workspace.outlived:
            return None
        try:
            due = workspace.open().book.upkeep.due(now)
        except SidecarError as error:
            log.info("%s is not maintained: %s", workspace.folder, error.message)
            return None
        if not due:
            return None
        cause = f"no request for {abs(now - self._asked_at) // _MINUTE} minutes"
        return workspace.operations.start(MAINTENANCE, cause, lambda op: self._maintain(workspace, op))

    def _maintain(self, workspace: Workspace, operation: Operation) -> None:
        from sidecar.memories.maintenance.running import Order
        from sidecar.store.abandoned import remove_abandoned

        order = Order(steps=(), unasked=True, step=_considerate(operation))
        report = maintain(workspace, order, None, self._clock(), self._changed)
        workspace.open().book.keep()  # the end of a process that lives for months may be a kill
        done = {step: count for step, count in report.counts.items() if count}
        log.info("maintained %s: %s", workspace.folder, done or "nothing to do")
        remove_abandoned(workspace.data_home, self._clock())
