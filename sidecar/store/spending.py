"""Count the tokens that models used and the sessions that they read, by day, over all processes of this user."""

from __future__ import annotations

from sidecar.store import keys
from sidecar.store.database_store import DatabaseStore
from sidecar.store.schema import SPENDING

KEPT_DAYS = 400  # for which counts are kept
_DAY_MS = 86_400_000
_SESSIONS_SUFFIX = " sessions"  # appended to the day in the key


class Spending(DatabaseStore):
    """The folder `spending` of the user's store; days are in UTC."""

    kind = SPENDING

    def spent(self, now: int) -> int:
        return self._database.read(lambda rows: rows.number(_key(now)))

    def sessions_read(self, now: int) -> int:
        return self._database.read(lambda rows: rows.number(_key(now, _SESSIONS_SUFFIX)))

    def session_was_read(self, now: int) -> None:
        key = _key(now, _SESSIONS_SUFFIX)
        with self._database.writing() as rows:
            rows.set(key, rows.number(key) + 1)

    def reserve(self, tokens: int, limit: int, now: int) -> bool:
        """Count tokens for today before a question is sent; return False if they would exceed the day's `limit`."""
        key = _key(now)
        with self._database.writing() as rows:
            before = rows.number(key)
            if before + tokens > limit:
                return False
            rows.set(key, before + tokens)
            old = [day for day in rows.keys(keys.SPENT) if day < _key(now - KEPT_DAYS * _DAY_MS)]
            rows.delete_many(old)
        return True

    def charge(self, reserved: int, used: int, now: int) -> None:
        """Replace the tokens reserved at `now` by the tokens used."""
        key = _key(now)
        with self._database.writing() as rows:
            rows.set(key, max(0, rows.number(key, reserved) - reserved + used))


def _key(now: int, what: str = "") -> str:
    return f"{keys.SPENT}{now // _DAY_MS:08d}{what}"
