"""Synchronise the memories of one scope with the database: pull what others changed, then push what changed here.

`team_worker.py` runs this in the background. The store's log of changes says what to push, so no change can be lost.
A change that is pushed twice changes nothing.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.sharing import SharedPlaceRecord, SharedRecord
from sidecar.team import incoming, shared_form
from sidecar.team.postgresql import TeamDatabase
from sidecar.team.shared_database import SharedWorkspace, find_workspace, not_joined_error
from sidecar.team.shared_form import SharedForm, SharedRow, SharedScope, digest_of, form_of, is_shared
from sidecar.team.team_reminders import ReminderSync

log = logging.getLogger(__name__)

T = TypeVar("T")

# Rows of one query and transaction.
ROWS_AT_ONCE: Final = 500
MEMORIES_PER_PUSH: Final = 200
# Rounds of pull and push; the round after a push fetches what others changed meanwhile.
_MAX_ROUNDS: Final = 8

_SELECT_ROWS = """
SELECT m.id, m.version, m.seq, m.digest, m.gone, m.author, m.claimed_by, coalesce(a.name, ''),
    CASE WHEN m.gone IS NULL THEN jsonb_strip_nulls(m.details || jsonb_build_object(
        'type', m.type, 'category', m.category, 'pinned', m.pinned, 'status', m.status, 'name', m.name,
        'content', m.content, 'agent', m.agent,
        'createdAt', round(extract(epoch FROM m.created_at) * 1000)::bigint,
        'updatedAt', round(extract(epoch FROM m.updated_at) * 1000)::bigint))::text END
FROM memory_sidecar.memories m
LEFT JOIN memory_sidecar.members a ON a.workspace_id = m.workspace_id AND a.role = m.author
WHERE m.workspace_id = %s AND m.seq > %s ORDER BY m.seq LIMIT %s
"""
_SELECT_EARLIER = """
SELECT v.memory_id, v.version, v.memory::text FROM memory_sidecar.memory_versions v
JOIN unnest(%s::text[], %s::integer[]) AS wanted(id, since) ON v.memory_id = wanted.id AND v.version >= wanted.since
WHERE v.workspace_id = %s AND v.memory IS NOT NULL
"""
_SELECT_TIME = """
SELECT (extract(epoch FROM at) * 1000000)::bigint FROM memory_sidecar.memory_versions
WHERE workspace_id = %s AND memory_id = %s AND version = %s
"""
_SELECT_PURGED = "SELECT 1 FROM memory_sidecar.memories WHERE workspace_id = %s AND id = %s AND gone = 'purged'"


class SyncResult(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Counts of one run, done or planned. `detail` says why the `waiting` changes could not be sent."""

    scope: str
    pulled: int
    pushed: int
    merged: int = 0
    waiting: int = 0
    detail: str | None = None


class _PushResult(NamedTuple):
    """How the database answered a pushed change: `stored`, `same`, `overtaken` by another change, or `lost`."""

    id: str
    outcome: str
    version: int
    author: str | None
    claimed_by: str | None


class _Push(NamedTuple):
    """A change to send. `own_record` is what this machine had before a merge."""

    id: str
    expected: int
    form: SharedForm | None
    digest: str
    gone: str | None
    change: str
    own_record: MemoryRecord | None


class _Run(NamedTuple):
    """What one run synchronises with, and how."""

    database: TeamDatabase
    workspace: SharedWorkspace
    resync: bool  # whether every row is compared again
    dry_run: bool


