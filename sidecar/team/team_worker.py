"""Share a workspace in the background: send changes, receive others' changes, try again after failures.

No request waits for this work. For each store, one process of this machine does it.
"""

from __future__ import annotations

import contextlib
import logging
import random
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from protocol.status import TeamStatus
from sidecar.checkout.identity import Identity
from sidecar.checkout.repository_key import digest
from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError, StoreTooNew, StoreUnavailable
from sidecar.runtime.wakeup import Wakeup
from sidecar.settings.model import StoreSettings
from sidecar.store.lock import FolderLock
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import SessionRecord
from sidecar.store.reminders import ReminderRecord
from sidecar.team import postgresql, schema
from sidecar.team.answers import TeamAnswers
from sidecar.team.scope_sync import ScopeSync, SyncResult
from sidecar.team.shared_database import SharedDatabase, SharedWorkspace
from sidecar.team.team_claims import ClaimElsewhere, SessionElsewhere, TeamClaims, machine_of
from sidecar.team.team_reminders import TeamReminders

log = logging.getLogger(__name__)

# Seconds between synchronisations without a notification, because some get lost.
CHECK_SECONDS: Final = 60.0
# Seconds between checks for writes by other processes.
POLL_SECONDS: Final = 1.0
# The pause after the first failure, and the longest; each further failure doubles it.
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = (0.5, 60.0)
UnsharedState = Literal["connecting", "notJoined", "elsewhere", "offline", "refused"]
# Locked by the process that shares a store.
_LOCK_FILE = "team.lock"


def workspace_key(identity: Identity, named: str | None = None) -> str | None:
    """Return a workspace's name in the database, the same on each machine; None if a user must name it."""
    if named:
        return key_of_name(named)
    checkout = identity.clone
    if identity.kind != "git" or identity.origin is None or checkout is None or checkout.root is None:
        return None
    return "origin:" + digest("git", digest("origin", identity.origin, checkout.root), identity.inner)


def key_of_name(name: str) -> str:
    return f"name:{name.strip()}"


