"""The plan of a run: every step, in order, until none finds anything more to do.

A step may make work for an earlier one (a promoted memory may say what another one says), so they are repeated on what
they planned. That is why a second run right after finds nothing: the first ended where every step is content.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from sidecar.memories.maintenance.ageing import plan_ageing
from sidecar.memories.maintenance.changes import Ledger, Missing, Step
from sidecar.memories.maintenance.duplicates import plan_duplicates
from sidecar.memories.maintenance.promotion import plan_promotion
from sidecar.memories.maintenance.relevance import plan_archive, plan_relevance
from sidecar.memories.maintenance.returning import plan_return
from sidecar.store.memory_store import Use
from sidecar.store.records import MemoryRecord, VersionRecord

_MOST_ROUNDS = 20  # each but the last puts a memory away or widens one's scope; three are the most ever seen


def plan(
    records: Sequence[MemoryRecord],
    uses: Mapping[str, Use],
    history: Callable[[str], Sequence[VersionRecord]],
    now: int,
    steps: Collection[Step],
    *,
    fading: bool = True,
    missing: Missing | None = None,
) -> Ledger:
    """What the `steps` would change in `records` at `now`; nothing given is changed.

    `fading` off: relevance doesn't fall with time, and nothing is put away for it. `missing` tells of references that
    lead nowhere; it is asked once for each memory that has any, None: references don't count.
    """
    ledger = Ledger.of(records, uses, history, now)
    known: dict[str, tuple[int, int]] = {}

    def missing_once(record: MemoryRecord) -> tuple[int, int]:
        if record.id not in known:
            assert missing is not None
            known[record.id] = missing(record)
        return known[record.id]

    for _ in range(_MOST_ROUNDS):
        before = len(ledger.planned)
        if "duplicates" in steps:
            plan_duplicates(ledger)
        if "relevance" in steps or "references" in steps:
            plan_relevance(ledger, missing_once if missing is not None else None, fading=fading)
        if "archive" in steps and fading:
            plan_return(ledger, "archive", "faded")
            plan_archive(ledger)
        if "promotion" in steps:
            plan_promotion(ledger)
        if "age" in steps:
            plan_return(ledger, "age", "old")
            plan_ageing(ledger)
        if len(ledger.planned) == before:
            break
    return ledger
