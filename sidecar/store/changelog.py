"""The log of changes: which memory each change touched, numbered without gaps.

The greatest number is the store's seq. The log keeps the last `MAX_CHANGES`; its oldest row is called the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.store import keys
from sidecar.store.rows import Rows

MAX_CHANGES = 10_000  # a reader that is further behind reads everything again


class Changes(NamedTuple):
    """The memories changed since some seq."""

    seq: int  # the store's
    ids: tuple[str, ...] | None  # first change first; None if the log does not reach back so far


def seq(rows: Rows) -> int:
    last = rows.last_key(keys.LOG)
    return 0 if last is None else keys.seq_of(last)


def since(rows: Rows, number: int) -> Changes:
    """Return the memories changed after change `number`, with one statement."""
    entries = rows.range(keys.change_key(number), keys.change_key(number + MAX_CHANGES + 1)) if number >= 0 else []
    if not entries or entries[0][0] != keys.change_key(number):
        return Changes(seq(rows), None)
    ids = dict.fromkeys(str(id) for _, id in entries[1:])
    return Changes(keys.seq_of(entries[-1][0]), tuple(ids))


def append(rows: Rows, ids: Sequence[str], last: int) -> int:
    """Log changes after change `last`, drop the oldest beyond `MAX_CHANGES`, and return the last number."""
    for id in ids:
        last += 1
        rows.set(keys.change_key(last), id)
    if ids and last > MAX_CHANGES:
        rows.delete_range(keys.LOG, keys.change_key(last - MAX_CHANGES))
    return last
