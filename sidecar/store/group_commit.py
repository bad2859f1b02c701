"""Group commit: transactions of one thread become durable together, in one synchronous commit.

`Recorder.record_together` uses it: waiting for the lock and the disk takes many times as long as the statements of one
small change. Each transaction is a savepoint in SQLite, so one that fails is rolled back alone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.database import Database
from sidecar.store.faults import translating
from sidecar.store.memory_transaction import MemoryTransaction
from sidecar.store.rows import Rows

MAX_SECONDS = 0.05  # then the next transaction begins another commit, so that other processes can write


class GroupCommit:
    """Transactions that `commit` makes durable together; for one thread.

    Until then only this thread sees their changes, so neither acknowledge a change nor add it to an index. If the
    commit fails, each transaction's `failure` says why. The thread holds the lock of at most one database at a time, so
    that two processes never wait for each other.
    """

    def __init__(self) -> None:
        self.seq: int | None = None  # number of the last change that is part of the commit
        self._joined: list[MemoryTransaction] = []
        self._held = contextlib.ExitStack()
        self._database: Database | None = None
        self._rows: Rows | None = None
        self._until = 0.0
        self._refusals: dict[Database, StoreUnavailable] = {}

    @contextlib.contextmanager
    def savepoint(self, database: Database) -> Iterator[Rows]:
        """Run the block as a transaction that can `join`. Raises what the block raises, and `StoreUnavailable`.

        If the first of the earlier transactions is `MAX_SECONDS` old, or of another database, commit them first.
        """
        if self._database is not database or time.monotonic() > self._until:
            self.commit()
        rows = self._rows if self._rows is not None else self._begin(database)
        try:
            with translating(database.folder), rows.savepoint():
                yield rows
        except BaseException as error:
            if not rows.writable:  # SQLite rolled back the whole commit, as on a full disk
                self.abandon(error)
            raise

    def join(self, transaction: MemoryTransaction) -> None:
        """Add a finished transaction to the commit."""
        self._joined.append(transaction)
        self.seq = transaction.seq

    def commit(self) -> None:
        """Commit the joined transactions. Never raises: if the commit fails, each gets a `failure`."""
        if self._database is not None:
            transactions = self._take_joined()
            try:
                self._held.close()
            except StoreUnavailable as error:
                _fail(transactions, error)

    def abandon(self, error: BaseException) -> None:
        """Roll back the transactions that joined since the last commit."""
        if self._database is not None:
            message = "The change was rolled back, because another one in its group failed."
            taken_back = StoreUnavailable(message, reason="unavailable", hint="Try again.")
            _fail(self._take_joined(), error if isinstance(error, StoreUnavailable) else taken_back)
            with contextlib.suppress(StoreUnavailable):
                self._held.__exit__(type(error), error, error.__traceback__)

    def _begin(self, database: Database) -> Rows:
        if (refusal := self._refusals.get(database)) is not None:
            raise type(refusal)(refusal.message, reason=refusal.data.reason, hint=refusal.data.hint)
        try:
            rows = self._held.enter_context(database.writing())
        except StoreUnavailable as error:
            self._refusals[database] = error  # no later transaction waits for the lock again
            raise
        self._database, self._rows = database, rows
        self._until = time.monotonic() + MAX_SECONDS
        return rows

    def _take_joined(self) -> list[MemoryTransaction]:
        transactions, self._joined = self._joined, []
        self._database = self._rows = self.seq = None
        return transactions


def _fail(transactions: list[MemoryTransaction], error: StoreUnavailable) -> None:
    for transaction in transactions:
        transaction.failure = error
