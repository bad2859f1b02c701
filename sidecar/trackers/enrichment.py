"""Keep what the forge says about a workspace's items up to date.

Once an item is closed or merged, the blockers about this item alone are resolved. Blockers that name another item as
well, or that were reopened afterwards, stay open.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from protocol.status import TrackerStatus
from sidecar.memories.book import MemoryBook
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError, StoreUnavailable
from sidecar.runtime.operations import Operation, Operations
from sidecar.settings.model import TrackerSettings
from sidecar.store.records import MemoryRecord, TrackedRecord
from sidecar.store.tracker_store import TrackerStore
from sidecar.trackers import schedule
from sidecar.trackers.asking import TrackerAsker
from sidecar.trackers.client import ForgeClient
from sidecar.trackers.forge import Forge, NoForge, forge_of
from sidecar.trackers.targets import NamedItem, named_items, target_of

log = logging.getLogger(__name__)

ENRICH_OPERATION: Final = "trackers"
# Seconds between checks whether an item is due.
DUE_CHECK_SECONDS: Final = 60.0
# Only this many items, the most recently named, are kept up to date.
MAX_ITEMS: Final = 500
MAX_REQUESTS_PER_RUN: Final = 60
# Other processes leave an item to this one for this long.
LEASE_MS: Final = 120_000
_STATE_BY_RUN: Final[dict[str, Literal["working", "failed"]]] = {"running": "working", "failed": "failed"}

_BY_HAND: Final = frozenset(("reopened", "undone", "redone", "restored"))


class Enrichment:
    """Stores what the forge says about the items that a workspace's memories name. Thread-safe."""

    def __init__(
        self,
        origin: str | None,
        settings: TrackerSettings,
        environ: Mapping[str, str],
        folder: Path,
        book: MemoryBook,
        operations: Operations,
        clock: Clock,
    ) -> None:
        self._forge = forge_of(origin, settings, environ)
        self._seconds = settings.timeout_seconds
        self._folder = folder
        self._book = book
        self._operations = operations
        self._clock = clock
        self._lock = threading.Lock()
        self._store: TrackerStore | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Check now, and then every minute, whether an item is due. Without a configured forge, do nothing."""
        if isinstance(self._forge, NoForge):
            if self._forge.wanted:
                log.info("Issues and merge requests are not looked up: %s", self._forge.reason)
            return
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._watch, name="trackers", daemon=True)
                self._thread.start()

    def run(self, cause: str = "requested") -> threading.Thread | None:
        """Request the due items in the background; return the thread, None without a configured forge."""
        if isinstance(self._forge, NoForge) or self._stopped.is_set():
            return None
        forge = self._forge
        return self._operations.start(ENRICH_OPERATION, cause, lambda operation: self._request_due(forge, operation))

    def known_records(self, texts: Sequence[str]) -> dict[str, TrackedRecord]:
        """Return the stored records of the items that exist on the forge, by mark. Never sends a request."""
        if isinstance(self._forge, NoForge) or not self._has_store():
            return {}
        records: dict[str, TrackedRecord] = {}
        try:
            for text in texts:
                target = target_of(text, self._forge)
                record = self._open_store(self._forge).get(target.key) if target is not None else None
                if record is not None and record.state and record.missing is None:
                    records[text] = record
        except SidecarError as error:
            log.warning("Records of issues cannot be read: %s", error.message)
        return records

    def status(self) -> TrackerStatus:
        if isinstance(self._forge, NoForge):
            return TrackerStatus(state="off", detail=self._forge.reason if self._forge.wanted else None)
        host, project = self._forge.host, self._forge.project
        if not self._has_store():
            return TrackerStatus(state="idle", host=host, project=project)
        try:
            store = self._open_store(self._forge)
            records, forge = store.all().values(), store.forge(self._forge.account)
        except SidecarError as error:
            return TrackerStatus(state="failed", host=host, project=project, detail=error.message)
        paused = schedule.is_paused(forge.paused_until, self._clock())
        running = self._operations.get(ENRICH_OPERATION).state
        return TrackerStatus(
            state="paused" if paused else _STATE_BY_RUN.get(running, "idle"),
            host=host,
            project=project,
            known=sum(1 for record in records if record.state and record.missing is None),
            missing=sum(1 for record in records if record.missing is not None),
            resolved=sum(len(record.resolved) for record in records),
            checked_at=max((record.checked_at for record in records if record.checked_at is not None), default=None),
            paused_until=forge.paused_until if paused else None,
            detail=f"{host} {forge.reason}." if paused and forge.reason else None,
        )

    def close(self) -> None:
        """Stop, and close the store, after the background work has ended. Idempotent."""
        self._stopped.set()
        with self._lock:
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def _watch(self) -> None:
        self.run("workspace opened")
        while not self._stopped.wait(DUE_CHECK_SECONDS):
            self.run("checked what is due")

    def _request_due(self, forge: Forge, operation: Operation) -> None:
        now = self._clock()
        wanted = named_items(self._book.overview.memories_with_marks(now), forge)
        if not wanted and not self._has_store():
            return
        store = self._open_store(forge)
        names = sorted(wanted, key=lambda name: (-wanted[name].newest_at, name))[:MAX_ITEMS]
        records = store.all()
        store.drop([name for name in records if name not in wanted])
        store.drop_others(now - schedule.MONTH_MS)
        due = [name for name in names if _is_due(wanted[name], records.get(name), now=now)]
        # Failing items must not delay the others.
        due.sort(key=lambda name: records[name].failures if name in records else 0)
        asker = TrackerAsker(forge, ForgeClient(forge, self._seconds), store)
        for number, name in enumerate(due[:MAX_REQUESTS_PER_RUN]):
            operation.step(number, len(due))
            now = self._clock()
            if schedule.is_paused(store.forge(forge.account).paused_until, now):
                return
            about = wanted[name]
            stored = store.reserve(name, partial(_is_due, about, now=now), now, now + LEASE_MS)
            if stored is None:
                continue
            answer = asker.ask(about.target, stored, now)
            if answer is not None and answer.state in ("closed", "merged") and answer.missing is None:
                self._resolve_blockers(forge, about, answer, store)
        operation.step(len(due), len(due))

    def _resolve_blockers(self, forge: Forge, named: NamedItem, record: TrackedRecord, store: TrackerStore) -> None:
        """Resolve the blockers about this item alone that nobody reopened since it was closed."""
        resolved: list[str] = []
        for id in self._book.overview.blockers_naming(named.entity(), forge.project, self._clock()).only:
            if id not in named.memories:
                continue
            try:
                by_hand = [version.at for version in self._book.searcher.history(id) if version.change in _BY_HAND]
                reopened = any(record.closed_at is None or at >= record.closed_at for at in by_hand)
                if reopened or not _is_about(self._book.searcher.get(id).record, named, forge):
                    continue
                updated = self._book.editing.resolve(id)
            except SidecarError as error:  # changed or deleted meanwhile
                log.info("A blocker of %s was not resolved: %s", record.key, error.message)
                continue
            if updated.changed:
                log.info("Blocker %s was resolved: %s is %s at %s.", id, record.key, record.state, forge.host)
                resolved.append(id)
        if resolved:
            store.update(record.key, lambda before: replace(before, resolved=_latest(*before.resolved, *resolved)))

    def _has_store(self) -> bool:
        return self._store is not None or self._folder.exists()

    def _open_store(self, forge: Forge) -> TrackerStore:
        with self._lock:
            if self._store is None:
                if self._stopped.is_set():
                    raise StoreUnavailable("The workspace is closed.")
                self._store = TrackerStore.open(self._folder, forge.api)
            return self._store


def _latest(*ids: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))[-20:]


def _is_due(about: NamedItem, record: TrackedRecord | None, *, now: int) -> bool:
    return record is None or schedule.due_at(record, about.newest_at, now) <= now


def _is_about(record: MemoryRecord, named: NamedItem, forge: Forge) -> bool:
    """Return whether the memory is about this kind of item. On GitLab, `MR #12` is not issue 12."""
    if forge.kind != "gitlab" or named.target.kind != "issue":
        return True
    spelt = {key.text for key in named.entity_keys}
    kinds = {reference.kind for reference in record.references if reference.text in spelt}
    return "mergeRequest" not in kinds