def scope_syncs(
    settings: StoreSettings,
    stores: Mapping[str, MemoryStore],
    key: str | None,
    me: str,
    clock: Clock,
    changed: Callable[[Sequence[ChangedMemory]], None] = lambda changes: None,
) -> list[ScopeSync]:
    """Return a sync for each shared scope.

    Personal and global memories go to workspaces of `me` alone.
    """
    with stores["project"].sharing("project") as sharing:
        place = sharing.place()
    if place is not None:
        key = None if place.left else place.key
    keys = {"project": key, "personal": None if key is None else f"own:{me}:{key}", "global": f"own:{me}:global"}
    return [
        ScopeSync(stores[scope], scope, scope_key, settings.directives_from, clock, changed)
        for scope in ("project", "personal", "global")
        if scope in settings.shared and (scope_key := keys[scope]) is not None
    ]


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
        self._stores = stores
        self._key = key
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
        self._claims = TeamClaims(self._database, machine_of(stores["project"].directory))
        self._reminders = TeamReminders(self._database, stores["project"], settings.directives_from)
        self.answers = TeamAnswers(self._database, self._project_key)
        self._unsent_sessions: dict[str, SessionRecord] = {}
        self._released: list[tuple[str, str]] = []
        self._others: tuple[float, list[SessionElsewhere]] = 0.0, []

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
            syncs = scope_syncs(self._settings, self._stores, self._key, "", self._clock)
            waiting = sum(sync.count_pending() for sync in syncs if sync.place() is not None)
        except SidecarError:
            return status
        return replace(status, waiting=waiting)

    def report_session(self, session: SessionRecord) -> None:
        """Tell other machines that a session is at work or has ended."""
        if self._thread is not None:
            with self._lock:
                self._unsent_sessions[session.id] = session
            self.push_soon()

    def sessions_elsewhere(self) -> list[SessionElsewhere]:
        """Return the sessions at work on other machines, as they were reported last."""
        heard, others = self._others
        passed = round((time.monotonic() - heard) * 1_000)
        return [peer._replace(seen_ms=peer.seen_ms + passed, started_ms=peer.started_ms + passed) for peer in others]

    def claim(self, session: SessionRecord, item: str) -> ClaimElsewhere | None:
        """Claim an item among all machines; return another session that has it. Raises `StoreUnavailable`."""
        key = self._project_key()
        return None if key is None else self._claims.claim(key, session, item)

    def release(self, session_id: str, item: str) -> None:
        """Release an item among all machines, as soon as the database can be reached."""
        key = self._project_key()
        try:
            if key is not None:
                self._claims.release(key, session_id, item)
        except StoreUnavailable as error:
            log.info("A claim will be released later: %s", error.message)
            with self._lock:
                self._released.append((session_id, item))

    def due_reminders(self, now: int) -> list[ReminderRecord] | None:
        """Return the reminders that this machine delivers, as the database chose; None if they are not shared."""
        key = self._project_key()
        with self._stores["project"].sharing("project") as sharing:
            joined = sharing.place() is not None
        if key is None or not joined:
            return None
        return self._reminders.due(key, now, ask=self._status.state not in ("offline", "refused"))

    def _project_key(self) -> str | None:
        if self._status.state == "off" or "project" not in self._settings.shared:
            return None
        shared = scope_syncs(self._settings, self._stores, self._key, "", self._clock)
        return next((scope.key for scope in shared if scope.scope == "project"), None)

    def _sync_sessions(self, database: postgresql.TeamDatabase, workspace: SharedWorkspace) -> None:
        """Report this machine's sessions and releases; fetch the sessions on other machines."""
        with self._lock:
            sessions, self._unsent_sessions = list(self._unsent_sessions.values()), {}
            released, self._released = self._released, []
        try:
            self._claims.report(database, workspace, sessions, released)
        except StoreUnavailable as error:
            if error.data.reason != "rights":  # with read-only rights, sessions go unreported
                with self._lock:
                    self._unsent_sessions = {**{session.id: session for session in sessions}, **self._unsent_sessions}
                    self._released += released
                raise
        self._others = time.monotonic(), self._claims.sessions_elsewhere(database, workspace)

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
                with self._locked_scopes() as locked:
                    if locked:
                        self._share(locked)
                        continue
                self._set_state("elsewhere")
                self._wait(CHECK_SECONDS / 12)
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

    @contextlib.contextmanager
    def _locked_scopes(self) -> Iterator[frozenset[str]]:
        """Yield the scopes that no other process or workspace is sharing now."""
        locked: set[str] = set()
        with contextlib.ExitStack() as stack:
            for folder in sorted({self._stores[scope].directory for scope in self._settings.shared}):
                lock = FolderLock(folder / _LOCK_FILE)
                stack.callback(lock.close)
                try:
                    stack.enter_context(lock.held(timeout=0.0))
                except SidecarError as error:
                    if error.data.reason != "busy":
                        raise
                else:
                    locked |= {scope for scope in self._settings.shared if self._stores[scope].directory == folder}
            yield frozenset(locked)

    def _share(self, locked: frozenset[str]) -> None:
        """Synchronise until the connection breaks, the process ends, or the scopes must be locked again."""
        with postgresql.connect(self._settings.url or "") as database:
            schema.check(database)
            workspaces = self._open_syncs(database, locked)
            began, everything = time.monotonic(), len(locked) == len(self._settings.shared)
            if not workspaces:
                self._set_state("notJoined")
                self._wait(CHECK_SECONDS / 4)
                return
            database.connection.add_notify_handler(self._on_notify)  # also called during other statements
            for workspace in workspaces.values():
                database.connection.execute(f'LISTEN "{workspace.channel}"'.encode())
            last = -CHECK_SECONDS
            notified = True
            while not self._stopped.is_set() and (everything or time.monotonic() - began < 5 * CHECK_SECONDS):
                written = any(sync.change_marker() != self._markers.get(sync.scope) for sync in workspaces)
                if notified or written or time.monotonic() - last > CHECK_SECONDS:
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
            for sync in scope_syncs(self._settings, self._stores, self._key, me, self._clock, self._changed)
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
                self._sync_sessions(database, workspace)
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
        """Wait up to `POLL_SECONDS`. Return whether the database or this process reported a change."""
        if self._is_notified:
            return True
        if (wakeup := self._wakeup) is None:
            return False
        news = database.connection.fileno()
        ready, _, _ = select.select([news, wakeup.fileno()], [], [], POLL_SECONDS)
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
