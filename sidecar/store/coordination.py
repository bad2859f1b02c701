"""Sessions and claims in one transaction: who works here, and what is theirs alone."""

from __future__ import annotations

from typing import TypeVar

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Rows, after
from sidecar.store.records import ClaimRecord, SessionRecord

SESSIONS_KEPT = 1_000

_sessions = Codec(SessionRecord)
_claims = Codec(ClaimRecord)

T = TypeVar("T", SessionRecord, ClaimRecord)


class Coordination:
    """The rows of sessions and claims; what changes them only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def session(self, id: str) -> SessionRecord | None:
        """What is known of a session."""
        return _sessions.one(key := keys.of_parts(keys.SESSION, id), self._rows.get(key))

    def sessions(self) -> list[SessionRecord]:
        """Every session still known, in no order."""
        found = self._rows.range(keys.SESSION, after(keys.SESSION))
        return [session for _, session in _sessions.readable(found)]

    def put_session(self, record: SessionRecord) -> None:
        """Stores a session. Beyond 1,000 the longest-idle sessions are dropped."""
        key = keys.of_parts(keys.SESSION, record.id)
        fresh = self._rows.get(key) is None
        self._rows.set(key, encode(record), tag=record.seen_at)
        if fresh:
            idle = [each for each in self._rows.lowest(keys.SESSION, SESSIONS_KEPT) if each != key]
            self._rows.delete_many(idle)

    def claim(self, item: str) -> ClaimRecord | None:
        """The claim on an item, whether or not it still says anything."""
        return _claims.one(key := keys.of_parts(keys.CLAIM, item), self._rows.get(key))

    def claims(self) -> list[ClaimRecord]:
        """Every claim, by item."""
        found = self._rows.range(keys.CLAIM, after(keys.CLAIM))
        return [claim for _, claim in _claims.readable(found)]

    def put_claim(self, record: ClaimRecord) -> None:
        """Stores a claim in place of the one on its item."""
        self._rows.set(keys.of_parts(keys.CLAIM, record.item), encode(record), tag=record.session_id)

    def drop_claims(self, *items: str) -> int:
        """Removes the claims on these items; how many there were."""
        return self._rows.delete_many(keys.of_parts(keys.CLAIM, item) for item in items)

    def free(self, session_id: str) -> int:
        """Removes the claims of a session; how many there were."""
        return self.drop_claims(*(one.item for one in self.claims() if one.session_id == session_id))

    def claimed_by(self) -> dict[str, int]:
        """How many claims each session has."""
        return {str(tag): number for tag, number in self._rows.tags(keys.CLAIM).items()}
