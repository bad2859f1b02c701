"""Share a workspace in the background: send changes, receive others' changes, try again after failures.

No request waits for this work. For each store, one process of this machine does it.
"""

from __future__ import annotations

import logging
import random
import select
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from protocol.status import TeamStatus
from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError, StoreTooNew, StoreUnavailable
from sidecar.runtime.wakeup import Wakeup
from sidecar.settings.model import StoreSettings
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import SessionRecord
from sidecar.store.reminders import ReminderRecord
from sidecar.team import postgresql, schema
from sidecar.team.scope_sync import ScopeSync, SyncResult
from sidecar.team.shared_database import SharedDatabase, SharedWorkspace
from sidecar.team.shared_scopes import SharedScopes
from sidecar.team.team_answers import TeamAnswers
from sidecar.team.team_claims import TeamClaims, machine_of
from sidecar.team.team_reminders import TeamReminders

log = logging.getLogger(__name__)

# Seconds between synchronisations without a notification, because some get lost.
RESYNC_SECONDS: Final = 60.0
# Seconds between checks for writes by other processes.
OWN_WRITES_POLL_SECONDS: Final = 1.0
# The pause after the first failure, and the longest; each further failure doubles it.
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = (0.5, 60.0)
UnsharedState = Literal["connecting", "notJoined", "elsewhere", "offline", "refused"]


