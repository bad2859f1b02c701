"""Brings back what was put away for its age while the clock was wrong.

A machine that starts with a date far ahead, and gets the right one later, lets everything fade at once. What was put
away at a time that is yet to come was put away too early.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.memories.maintenance.changes import Ledger, Planned, Write
from sidecar.memories.recording import key_of

DAY = 86_400_000  # clocks of several machines may differ by less


def plan_return(ledger: Ledger, step: Literal["archive", "age"], why: Literal["faded", "old"]) -> None:
    """Give what was put away for `why` more than a day after now the state back that it had before."""
    for record in list(ledger.records.values()):
        if record.status != "archived" or record.archived_for != why or record.updated_at <= ledger.now + DAY:
            continue
        versions = (each.memory for each in ledger.history(record.id))
        before = next((one for one in versions if one is not None and one.status != "archived"), None)
        if before is None or _replaced(record.id, ledger):
            continue
        after = msgspec.structs.replace(
            before, version=record.version + 1, name=record.name, name_given=record.name_given
        )
        ledger.plan(
            Planned(
                step=step,
                id=record.id,
                name=record.name,
                reason="it was put away while the clock was ahead",
                writes=(Write(record, after, "restored"),),
            )
        )


def _replaced(id: str, ledger: Ledger) -> bool:
    """Whether another memory goes by its name by now."""
    key = key_of(ledger.records[id])
    return any(
        other.id != id and other.status != "archived" and key_of(other) == key
        for other in ledger.records.values()
    )
