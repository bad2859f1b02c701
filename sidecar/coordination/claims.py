"""Claims of items on which one session works exclusively, atomic across processes.

A claim is void once its session has ended, its process is gone, or it has sent no heartbeat for 30 minutes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.coordination.registry import require_active, state_of, with_heartbeat
from sidecar.runtime.errors import InvalidField
from sidecar.store.activity import Coordination
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import ClaimRecord, SessionRecord
from sidecar.text.secrets import redact

MAX_ITEM_CHARS = 1_000
MAX_CLAIMS_OF_SESSION = 1_000
_SWEEP_CLAIMS = 5_000


@dataclass(frozen=True)
class ClaimOutcome:
    """The result of a claim or release."""

    done: bool  # whether the item was claimed or released
    item: str
    claim: ClaimRecord | None  # on the item now
    owner: SessionRecord | None  # the session that holds the claim


def normalise_item(spelling: str) -> str:
    """Return an item as it is stored: on one line, in Unicode normal form C, without secrets. Raises InvalidField."""
    item = unicodedata.normalize("NFC", " ".join(redact(" ".join(spelling.split()))[0].split()))
    if not item:
        raise InvalidField("The item is blank.", path="$.item", hint="Name what is worked on.")
    if len(item) > MAX_ITEM_CHARS:
        raise InvalidField(
            f"The item has {len(item):,} characters; the limit is {MAX_ITEM_CHARS:,}.",
            path="$.item",
            reason="tooLong",
            hint="Give it a short name, such as its path or number.",
        )
    if not item.isprintable():
        raise InvalidField("The item has unprintable characters.", path="$.item")
    return item


def claim(store: MemoryStore, session_id: str, item: str, now: int) -> ClaimOutcome:
    """Claim a normalised item for an active session, which counts as a heartbeat.

    Raises SessionNotActive, InvalidField.
    """
    with store.coordination() as transaction:
        session = require_active(transaction.session(session_id), session_id, now)
        session = with_heartbeat(session, now)
        transaction.put_session(session)
        existing, owner = _valid_claim(transaction, item, now)
        if existing is not None:
            return ClaimOutcome(existing.session_id == session_id, item, existing, owner)
        _check_capacity(transaction, session_id, now)
        new_claim = ClaimRecord(item=item, session_id=session_id, at=now)
        transaction.put_claim(new_claim)
    return ClaimOutcome(True, item, new_claim, session)


def release(store: MemoryStore, session_id: str, item: str, now: int) -> ClaimOutcome:
    """Release an item unless another session holds it, which counts as a heartbeat. Raises SessionNotActive."""
    with store.coordination() as transaction:
        session = require_active(transaction.session(session_id), session_id, now)
        transaction.put_session(with_heartbeat(session, now))
        existing, owner = _valid_claim(transaction, item, now)
        if existing is None or existing.session_id != session_id:
            return ClaimOutcome(False, item, existing, owner)
        transaction.drop_claims(item)
    return ClaimOutcome(True, item, None, None)


def valid_claims(store: MemoryStore, sessions: Mapping[str, SessionRecord], now: int) -> dict[str, list[ClaimRecord]]:
    claims_of: dict[str, list[ClaimRecord]] = {}
    for record in sorted(store.claims(), key=lambda record: (record.at, record.item)):
        if record.session_id in sessions and state_of(sessions[record.session_id], now) == "active":
            claims_of.setdefault(record.session_id, []).append(record)
    return claims_of


def _valid_claim(transaction: Coordination, item: str, now: int) -> tuple[ClaimRecord | None, SessionRecord | None]:
    """Return the claim on an item and its session; (None, None) if there is no valid claim."""
    claim_record = transaction.claim(item)
    owner = transaction.session(claim_record.session_id) if claim_record is not None else None
    if claim_record is None or owner is None or state_of(owner, now) != "active":
        return None, None
    return claim_record, owner


def _check_capacity(transaction: Coordination, session_id: str, now: int) -> None:
    counts = transaction.claimed_by()
    if counts.get(session_id, 0) >= MAX_CLAIMS_OF_SESSION:
        raise InvalidField(
            f"The session {session_id!r} has {MAX_CLAIMS_OF_SESSION:,} claims already.",
            path="$.item",
            reason="tooMany",
            hint="Release what is done, or claim a folder rather than each of its files.",
        )
    if sum(counts.values()) >= _SWEEP_CLAIMS:
        for id in counts:
            session = transaction.session(id)
            if session is None or state_of(session, now) != "active":
                transaction.free(id)
