"""Store what a session was shown, and its frozen blocks; `injector.py` calls it after making a block."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from sidecar.memories.drafts import Briefing, InjectRequest
from sidecar.memories.injection.render import digest
from sidecar.memories.results import InjectedItem, Injection, OmittedItem
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import FrozenBlock, SessionRecord
from sidecar.text.off_record import is_off_record

_FILE_PREFIX = "file:"


def file_key(briefing: Briefing) -> str:
    """Return the key under which a briefing counts as shown; a changed file has another key."""
    return f"{_FILE_PREFIX}{briefing.path}@{briefing.hash}"


def frozen_key(request: InjectRequest) -> str:
    """Return the key of a frozen block: it depends on agent and format, but on neither prompt nor files."""
    return digest(repr((request.agent, request.format, request.budget_tokens, request.max_lines)))


def frozen_block(session: SessionRecord, key: str) -> Injection | None:
    """Return a session's frozen block; None if there is none, or it cannot be read."""
    block = next((block for block in session.frozen if block.key == key), None)
    if block is None:
        return None
    try:
        items = msgspec.msgpack.decode(block.items, type=tuple[InjectedItem, ...])
        omitted = msgspec.msgpack.decode(block.omitted, type=tuple[OmittedItem, ...])
    except msgspec.MsgspecError:
        return None
    return Injection(block.text, block.tokens, block.etag, items, omitted)


class Shown(NamedTuple):
    """What a session is shown by one block."""

    keys: Iterable[str]  # of memories and files
    to_freeze: tuple[str, Injection] | None = None  # the block and its key
    ranked_by: str | None = None  # a model; only the first one of a session is stored
    question: str | None = None

    def is_stored_in(self, session: SessionRecord | None) -> bool:
        if session is None or self.to_freeze is not None or not still_shown(session).issuperset(self.keys):
            return False
        return (self.ranked_by is None or session.ranked_by is not None) and self.question in (None, session.asked)


def append_shown(store: MemoryStore, id: str, shown: Shown, now: int) -> tuple[set[str], Injection | None]:
    """Store in a session what it was shown; return the keys that it had never been shown before.

    If another request froze a block first, that block is returned as well.
    """
    keys, to_freeze, question = dict.fromkeys(shown.keys), shown.to_freeze, shown.question
    new_keys: set[str] = set()
    frozen_before: Injection | None = None

    def change(session: SessionRecord | None) -> SessionRecord:
        nonlocal new_keys, frozen_before
        record = _session_or_new(session, id, now)
        frozen = record.frozen
        if to_freeze is not None:
            frozen_before = frozen_block(record, to_freeze[0])
            if frozen_before is not None:
                new_keys = set()
                return record
            frozen = (*(block for block in frozen if block.key != to_freeze[0]), _freeze(*to_freeze))
        new_keys = keys.keys() - set(record.shown)
        lost = tuple(key for key in record.shown[: record.lost] if key not in keys)
        visible = dict.fromkeys((*record.shown[record.lost :], *keys))
        return replace(
            record,
            seen_at=now,
            shown=(*lost, *visible),
            lost=len(lost),
            frozen=frozen,
            ranked_by=shown.ranked_by if record.ranked_by is None else record.ranked_by,
            asked=record.asked if question is None or is_off_record(question) else question,
        )

    store.update_session(id, change)
    return new_keys, frozen_before


def store_heard(store: MemoryStore, id: str, memory_id: str, now: int) -> None:
    """Count a memory as shown to the session in which the user said it."""
    if store.session(id) is not None:
        append_shown(store, id, Shown([memory_id]), now)


def still_shown(session: SessionRecord | None) -> frozenset[str]:
    """Return what a session was shown since its context was last compacted."""
    return frozenset() if session is None else frozenset(session.shown[session.lost :])


def store_shown_again(store: MemoryStore, session: SessionRecord, block: Injection, now: int) -> None:
    """Store that a frozen block is shown again after a compaction."""
    ids = {item.id for item in block.items}
    files = tuple(f"{_FILE_PREFIX}{item.path}@" for item in block.items if item.path is not None)
    if keys := [key for key in session.shown[: session.lost] if key in ids or key.startswith(files)]:
        append_shown(store, session.id, Shown(keys), now)


def store_compaction(store: MemoryStore, id: str, now: int) -> None:
    """Store that the agent no longer sees what the session was shown."""
    session = store.session(id)
    if session is not None and session.lost != len(session.shown):
        store.update_session(id, lambda old: replace(record := _session_or_new(old, id, now), lost=len(record.shown)))


def thaw(store: MemoryStore, id: str, key: str, now: int) -> None:
    """Drop a frozen block, because a memory in it was purged."""

    def change(session: SessionRecord | None) -> SessionRecord:
        record = _session_or_new(session, id, now)
        return replace(record, frozen=tuple(block for block in record.frozen if block.key != key))

    store.update_session(id, change)


def _session_or_new(session: SessionRecord | None, id: str, now: int) -> SessionRecord:
    return session or SessionRecord(id=id, started_at=now, seen_at=now)


def _freeze(key: str, injection: Injection) -> FrozenBlock:
    return FrozenBlock(
        key=key,
        text=injection.text,
        tokens=injection.tokens,
        etag=injection.etag,
        items=msgspec.msgpack.encode(injection.items),
        omitted=msgspec.msgpack.encode(injection.omitted),
    )
