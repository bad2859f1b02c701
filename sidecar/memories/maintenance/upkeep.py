"""Maintain the memories of a workspace's store, then of the user's, each under the store's own lock.

The handler of `memory/maintain` and the engine's idle maintenance call it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from sidecar.memories.announcing import MemoriesChanged
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.meaning import OTHER_KIND
from sidecar.memories.maintenance import consolidation
from sidecar.memories.maintenance.changes import STEPS, MaintenanceStep, PlannedChange
from sidecar.memories.maintenance.running import RunOptions, RunOutcome, is_due, run
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MaintenanceRecord, MemoryRecord, ProposalRecord

_MAX_NEIGHBOURS = 10  # memories that are compared with each memory
_MAX_DISMISSED = 1_000  # dismissed proposals that are remembered


class MaintenanceProposal(msgspec.Struct, frozen=True):
    """Two similar memories, for a person to decide on."""

    id: str
    kind: str  # `merge`: `other` into `keep`; `supersede`: `keep` supersedes `other`
    keep: str
    keep_name: str
    other: str
    other_name: str
    score: float


class MaintenanceReport(msgspec.Struct, frozen=True):
    """What maintenance did; a store is called `workspace` or `user`."""

    counts: dict[MaintenanceStep, int]
    actions: tuple[PlannedChange, ...] = ()
    left: tuple[PlannedChange, ...] = ()
    proposals: tuple[MaintenanceProposal, ...] = ()
    ran: tuple[str, ...] = ()  # stores that were maintained
    busy: tuple[str, ...] = ()  # stores that another process is maintaining
    early: tuple[str, ...] = ()  # stores that are not due


class Upkeep:
    """Maintains a catalogue's stores, and updates the catalogue meanwhile, so that no request has to."""

    def __init__(self, catalogue: Catalogue, changed: MemoriesChanged) -> None:
        self._catalogue = catalogue
        self._changed = changed
        self._stores = dict(zip(("workspace", "user"), catalogue.stores, strict=True))

    def is_due(self, now: int) -> bool:
        return any(is_due(store, now) for store in self._stores.values())

    def maintain(self, options: RunOptions, now: int) -> MaintenanceReport:
        """Run `options` on both stores. Raises StoreUnavailable and what `options.step` raises."""
        outcomes: dict[str, RunOutcome] = {}
        for name, store in self._stores.items():
            wanted = replace(
                options,
                similar=self._similar,
                sessions=options.sessions or self._stores["workspace"].sessions_since,
                step=partial(self._refresh_before, options.step),
            )
            outcomes[name] = run(store, wanted, now)
        report = _report(outcomes, options.steps)
        touched = [memory for action in report.actions for memory in action.touched]
        if touched and not options.dry_run:
            self._changed.announce(touched)
        return report

    def proposals(self) -> tuple[MaintenanceProposal, ...]:
        proposals: list[MaintenanceProposal] = []
        for store in self._stores.values():
            state = store.maintenance()
            ids = [id for proposal in state.proposals for id in (proposal.keep, proposal.other)]
            records = store.get_many(ids)
            proposals.extend(_with_names(consolidation.still_valid(state.proposals, records), records))
        return tuple(proposals)

    def accept(self, id: str, now: int) -> list[MemoryRecord]:
        """Carry out a proposal; return the memories that changed. Raises InvalidField."""
        store, proposal = self._proposal(id)
        changed = consolidation.accept(store, proposal, now)
        self._close_proposal(store, id, dismissed=False)
        self._changed.announce_changes(
            (memory, "archived" if memory.status == "archived" else "updated") for memory in changed
        )
        return changed

    def dismiss(self, id: str) -> None:
        """Do not make a proposal again as long as neither memory changes. Raises InvalidField."""
        store, _ = self._proposal(id)
        self._close_proposal(store, id, dismissed=True)

    def _proposal(self, id: str) -> tuple[MemoryStore, ProposalRecord]:
        for store in self._stores.values():
            for proposal in store.maintenance().proposals:
                if proposal.id == id:
                    return store, proposal
        raise consolidation.stale_error(id)

    def _close_proposal(self, store: MemoryStore, id: str, *, dismissed: bool) -> None:
        def without_proposal(state: MaintenanceRecord) -> MaintenanceRecord:
            rest = tuple(proposal for proposal in state.proposals if proposal.id != id)
            dismissed_ids = (*state.dismissed, id) if dismissed and id not in state.dismissed else state.dismissed
            return replace(state, proposals=rest, dismissed=dismissed_ids[-_MAX_DISMISSED:])

        store.update_maintenance(without_proposal)

    def _similar(self, record: MemoryRecord) -> Iterable[tuple[str, float]]:
        """Return the memories similar in words and, if the model's cosines can be trusted, in meaning."""
        self._catalogue.prepare(record.content)
        with self._catalogue.current() as index:
            # Find memories that share words; how alike they are is computed afterwards.
            near = {id: 0.0 for id, _ in index.words.holders(record.content, _MAX_NEIGHBOURS)}
            # Ask for the closest only: all cosines of each of tens of thousands of memories would take hours.
            answer = index.meaning.compare(record.content, index.rows.keys(), ())
        if answer is not None and answer.kind != OTHER_KIND:
            for id, cosine in answer.cosines.items():
                if cosine >= consolidation.MIN_PROPOSED_SIMILARITY:
                    near[id] = max(cosine, near.get(id, 0.0))
        return near.items()

    def _refresh_before(self, step: Callable[[int, int], None], done: int, total: int) -> None:
        if total:
            self._catalogue.bring_up_to_date()
        step(done, total)


def _report(outcomes: dict[str, RunOutcome], steps: Collection[MaintenanceStep]) -> MaintenanceReport:
    counts: dict[MaintenanceStep, int] = {step: 0 for step in STEPS if step in steps}
    actions = sorted(
        (change for outcome in outcomes.values() for change in outcome.changes),
        key=lambda change: STEPS.index(change.step),
    )
    for change in actions:
        counts[change.step] = counts.get(change.step, 0) + 1
    if "consolidation" in counts:
        counts["consolidation"] += sum(outcome.proposed for outcome in outcomes.values())
    return MaintenanceReport(
        counts,
        tuple(actions),
        tuple(change for outcome in outcomes.values() for change in outcome.left),
        tuple(pair for outcome in outcomes.values() for pair in _with_names(outcome.proposals, outcome.records)),
        *(
            tuple(name for name, outcome in outcomes.items() if outcome.state == state)
            for state in ("done", "busy", "early")
        ),
    )


def _with_names(pairs: Sequence[ProposalRecord], records: dict[str, MemoryRecord]) -> list[MaintenanceProposal]:
    return [
        MaintenanceProposal(
            pair.id, pair.kind, pair.keep, records[pair.keep].name, pair.other, records[pair.other].name, pair.score
        )
        for pair in pairs
    ]
