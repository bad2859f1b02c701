"""Group commit: transactions of one thread become durable together, in one synchronous commit.

Waiting for the folder's lock and for the disk takes many times as long as the statements of one small change. Each
transaction is a savepoint in SQLite, so a transaction that fails is rolled back alone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.database import Database
from sidecar.store.faults import translating
from sidecar.store.rows import Rows

MAX_SECONDS = 0.05  # after which the next transaction begins another commit, so that other processes can write


class CommitMember:
    """One transaction of a shared commit; after the commit, `failure` says why the transaction is not on disk."""

    def __init__(self, commit: SharedCommit) -> None:
        self.commit = commit
        self.failure: StoreUnavailable | None = None

    @contextlib.contextmanager
    def join(self, database: Database) -> Iterator[Rows]:
        """Run the block as this member's transaction. Raises what the block raises, and `StoreUnavailable`."""
        rows = self.commit.rows(database)
        try:
            with translating(database.folder), rows.savepoint():
                yield rows
        except BaseException as error:
            if not rows.writable:  # SQLite rolled back the whole commit, as it may on a full disk
                self.commit.abandon(error)
            raise
        self.commit.joined.append(self)


class SharedCommit:
    """Transactions of several `member`s, which `commit` makes durable together; for one thread.

    Until then only this thread sees the changes, so acknowledge none and take none into memory. The thread holds the
    lock of at most one database at a time, so that no two processes wait for each other.
    """

    def __init__(self) -> None:
        self.joined: list[CommitMember] = []
        self.seq: int | None = None  # the number of the last change that joined
        self._held = contextlib.ExitStack()
        self._database: Database | None = None
        self._rows: Rows | None = None
        self._until = 0.0
        self._refusals: dict[Database, StoreUnavailable] = {}

    def member(self) -> CommitMember:
        return CommitMember(self)

    def rows(self, database: Database) -> Rows:
        """Return the rows for the next transaction, after a commit if the last one is old or of another database."""
        if self._database is not database or time.monotonic() > self._until:
            self.commit()
        return self._rows if self._rows is not None else self._begin(database)

    def commit(self) -> None:
        """Commit the transactions that have joined. Never raises; if the commit fails, each member gets a `failure`."""
        if self._database is not None:
            members = self._take_members()
            try:
                self._held.close()
            except StoreUnavailable as error:
                _fail(members, error)

    def abandon(self, error: BaseException) -> None:
        """Roll back the transactions that have joined since the last commit."""
        if self._database is not None:
            message = "The change was rolled back, because another one in its group failed."
            taken_back = StoreUnavailable(message, reason="unavailable", hint="Try again.")
            _fail(self._take_members(), error if isinstance(error, StoreUnavailable) else taken_back)
            with contextlib.suppress(StoreUnavailable):
                self._held.__exit__(type(error), error, error.__traceback__)

    def _begin(self, database: Database) -> Rows:
        if (refusal := self._refusals.get(database)) is not None:
            raise type(refusal)(refusal.message, reason=refusal.data.reason, hint=refusal.data.hint)
        try:
            rows = self._held.enter_context(database.writing())
        except StoreUnavailable as error:
            self._refusals[database] = error  # so that no further member waits for the lock
            raise
        self._database, self._rows = database, rows
        self._until = time.monotonic() + MAX_SECONDS
        return rows

    def _take_members(self) -> list[CommitMember]:
        members, self.joined = self.joined, []
        self._database = self._rows = self.seq = None
        return members


def _fail(members: list[CommitMember], error: StoreUnavailable) -> None:
    for member in members:
        member.failure = error