class TeamWorker:
    """Shares the scopes that the settings name. Thread-safe."""

    def __init__(
        self,
        settings: StoreSettings,
        stores: Mapping[str, MemoryStore],
        key: str | None,
        clock: Clock,
        changed: Callable[[Sequence[ChangedMemory]], None],
    ) -> None:
        self._settings = settings
        self._project_store = stores["project"]
        self._scopes = SharedScopes(settings, stores, key, clock)
        self._clock = clock
        self._changed = changed
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._status = TeamStatus(state="off" if settings.url is None or not settings.shared else "idle")
        self._wakeup: Wakeup | None = None
        self._lock = threading.Lock()
        self._markers: dict[str, object] = {}
        self._is_notified = False
        self._pause = 0.0
        self._database = SharedDatabase(settings.url or "")
        self.claims = TeamClaims(self._database, machine_of(stores["project"].directory), self._project_key)
        self._reminders = TeamReminders(self._database, stores["project"], settings.directives_from)
        self.answers = TeamAnswers(self._database, self._project_key)

    def start(self) -> None:
        with self._lock:
            if self._status.state == "off" or self._thread is not None or self._stopped.is_set():
                return
            self._wakeup = Wakeup()
            self._set_state("connecting")
            self._thread = threading.Thread(target=self._run, name="team", daemon=True)
            self._thread.start()

    def push_soon(self) -> None:
        """Send changes now, in the background."""
        with self._lock:
            if self._wakeup is not None:
                self._wakeup.wake()

    def status(self) -> TeamStatus:
        status = self._status
        if status.state == "off":
            return status
        try:
            waiting = self._scopes.count_pending()
        except SidecarError:
            return status
        return replace(status, waiting=waiting)

    def report_session(self, session: SessionRecord) -> None:
        """Report to other machines that a session is at work or has ended."""
        if self._thread is not None:
            self.claims.keep_session(session)
            self.push_soon()

    def due_reminders(self, now: int) -> list[ReminderRecord] | None:
        """Return the reminders that this machine delivers, as the database chose; None if they are not shared."""
        key = self._project_key()
        with self._project_store.sharing("project") as sharing:
            joined = sharing.place() is not None
        if key is None or not joined:
            return None
        return self._reminders.due(key, now, ask=self._status.state not in ("offline", "refused"))

    def _project_key(self) -> str | None:
        return None if self._status.state == "off" else self._scopes.project_key()

    def close(self, timeout: float = 1.0) -> None:
        """Stop sharing. The next process sends what is left. Idempotent."""
        self._stopped.set()
        self.push_soon()
        self._database.close()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)
        with self._lock:
            if self._wakeup is not None and (thread is None or not thread.is_alive()):
                self._wakeup.close()
                self._wakeup = None

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._scopes.locked() as locked:
                    if locked:
                        self._share(locked)
                        continue
                self._set_state("elsewhere")
                self._wait(RESYNC_SECONDS / 12)
                continue
            except SidecarError as error:
                refused = isinstance(error, (StoreTooNew, postgresql.TeamRefused))
                if not (self._status.detail or "").startswith(error.message):
                    log.warning("Memories are not shared now: %s", error.message)
                self._set_state("refused" if refused else "offline", error)
                self._pause = (
                    _MAX_PAUSE_SECONDS
                    if refused
                    else min(_MAX_PAUSE_SECONDS, max(_FIRST_PAUSE_SECONDS, self._pause * 2))
                )
            except Exception:
                log.exception("Sharing memories failed.")
                self._status = replace(self._status, state="offline", detail="Sharing failed; the log says why.")
                self._pause = _MAX_PAUSE_SECONDS
            self._stopped.wait(self._pause * (0.75 + random.random() / 2))  # noqa: S311 - jitter, not a secret

    def _share(self, locked: frozenset[str]) -> None:
        """Synchronise until the connection breaks, the process ends, or the scopes must be locked again."""
        with postgresql.connect(self._settings.url or "") as database:
            schema.check(database)
            workspaces = self._open_syncs(database, locked)
            began, everything = time.monotonic(), len(locked) == len(self._scopes.names)
            if not workspaces:
                self._set_state("notJoined")
                self._wait(RESYNC_SECONDS / 4)
                return
            database.connection.add_notify_handler(self._on_notify)  # also called during other statements
            for workspace in workspaces.values():
                database.connection.execute(f'LISTEN "{workspace.channel}"'.encode())
            last = -RESYNC_SECONDS
            notified = True
            while not self._stopped.is_set() and (everything or time.monotonic() - began < 5 * RESYNC_SECONDS):
                written = any(sync.change_marker() != self._markers.get(sync.scope) for sync in workspaces)
                if notified or written or time.monotonic() - last > RESYNC_SECONDS:
                    self._sync(database, workspaces)
                    last = time.monotonic()
                notified = self._wait_for_news(database)

    def _open_syncs(
        self, database: postgresql.TeamDatabase, locked: frozenset[str]
    ) -> dict[ScopeSync, SharedWorkspace]:
        """Return the syncs of the locked scopes, each with its workspace in the database."""
        me = database.role()
        return {
            sync: workspace
            for sync in self._scopes.syncs(me, self._changed)
            if sync.scope in locked and (workspace := sync.open(database)) is not None
        }

    def _sync(self, database: postgresql.TeamDatabase, workspaces: Mapping[ScopeSync, SharedWorkspace]) -> None:
        self._is_notified = False
        done: list[SyncResult] = []
        for sync in workspaces:
            self._markers[sync.scope] = sync.change_marker()
            workspace, synced = sync.run(database)
            if workspace.channel != workspaces[sync].channel:
                raise StoreUnavailable("The members have changed; listening begins again.", reason="members")
            done.append(synced)
            if sync.scope == "project":
                self.claims.sync(database, workspace)
        self._pause = 0.0
        why = next((outcome.detail for outcome in done if outcome.detail is not None), None)
        before = self._status
        self._status = TeamStatus(
            state="shared" if why is None else "readOnly",
            server=postgresql.display_address(self._settings.url or ""),
            pulled=before.pulled + sum(outcome.pulled for outcome in done),
            pushed=before.pushed + sum(outcome.pushed for outcome in done),
            merged=before.merged + sum(outcome.merged for outcome in done),
            synced_at=self._clock() if why is None else before.synced_at,
            detail=why,
        )

    def _wait_for_news(self, database: postgresql.TeamDatabase) -> bool:
        """Wait up to `OWN_WRITES_POLL_SECONDS`. Return whether the database or this process reported a change."""
        if self._is_notified:
            return True
        if (wakeup := self._wakeup) is None:
            return False
        news = database.connection.fileno()
        ready, _, _ = select.select([news, wakeup.fileno()], [], [], OWN_WRITES_POLL_SECONDS)
        if news in ready:
            database.query("SELECT 1")  # calls `_on_notify`; fails if the connection broke
        wakeup.clear()
        return bool(ready)

    def _on_notify(self, notify: object) -> None:
        self._is_notified = True

    def _wait(self, seconds: float) -> None:
        """Wait up to this many seconds until this process changes something."""
        if self._wakeup is not None:
            self._wakeup.wait(seconds)

    def _set_state(self, state: UnsharedState, error: SidecarError | None = None) -> None:
        detail = None if error is None else " ".join(filter(None, (error.message, error.data.hint)))
        self._status = replace(self._status, state=state, detail=detail)
