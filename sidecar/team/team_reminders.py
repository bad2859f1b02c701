"""Share a workspace's reminders: each machine stores the pending ones, and the database chooses who delivers.

If the database cannot be reached, this machine delivers and marks the reminder, because another may do so as well.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sidecar.coordination import reminders
from sidecar.runtime.errors import InvalidField, StoreUnavailable
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.reminders import ReminderRecord
from sidecar.store.sharing import SharedRecord
from sidecar.team.postgresql import TeamDatabase
from sidecar.team.shared_database import SharedDatabase, SharedWorkspace
from sidecar.team.shared_form import EVERYBODY
from sidecar.team.team_claims import machine_of

log = logging.getLogger(__name__)

# The start of a session waits this long for the database's choice.
ANSWER_SECONDS: Final = 1.0
# The database is asked about a reminder this long before its time, because this machine's clock may be slow.
SKEW_MS: Final = 3_600_000
# The store keeps the database's state of each reminder under this name.
REMINDER_SCOPE: Final = "reminders"
# The year 9999, after which the database keeps no reminder.
_LATEST_MS: Final = 253_370_764_800_000
_DETAIL_FIELDS = ("first", "zone", "every", "created_at", "updated_at", "agent", "session_id", "source")
_TIME_FIELDS = ("at", "cleared_at", "delivered_for")
_ROW_COLUMNS = "id, seq, author, delivered_to, details || jsonb_build_object({})".format(
    ", ".join(
        (
            *(f"'{name}', {name}" for name in ("id", "text", "memory_id", "delivered_offline")),
            *(f"'{name}', (extract(epoch FROM {name}) * 1000)::bigint" for name in _TIME_FIELDS),
        )
    )
)
_PULL_STATEMENT = (
    f"SELECT {_ROW_COLUMNS} FROM memory_sidecar.reminders"
    " WHERE workspace_id = %s AND seq > %s AND (cleared_at IS NULL OR id = ANY (%s)) ORDER BY seq"
)
_PUSH_STATEMENT = f"SELECT {_ROW_COLUMNS} FROM memory_sidecar.push_reminders(%s, %s, %s::jsonb)"
_DELIVER_STATEMENT = f"SELECT {_ROW_COLUMNS} FROM memory_sidecar.deliver_reminders(%s, %s, %s, %s)"


class ReminderSync:
    """Synchronises the reminders of one store. Methods raise `StoreUnavailable`."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._machine = machine_of(store.directory)
        self._pulled = 0

    def run(self, database: TeamDatabase, workspace: SharedWorkspace, *, resync: bool = False) -> int:
        """Push our changes, if the role may write, and pull others' changes. Return how many were pushed."""
        if resync:
            self._pulled = 0
            with self._store.transaction() as transaction:
                transaction.sharing(REMINDER_SCOPE).drop(record.id for record in transaction.reminders().all())
        due, pushed = dict(self._pending()), 0
        if due:
            try:
                rows = database.query(_PUSH_STATEMENT, workspace.id, self._machine, _encode_batch(due))
                self._store_rows(due, workspace.me, rows)
                pushed = len(rows)
            except StoreUnavailable as error:
                if error.data.reason != "rights":
                    raise
        if self._pulled > workspace.seq:
            self._pulled = 0
        here = [record.id for record in self._store.reminders.all()]
        rows = database.query(_PULL_STATEMENT, workspace.id, self._pulled, here)
        self._store_rows({}, workspace.me, rows)
        self._pulled = max((row[1] for row in rows), default=self._pulled)
        return pushed

    def count_pending(self) -> int:
        return sum(1 for _ in self._pending())

    def deliver(
        self, database: TeamDatabase, workspace: SharedWorkspace, ids: Sequence[str], trusted_roles: Collection[str]
    ) -> None:
        """Claim the delivery of the reminders that are due and not claimed by another machine."""
        rows = database.query(_DELIVER_STATEMENT, workspace.id, self._machine, list(ids), list(trusted_roles))
        self._store_rows({}, workspace.me, rows)

    def _pending(self) -> Iterator[tuple[str, ReminderRecord | None]]:
        """Yield id and record of each reminder that differs from the database's; None if it was dropped here."""
        with self._store.sharing(REMINDER_SCOPE) as sharing:
            shared_records = sharing.all()
        records = {record.id: record for record in self._store.reminders.all()}
        new = [record for id, record in records.items() if id not in shared_records and record.cleared_at is None]
        memories = self._store.get_many([record.memory_id for record in new if record.memory_id is not None])
        for record in new:  # a memory's reminder is shared if the memory is
            memory = memories.get(record.memory_id or "")
            is_shared = record.memory_id is None or (memory is not None and memory.scope == "project")
            if is_shared and record.at < _LATEST_MS:
                yield record.id, record
        for id, shared in shared_records.items():
            stored = records.get(id)
            if stored is None or _digest(stored) != shared.digest:
                yield id, stored

    def _store_rows(
        self, pushed: Mapping[str, ReminderRecord | None], me: str, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Store the database's rows, merged with what changed here since."""
        if not pushed and not rows:
            return
        with self._store.transaction() as transaction:
            stored, sharing = transaction.reminders(), transaction.sharing(REMINDER_SCOPE)
            returned = {row[0] for row in rows}
            sharing.drop(id for id, record in pushed.items() if record is None and id not in returned)
            for id, _, author, machine, values in rows:
                if not values["text"]:  # purged
                    stored.drop([id])
                    sharing.drop([id])
                elif (theirs := self._read(me, author, machine, values)) is not None:
                    self._store_row(transaction, theirs)
            reminders.drop_past(stored)

    def _store_row(self, transaction: MemoryTransaction, theirs: ReminderRecord) -> None:
        stored, sharing = transaction.reminders(), transaction.sharing(REMINDER_SCOPE)
        local = stored.get(theirs.id)
        if local is not None:
            if (merged := _merge(local, theirs)) != local:
                stored.put(merged)
        elif theirs.cleared_at is None and sharing.get(theirs.id) is None:
            stored.put(theirs)
        if theirs.cleared_at is not None:
            sharing.drop([theirs.id])
        else:
            sharing.put(theirs.id, SharedRecord(version=1, digest=_digest(theirs)))

    def _read(self, me: str, author: str, machine: str | None, values: dict[str, Any]) -> ReminderRecord | None:
        """Return the record of a row. A row that this program never sends is ignored (None)."""
        values["author"] = None if author == me else author
        values["delivered_to"] = None if machine == self._machine else machine
        try:
            return reminders.check_record(msgspec.convert(values, ReminderRecord))
        except (msgspec.ValidationError, InvalidField):
            return None


class TeamReminders:
    """Decides which reminders this machine delivers. Thread-safe; never raises because of the database."""

    def __init__(self, database: SharedDatabase, store: MemoryStore, trusted_roles: Collection[str]) -> None:
        self._database = database
        self._store = store
        self._sync = ReminderSync(store)
        self._trusted_roles = frozenset(trusted_roles)

    def due(self, key: str, now: int, *, ask: bool) -> list[ReminderRecord]:
        """Return the reminders for this machine to deliver, earlier claims too; with `ask`, ask the database first."""
        undecided = [
            record.id
            for record in reminders.list_reminders(self._store, due_at=now + SKEW_MS)
            if record.delivered_for != record.at and self._is_trusted(record)
        ]
        if undecided and not (ask and self._ask_database(key, undecided)):
            self._deliver_here(undecided, now)
        return [
            record
            for record in reminders.list_reminders(self._store)
            if record.delivered_for == record.at and record.delivered_to is None and self._is_trusted(record)
        ]

    def _is_trusted(self, record: ReminderRecord) -> bool:
        return record.author is None or bool({record.author, EVERYBODY} & self._trusted_roles)

    def _ask_database(self, key: str, undecided: Sequence[str]) -> bool:
        """Return whether the database chose within `ANSWER_SECONDS`."""
        answered: list[bool] = []

        def work() -> None:
            try:
                with self._database.workspace(key) as (database, workspace):
                    if workspace is not None:
                        self._sync.run(database, workspace)
                        self._sync.deliver(database, workspace, undecided, self._trusted_roles)
                        answered.append(True)
            except StoreUnavailable as error:
                log.info("Reminders are delivered without asking the database: %s", error.message)

        thread = threading.Thread(target=work, name="team-reminders", daemon=True)
        thread.start()
        thread.join(ANSWER_SECONDS)
        return bool(answered)

    def _deliver_here(self, ids: Sequence[str], now: int) -> None:
        with self._store.reminders.changing() as stored:
            for record in map(stored.get, ids):
                waits = record is not None and record.cleared_at is None and record.delivered_for != record.at
                if record is not None and waits and record.at <= now:
                    stored.put(replace(record, delivered_for=record.at, delivered_to=None, delivered_offline=True))


def _encode_batch(due: Mapping[str, ReminderRecord | None]) -> str:
    now = datetime.now(UTC)
    batch: list[dict[str, Any]] = []
    for id, record in due.items():
        if record is None:
            batch.append({"id": id, "cleared_at": now})
            continue
        values = {time: at for time in _TIME_FIELDS if (at := getattr(record, time)) is not None}
        batch.append(
            {
                "id": id,
                "text": record.text.replace("\0", "\ufffd"),
                "memory_id": record.memory_id,
                "delivered_offline": record.delivered_offline,
                "details": {name: getattr(record, name) for name in _DETAIL_FIELDS},
                **{time: datetime.fromtimestamp(at / 1_000, UTC) for time, at in values.items()},
            }
        )
    return msgspec.json.encode(batch).decode()


def _digest(record: ReminderRecord) -> str:
    return f"{record.at} {record.cleared_at} {record.delivered_for} {record.delivered_to}"


def _merge(ours: ReminderRecord, theirs: ReminderRecord) -> ReminderRecord:
    """Merge our version of a reminder with the database's, as the database does."""
    at = max(ours.at, theirs.at)
    delivered = ours if ours.delivered_for == at != theirs.delivered_for else theirs
    return replace(
        theirs,
        at=at,
        cleared_at=theirs.cleared_at or ours.cleared_at,
        updated_at=max(ours.updated_at, theirs.updated_at),
        delivered_for=delivered.delivered_for,
        delivered_to=delivered.delivered_to,
        delivered_offline=delivered.delivered_offline,
    )