class ScopeSync:
    """Synchronises one scope of a store with the database. Not thread-safe."""

    def __init__(
        self,
        store: MemoryStore,
        scope: str,
        key: str,
        trusted_roles: Collection[str],
        clock: Clock,
        changed: Callable[[Sequence[ChangedMemory]], None] = lambda changes: None,
    ) -> None:
        self.store = store
        self.scope = scope
        self.key = key
        self._trusted_roles = trusted_roles
        self._clock = clock
        self._changed = changed
        self._last: tuple[str, int] | None = None  # the memory synchronised last, and its version
        self._reminders = ReminderSync(self.store) if self.scope == "project" else None

    def place(self) -> SharedPlaceRecord | None:
        with self.store.sharing(self.scope) as sharing:
            return sharing.place()

    def open(self, database: TeamDatabase) -> SharedWorkspace | None:
        """Return the workspace; None if the project is not shared. The user's own is made on first use."""
        workspace = find_workspace(database, self.key)
        if workspace is None and self.scope != "project":
            database.query("SELECT memory_sidecar.join_workspace(%s, '', '')", self.key)
            workspace = find_workspace(database, self.key)
        return workspace

    def count_pending(self) -> int:
        reminders = 0 if self._reminders is None else self._reminders.count_pending()
        return reminders + sum(1 for _ in self._pending_pushes(self._examine(self.place())[1]))

    def change_marker(self) -> object:
        """Return a value that changes when any process has changed this scope's memories or reminders."""
        return self.store.seq(), None if self._reminders is None else self.store.reminders.all()

    def run(self, database: TeamDatabase, *, dry_run: bool = False) -> tuple[SharedWorkspace, SyncResult]:
        """Pull and push until both sides agree. Raises `StoreUnavailable`; what was synchronised before stays."""
        place = self.place() or SharedPlaceRecord(key=self.key)
        workspace = find_workspace(database, place.key)
        if workspace is None:
            raise not_joined_error()
        epoch = " ".join((workspace.epoch, *sorted(set(self._trusted_roles))))
        resync = place.epoch != epoch or place.pulled > workspace.seq or self._is_rewound(database, workspace, place)
        if resync:
            place = replace(place, epoch=epoch, pulled=0)
        pulled = pushed = merged = 0
        if (reminders := self._reminders) is not None:
            pushed = reminders.count_pending() if dry_run else reminders.run(database, workspace, resync=resync)
        run = _Run(database, workspace, resync, dry_run)
        for _ in range(_MAX_ROUNDS):
            place, received, both = self._pull(run, place)
            sent, overtaken, refusal = self._push(run, place)
            pulled, pushed, merged, run = pulled + received, pushed + sent, merged + both, run._replace(resync=False)
            if not dry_run:
                self._store_mark(run)
            if dry_run or refusal is not None or not overtaken:
                break
            place = self.place() or place
        waiting = 0 if dry_run and refusal is None else self.count_pending()
        return workspace, SyncResult(self.scope, pulled, pushed, merged, waiting, refusal)

    def _is_rewound(self, database: TeamDatabase, workspace: SharedWorkspace, place: SharedPlaceRecord) -> bool:
        """Return whether the database lost a version that it had, as after a restored backup."""
        if place.mark is None:
            return False
        id, version, at = place.mark
        if database.query(_SELECT_TIME, workspace.id, id, version) == [(at,)]:
            return False
        return not database.query(_SELECT_PURGED, workspace.id, id)

    def _store_mark(self, run: _Run) -> None:
        if self._last is None:
            return
        for (at,) in run.database.query(_SELECT_TIME, run.workspace.id, *self._last):
            with self.store.transaction() as transaction:
                sharing = transaction.sharing(self.scope)
                place = sharing.place()
                if place is not None:
                    sharing.put_place(replace(place, mark=(*self._last, at)))
        self._last = None

    def _pull(self, run: _Run, place: SharedPlaceRecord) -> tuple[SharedPlaceRecord, int, int]:
        """Apply what others changed; return how far that is, and how many memories were pulled and merged."""
        ids_in_database: set[str] = set()
        pulled = merged = 0
        while True:
            fetched = run.database.query(_SELECT_ROWS, run.workspace.id, place.pulled, ROWS_AT_ONCE)
            rows = [_parse_row(run.workspace.me, *values) for values in fetched]
            ids_in_database.update(row.id for row in rows)
            if rows:
                after = replace(place, pulled=rows[-1].seq)
                if run.dry_run:
                    with self.store.sharing(self.scope) as sharing:
                        shared = sharing.many([row.id for row in rows])
                    pulled += sum(row.id not in shared or shared[row.id].version != row.version for row in rows)
                else:
                    # Store no epoch until all rows are compared. If the process is killed, the next one then compares
                    # all again.
                    resumable = replace(after, epoch="") if run.resync else after
                    outcome = self._apply_rows(run, rows, resumable)
                    pulled, merged = pulled + len(outcome.changes), merged + outcome.merged
                    self._last = rows[-1].id, rows[-1].version
                    if outcome.changes:
                        self._changed(outcome.changes)
                place = after
            if len(rows) < ROWS_AT_ONCE:
                break
        if run.resync and not run.dry_run:
            with self.store.transaction() as transaction:
                sharing = transaction.sharing(self.scope)
                sharing.drop(incoming.missing_ids(sharing.all(), ids_in_database))
                place = replace(place, examined=-1)
                sharing.put_place(place)
        return place, pulled, merged

    def _apply_rows(self, run: _Run, rows: Sequence[SharedRow], place: SharedPlaceRecord) -> incoming.AppliedRows:
        scope = SharedScope(self.scope, run.workspace.me, self._trusted_roles, run.resync)
        incoming_rows = incoming.IncomingRows(self.store, scope, self._clock())
        while True:
            changed_twice = incoming_rows.changed_here(rows)
            earlier: dict[str, dict[int, SharedForm | None]] = {id: {} for id in changed_twice}
            if changed_twice:
                since = list(changed_twice), list(changed_twice.values())
                for id, version, text in run.database.query(_SELECT_EARLIER, *since, run.workspace.id):
                    earlier[id][version] = shared_form.decode(text)
            with suppress(incoming.ChangedMeanwhile):
                return incoming_rows.apply(rows, earlier, place)

    def _push(self, run: _Run, place: SharedPlaceRecord) -> tuple[int, bool, str | None]:
        """Return how many changes were stored, whether others' changes came first, and why some were refused."""
        seq, ids = self._examine(None if run.resync else place)
        pushed, overtaken = 0, False
        for batch in _in_parts(self._pending_pushes(ids), MEMORIES_PER_PUSH):
            try:
                if run.dry_run:
                    run.database.query("SELECT memory_sidecar.check_may(%s, 'write', 'admin')", run.workspace.id)
                    pushed += len(batch)
                    continue
                changes = msgspec.json.encode([_encode_push(push) for push in batch]).decode()
                answers = run.database.query(
                    "SELECT * FROM memory_sidecar.push(%s, %s::jsonb)", run.workspace.id, changes
                )
            except StoreUnavailable as error:
                if error.data.reason != "rights":
                    raise
                return pushed, overtaken, error.message
            outcomes = {outcome.id: outcome for outcome in itertools.starmap(_PushResult, answers)}
            pushed += sum(outcome.outcome == "stored" for outcome in outcomes.values())
            overtaken |= any(outcome.outcome in ("overtaken", "lost") for outcome in outcomes.values())
            self._store_results(batch, outcomes, run.workspace.me)
        if not run.dry_run and not overtaken:
            with self.store.transaction() as transaction:
                sharing = transaction.sharing(self.scope)
                sharing.put_place(replace(sharing.place() or place, examined=seq))
        return pushed, overtaken, None

    def _store_results(self, batch: Sequence[_Push], outcomes: Mapping[str, _PushResult], me: str) -> None:
        """Store the versions that the database gave. A memory that only this user wrote has no other author."""
        with self.store.transaction() as transaction:
            sharing = transaction.sharing(self.scope)
            for push in batch:
                done = outcomes[push.id]
                if done.outcome == "lost":
                    sharing.drop([push.id])
                if done.outcome not in ("stored", "same"):
                    continue
                recorded = sharing.get(push.id) or SharedRecord(version=0, digest="")
                recorded = replace(recorded, version=done.version, digest=push.digest, gone=push.gone, beside=None)
                record = transaction.get(push.id)
                if done.author == me and record is not None and record.author is not None:
                    transaction.adjust(replace(record, author=None))
                if done.author == me and done.claimed_by == me:
                    recorded = replace(recorded, author=None, claims=None)
                sharing.put(push.id, recorded)
                self._last = push.id, done.version

    def _examine(self, place: SharedPlaceRecord | None) -> tuple[int, list[str]]:
        """Return the store's `seq`, and the ids of memories that may have changed since they were sent."""
        changes = self.store.changes(place.examined if place is not None else -1)
        if changes.ids is not None:
            return changes.seq, list(changes.ids)
        with self.store.sharing(self.scope) as sharing:
            shared = sharing.all()
        return changes.seq, sorted({*shared, *self.store.ids_after("", 1 << 40)})

    def _pending_pushes(self, ids: Sequence[str]) -> Iterator[_Push]:
        for part in _in_parts(ids, ROWS_AT_ONCE):
            records = self.store.get_many(part)
            with self.store.sharing(self.scope) as sharing:
                shared = sharing.many(part)
            for id in part:
                push = self._push_of(id, records.get(id), shared.get(id))
                if push is not None:
                    yield push

    def _push_of(self, id: str, record: MemoryRecord | None, last_shared: SharedRecord | None) -> _Push | None:
        expected = last_shared.version if last_shared is not None else 0
        if record is None or not is_shared(record, self.scope):
            if last_shared is None or last_shared.gone is not None:
                return None
            gone = "deleted" if record is not None or self.store.history(id) else "purged"
            return _Push(id, expected, None, gone, gone, gone, None)
        form = form_of(record, last_shared)
        digest = digest_of(form)
        if last_shared is not None and last_shared.gone is None and last_shared.digest == digest:
            return None
        change = "created" if last_shared is None else "updated"
        return _Push(id, expected, form, digest, None, change, last_shared.beside if last_shared is not None else None)


def _encode_push(push: _Push) -> dict[str, Any]:
    before_merge = form_of(push.own_record, None) if push.own_record is not None else None
    return {
        "id": push.id,
        "expected": push.expected,
        "digest": push.digest,
        "gone": push.gone,
        "change": push.change,
        "memory": None if push.form is None else msgspec.to_builtins(push.form),
        "beside": None if before_merge is None else msgspec.to_builtins(before_merge),
        "besideDigest": None if before_merge is None else digest_of(before_merge),
    }


def _parse_row(me: str, *values: Any) -> SharedRow:
    form = shared_form.decode(values[-1])
    row = SharedRow._make((*values[:-1], form))
    return row if form is None or row.author == me else row._replace(form=shared_form.without_secrets(form))


def _in_parts(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    rest = iter(items)
    while part := tuple(itertools.islice(rest, size)):
        yield part
