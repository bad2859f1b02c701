"""`memory/maintain` and `memory/promote`: keep memories true and few, and share them."""

from __future__ import annotations

from protocol import maintenance as api
from sidecar.engine import mapping
from sidecar.engine.maintaining import maintain, switched_on
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.memories.maintenance.changes import STEPS, PlannedChange
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.maintenance.upkeep import MaintenanceReport
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField

MAX_ACTIONS = 500
_STORES = {"workspace": "the workspace's memories", "user": "your global memories"}


class MaintenanceHandler:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def memory_maintain(
        self, params: api.MaintainParams, workspace: OpenWorkspace, context: Context
    ) -> api.MaintainResult:
        if params.dry_run and (params.apply or params.dismiss):
            raise InvalidField(
                "A dry run writes nothing: it cannot apply or dismiss proposals.",
                path="$.dryRun",
                hint="The proposals themselves say what they would do.",
            )
        now, upkeep = self._clock(), workspace.book.upkeep
        applied = [record.id for proposal in params.apply for record in upkeep.accept(proposal, now)]
        for proposal in params.dismiss:
            upkeep.dismiss(proposal)
        if (params.apply or params.dismiss) and params.steps is None:
            report = MaintenanceReport({}, proposals=upkeep.proposals())
        else:
            options = RunOptions(steps=(), dry_run=params.dry_run)
            report = maintain(workspace, options, params.steps, now)
        off = [step for step in STEPS if step not in switched_on(workspace.settings.maintenance)]
        return _result(report, params, applied, off)

    def memory_promote(
        self, params: api.PromoteParams, workspace: OpenWorkspace, context: Context
    ) -> api.PromoteResult:
        promotion = workspace.book.promoter.promote(params.id, params.scope)
        promoted = workspace.book.searcher.get(promotion.record.id)
        return api.PromoteResult(
            memory=mapping.as_memory(promoted),
            changed=promotion.changed,
            archived=promotion.archived.id if promotion.archived is not None else None,
        )


def _result(
    report: MaintenanceReport, params: api.MaintainParams, applied: list[str], off: list[api.Step]
) -> api.MaintainResult:
    by_weight = sorted(report.actions, key=lambda action: not action.touched)
    passed = len(report.busy)
    busy_stores = " and ".join(_STORES[name] for name in report.busy)
    return api.MaintainResult(
        state="done" if not passed else "skipped" if passed == len(_STORES) else "partial",
        dry_run=params.dry_run,
        counts={str(step): count for step, count in report.counts.items()},
        actions=[_action(action) for action in by_weight[:MAX_ACTIONS]],
        left=[_action(action) for action in report.left[:MAX_ACTIONS]],
        proposals=[mapping.to_wire(api.Proposal, proposal) for proposal in report.proposals],
        switched_off=off,
        applied=applied,
        more=max(0, len(by_weight) - MAX_ACTIONS),
        detail=f"Another run, of this process or another, is maintaining {busy_stores} right now." if passed else None,
    )


def _action(action: PlannedChange) -> api.MaintenanceAction:
    return mapping.to_wire(api.MaintenanceAction, action)
