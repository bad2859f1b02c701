"""Group commit: transactions of one thread that become durable together, in one synchronous commit.

A commit waits for the disk and takes the folder's lock, and both take many times as long as the statements of one small
change. Each transaction is a savepoint in SQLite, so one that fails is rolled back alone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.database import Database
from sidecar.store.faults import translating
from sidecar.store.rows import Rows

MAX_SECONDS = 0.05
"""Seconds after which the next transaction begins a commit of its own, so that other processes can write."""


class CommitMember:
    """One transaction of a shared commit; once that has ended, `failure` says why it is not, or not whole, on disk."""

    def __init__(self, commit: SharedCommit) -> None:
        self.commit = commit
        self.failure: StoreUnavailable | None = None

    @contextlib.contextmanager
    def join(self, database: Database) -> Iterator[Rows]:
        """Store a transaction as a whole or not at all. Raises what the block raises, and `StoreUnavailable`."""
        rows = self.commit.rows(database)
        try:
            with translating(database.folder), rows.savepoint():
                yield rows
        except BaseException as error:
            if not rows.writable:  # SQLite rolled back all of it, as it may on a full disk
                self.commit.abandon(error)
            raise
        self.commit.joined.append(self)


class SharedCommit:
    """Transactions of `member`s that `commit` makes durable together; for one thread.

    In between, the thread holds the lock of at most one database, so that no two processes wait for each other, and it
    alone sees the changes: acknowledge nothing, and keep nothing of them in memory, before `commit`.
    """

    def __init__(self) -> None:
        self.joined: list[CommitMember] = []
        self.seq: int | None = None  # after the last change that joined, if any did
        self._held = contextlib.ExitStack()
        self._database: Database | None = None
        self._rows: Rows | None = None
        self._until = 0.0
        self._refusals: dict[Database, StoreUnavailable] = {}

    def member(self) -> CommitMember:
        return CommitMember(self)

    def rows(self, database: Database) -> Rows:
        """Return the rows for the next transaction, first committing what belongs to another database or waits long."""
        if self._database is not database or time.monotonic() > self._until:
            self.commit()
        return self._rows if self._rows is not None else self._begin(database)

    def commit(self) -> None:
        """Commit what has joined. Never raises: members whose commit failed have a `failure`."""
        if self._database is not None:
            members = self._take_members()
            try:
                self._held.close()
            except StoreUnavailable as error:
                _fail(members, error)

    def abandon(self, error: BaseException) -> None:
        """Roll back what has joined since the last commit."""
        if self._database is not None:
            message = "The commit that this was to be part of was taken back."
            taken_back = StoreUnavailable(message, reason="unavailable", hint="Try again.")
            _fail(self._take_members(), error if isinstance(error, StoreUnavailable) else taken_back)
            with contextlib.suppress(StoreUnavailable):
                self._held.__exit__(type(error), error, error.__traceback__)

    def _begin(self, database: Database) -> Rows:
        if (known := self._refusals.get(database)) is not None:
            raise type(known)(known.message, reason=known.data.reason, hint=known.data.hint)
        try:
            rows = self._held.enter_context(database.writing())
        except StoreUnavailable as error:
            self._refusals[database] = error  # all have waited for the lock: none waits for it again
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
