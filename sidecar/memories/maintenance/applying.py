"""Carrying out a plan in short transactions, each change only while the memories stand as they did when planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from sidecar.memories.maintenance.changes import NEVER, Planned
from sidecar.memories.recording import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction, Use

BATCH = 50
"""Changes in one transaction: about ten milliseconds, so that no request waits longer for the store."""


def apply(
    home: MemoryStore, planned: Sequence[Planned], now: int, after_batch: Callable[[int, int], None]
) -> list[Planned]:
    """Carry out what still fits; the changes that were made. Whoever changed a memory meanwhile is right.

    `after_batch` is told how many of how many were looked at; what it raises ends the work between two transactions.
    """
    done: list[Planned] = []
    for start in range(0, len(planned), BATCH):
        batch = planned[start : start + BATCH]
        with home.transaction() as transaction:
            resting = [change.id for change in batch if change.unused_since is not None]
            uses = home.uses(resting) if resting else {}
            done.extend(change for change in batch if _carry_out(home, transaction, change, uses, now))
        after_batch(start + len(batch), len(planned))
    return done


def _carry_out(
    home: MemoryStore, transaction: MemoryTransaction, change: Planned, uses: dict[str, Use], now: int
) -> bool:
    if change.unused_since is not None and uses.get(change.id, NEVER).last != change.unused_since.last:
        return False
    for write in change.writes:
        if transaction.get(write.before.id) != write.before:
            return False
        if key_of(write.after) != key_of(write.before) and transaction.find(key_of(write.after)) is not None:
            return False
    for write in change.writes:
        if write.change is None:
            transaction.adjust(write.after)
        else:
            others = (other.after for other in change.writes if other.change is not None)
            transaction.put(write.after, write.change, now, also=others)
    if change.moved is not None:
        carry_links(transaction, *change.moved)
        # Before the commit: should that fail, only a count is in the wrong place, and the next run finds the rest.
        home.move_accesses(*change.moved)
    return True


def carry_links(transaction: MemoryTransaction, source: str, target: str, *, back: bool = False) -> None:
    """Give the links of one memory to another one too; the first keeps them, should it be restored.

    `back`: take those away from the other that it was given so.
    """
    there = transaction.links(target)
    known = {(link.source, link.target, link.kind) for link in there}
    for link in transaction.links(source):
        moved = msgspec.structs.replace(
            link,
            source=target if link.source == source else link.source,
            target=target if link.target == source else link.target,
        )
        if back:
            if moved in there:
                transaction.unlink(moved.source, moved.target, moved.kind)
        elif moved.source != moved.target and (moved.source, moved.target, moved.kind) not in known:
            transaction.link(moved)
