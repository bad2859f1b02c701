"""Run maintenance over one store: lock other processes out, plan, carry out the plan, and store when it ran."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from sidecar.memories.maintenance import changes, consolidation
from sidecar.memories.maintenance.changes import Ledger, MaintenanceStep, Missing, PlannedChange
from sidecar.memories.maintenance.consolidation import FindSimilar
from sidecar.memories.maintenance.duplicates import plan_duplicates
from sidecar.memories.maintenance.fading import plan_ageing, plan_archive, plan_relevance, plan_return
from sidecar.memories.maintenance.promotion import plan_promotion
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MaintenanceRecord, MemoryRecord, ProposalRecord, VersionRecord

_MAX_ROUNDS = 20  # a round follows as long as memories change; more than three rounds were never seen
RUN_INTERVAL_MS = 24 * 3_600_000  # between two unasked runs over a store, by whatever process


def plan(
    records: Sequence[MemoryRecord],
    uses: Mapping[str, Use],
    history: Callable[[str], Sequence[VersionRecord]],
    now: int,
    steps: Collection[MaintenanceStep],
    *,
    fading: bool = True,
    missing: Missing | None = None,
) -> Ledger:
    """Plan what the `steps` would change in `records`.

    Without `fading`, time neither lowers relevance nor archives. `missing` is called once for each memory with
    references, and counts those to what is gone; if it is None, references do not count.
    """
    ledger = Ledger(records, uses, history, now)
    counted: dict[str, tuple[int, int]] = {}

    def missing_once(record: MemoryRecord) -> tuple[int, int]:
        if record.id not in counted:
            assert missing is not None
            counted[record.id] = missing(record)
        return counted[record.id]

    for _ in range(_MAX_ROUNDS):
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


class RunOptions(msgspec.Struct, frozen=True):
    """What a run does."""

    steps: Collection[MaintenanceStep]
    dry_run: bool = False
    fading: bool = True  # whether memories fade with time
    asked: bool = False  # consolidate even before that is due
    unasked: bool = False  # skip the run if another was within a day
    complete: bool = True  # the run counts as the day's
    missing: Missing | None = None
    similar: FindSimilar | None = None
    sessions: Callable[[int], int] | None = None  # counts sessions since a time
    step: Callable[[int, int], None] = lambda done, total: None  # called with the progress; raises to stop the run


class RunOutcome(msgspec.Struct):
    """The result of a run or dry run."""

    state: Literal["done", "busy", "early"] = "done"  # busy: another process maintains the store; early: not due
    changes: list[PlannedChange] = []
    left: list[PlannedChange] = []
    proposals: list[ProposalRecord] = []
    proposed: int = 0
    records: dict[str, MemoryRecord] = {}


def run(store: MemoryStore, options: RunOptions, now: int) -> RunOutcome:
    """Maintain one store. Raises StoreUnavailable, Cancelled.

    A dry run writes nothing and waits for nothing.
    """
    if options.dry_run:
        return _dry_run(store, options, now)
    with store.maintaining() as mine:
        if not mine:
            return RunOutcome("busy")
        if options.unasked and not is_due(store, now):
            return RunOutcome("early")
        return _execute(store, options, now)


def is_due(store: MemoryStore, now: int) -> bool:
    """Return whether a store is due for an unasked run. A clock that was set back does not delay the run."""
    ran_at = store.maintenance().ran_at
    return ran_at is None or not 0 <= now - ran_at < RUN_INTERVAL_MS


def _dry_run(store: MemoryStore, options: RunOptions, now: int) -> RunOutcome:
    ledger = _plan_run(store, options, now)
    outcome = RunOutcome(changes=ledger.planned, left=ledger.left, records=ledger.records)
    state = store.maintenance()
    fresh = _fresh_proposals(store, options, list(ledger.records.values()), now)
    after = state if fresh is None else consolidation.updated_state(state, fresh, ledger.records, now)
    _list_proposals(outcome, after.proposals, {proposal.id for proposal in state.proposals})
    return outcome


def _execute(store: MemoryStore, options: RunOptions, now: int) -> RunOutcome:
    ledger = _plan_run(store, options, now)
    done = changes.apply(store, ledger.planned, now, options.step)
    records = store.all() if ledger.planned else list(ledger.records.values())
    by_id = {record.id: record for record in records}
    outcome = RunOutcome(changes=done, left=ledger.left, records=by_id)
    earlier = {proposal.id for proposal in store.maintenance().proposals}
    fresh = _fresh_proposals(store, options, records, now)

    def updated(state: MaintenanceRecord) -> MaintenanceRecord:
        state = state if fresh is None else consolidation.updated_state(state, fresh, by_id, now)
        return replace(state, ran_at=now) if options.complete else state

    state = store.update_maintenance(updated)
    _list_proposals(outcome, state.proposals, earlier)
    return outcome


def _plan_run(store: MemoryStore, options: RunOptions, now: int) -> Ledger:
    return plan(
        store.all(), store.all_uses(), store.history, now, options.steps, fading=options.fading, missing=options.missing
    )


def _fresh_proposals(
    store: MemoryStore, options: RunOptions, records: Sequence[MemoryRecord], now: int
) -> list[ProposalRecord] | None:
    """Return new proposals; None if consolidation is not wanted or not due."""
    if "consolidation" not in options.steps or options.similar is None:
        return None
    state = store.maintenance()
    sessions = options.sessions or store.sessions_since
    if not options.asked and not consolidation.is_due(state, records, now, sessions):
        return None
    return consolidation.propose(records, state.consolidated_at, options.similar, lambda: options.step(0, 0))


def _list_proposals(outcome: RunOutcome, proposals: Sequence[ProposalRecord], earlier: Collection[str]) -> None:
    outcome.proposals = consolidation.still_valid(proposals, outcome.records)
    outcome.proposed = sum(proposal.id not in earlier for proposal in outcome.proposals)
