"""How many tokens models used and how many sessions they read, by day, over all of this user's processes."""

from __future__ import annotations

from pathlib import Path

from sidecar.store import keys
from sidecar.store.database import Database
from sidecar.store.opening import open_database
from sidecar.store.schema import SPENDING

KEPT_DAYS = 400
_DAY = 86_400_000  # ms
_SESSIONS = " sessions"  # behind the day


class Spending:
    """The folder `spending` of the user's store. Days are UTC. Methods can raise `StoreUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, directory: Path) -> Spending:
        """Opens the counters in `directory`, made if missing; `StoreUnavailable`."""
        return cls(open_database(directory, SPENDING))

    @property
    def is_gone(self) -> bool:
        """Whether somebody deleted its files: then it is of no more use and can be opened anew."""
        return self._database.file() is None

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._database.close()

    def spent(self, now: int) -> int:
        """Tokens of the day of `now` (epoch milliseconds), those reserved included."""
        with self._database.reading() as rows:
            found = rows.get(_key(now))
        return found if isinstance(found, int) else 0

    def sessions_read(self, now: int) -> int:
        """Questions about sessions that were answered on the day of `now`."""
        with self._database.reading() as rows:
            found = rows.get(_key(now, _SESSIONS))
        return found if isinstance(found, int) else 0

    def session_was_read(self, now: int) -> None:
        """Count one more."""
        key = _key(now, _SESSIONS)
        with self._database.writing() as rows:
            found = rows.get(key)
            rows.set(key, (found if isinstance(found, int) else 0) + 1)

    def reserve(self, tokens: int, most: int, now: int) -> bool:
        """Count `tokens` for today unless that would exceed `most`; whether they were counted.

        Reserved before a question is sent, so that processes at the same time cannot exceed the limit together.
        """
        key = _key(now)
        with self._database.writing() as rows:
            found = rows.get(key)
            before = found if isinstance(found, int) else 0
            if before + tokens > most:
                return False
            rows.set(key, before + tokens)
            old = [one for one in rows.keys(keys.SPENT) if one < _key(now - KEPT_DAYS * _DAY)]
            rows.delete_many(old)
        return True

    def settle(self, reserved: int, used: int, now: int) -> None:
        """Replace what was reserved at `now` by what was used."""
        key = _key(now)
        with self._database.writing() as rows:
            found = rows.get(key)
            before = found if isinstance(found, int) else reserved
            rows.set(key, max(0, before - reserved + used))


def _key(now: int, what: str = "") -> str:
    return f"{keys.SPENT}{now // _DAY:08d}{what}"
