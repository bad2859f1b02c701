"""The log of changes: which memory each change touched, numbered without gaps, bounded in length.

The greatest number is the store's seq. The oldest row is the base: the log reaches back to it and not beyond.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sidecar.store import keys
from sidecar.store.database import Rows

LIMIT = 10_000


class Changes(NamedTuple):
    """`ids` changed after the seq that was asked for, oldest first; None: the log does not reach back."""

    seq: int
    ids: tuple[str, ...] | None


def seq(rows: Rows) -> int:
    """Number of the latest change."""
    last = rows.last_key(keys.LOG)
    return 0 if last is None else keys.seq_of(last)


def since(rows: Rows, known: int) -> Changes:
    """What changed after `known`, in one statement."""
    found = rows.range(keys.of_change(known), keys.of_change(known + LIMIT + 1)) if known >= 0 else []
    if not found or found[0][0] != keys.of_change(known):
        return Changes(seq(rows), None)
    ids = dict.fromkeys(str(id) for _, id in found[1:])
    return Changes(keys.seq_of(found[-1][0]), tuple(ids))


def append(rows: Rows, ids: Iterable[str]) -> None:
    """Note these changes, one number each, and forget those beyond `LIMIT`; inside a transaction."""
    last = seq(rows)
    for id in ids:
        last += 1
        rows.set(keys.of_change(last), id)
    if last > LIMIT:
        rows.delete_range(keys.LOG, keys.of_change(last - LIMIT))
