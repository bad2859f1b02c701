"""Sessions and claims in one transaction: who works here, and who claims what."""

from __future__ import annotations

from sidecar.store import keys
from sidecar.store.records import ClaimRecord, SessionRecord
from sidecar.store.rows import Rows
from sidecar.store.tables import CLAIMS, SESSIONS

SESSIONS_KEPT = 1_000


class Coordination:
    """The rows of sessions and claims; change them only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def session(self, id: str) -> SessionRecord | None:
        return SESSIONS.get(self._rows, id)

    def put_session(self, record: SessionRecord) -> None:
        """Store a session; of more than 1,000 sessions, drop those idle longest."""
        key = SESSIONS.key(record.id)
        fresh = self._rows.get(key) is None
        SESSIONS.set(self._rows, record, record.id, tag=record.seen_at)
        if fresh:
            idle = [other for other in self._rows.lowest(keys.SESSION, SESSIONS_KEPT) if other != key]
            self._rows.delete_many(idle)

    def claim(self, item: str) -> ClaimRecord | None:
        """Return the claim on an item, whether or not its session is still active."""
        return CLAIMS.get(self._rows, item)

    def put_claim(self, record: ClaimRecord) -> None:
        CLAIMS.set(self._rows, record, record.item, tag=record.session_id)

    def drop_claims(self, *items: str) -> int:
        return CLAIMS.drop(self._rows, items)

    def free(self, session_id: str) -> int:
        claims = CLAIMS.all(self._rows)
        return self.drop_claims(*(claim.item for claim in claims if claim.session_id == session_id))

    def claimed_by(self) -> dict[str, int]:
        return {str(tag): number for tag, number in self._rows.tags(keys.CLAIM).items()}
