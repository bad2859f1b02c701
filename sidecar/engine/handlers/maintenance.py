"""Requests that keep memories true and few, and that give them to more readers."""

from __future__ import annotations

from typing import cast

import msgspec

from protocol import maintenance as wire
from protocol import memories as wire_memories
from protocol.memories import Change
from sidecar.engine import wire_mapping
from sidecar.engine.idle_maintenance import maintain, switched_on
from sidecar.engine.services import Services
from sidecar.engine.workspace import Workspace
from sidecar.memories.maintenance.changes import STEPS
from sidecar.memories.maintenance.running import Order
from sidecar.memories.maintenance.upkeep import Action, MaintenanceProposal, MaintenanceReport
from sidecar.memories.results import Updated
from sidecar.runtime.errors import InvalidField

MOST_ACTIONS = 500
_STORES = {"workspace": "the workspace's memories", "user": "your global memories"}


class MaintenanceRequests:
    """Answers `memory/maintain`, `memory/promote`, `memory/resolve` and `memory/reopen`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def memory_maintain(self, params: wire.MaintainParams) -> wire.MaintainResult:
        """Maintain now, or say what it would do; carry out or dismiss proposals."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        self._services.require_enabled(workspace)
        if params.dry_run and (params.apply or params.dismiss):
            raise InvalidField(
                "A dry run writes nothing: it cannot apply or dismiss proposals.",
                path="$.dryRun",
                hint="The proposals themselves say what they would do.",
            )
        applied = [id for proposal in params.apply for id in self._apply(workspace, proposal)]
        for proposal in params.dismiss:
            opened.book.upkeep.dismiss(proposal)
        if (params.apply or params.dismiss) and params.steps is None:
            report = MaintenanceReport({}, proposals=opened.book.upkeep.proposals())
        else:
            order = Order(steps=(), dry_run=params.dry_run)
            report = maintain(workspace, order, params.steps, self._services.clock(), self._changed)
        off = [each for each in STEPS if each not in switched_on(workspace.settings.maintenance)]
        return _result(report, params, applied, off)

    def memory_promote(self, params: wire.PromoteParams) -> wire.PromoteResult:
        """Give a memory a wider scope."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        self._services.require_enabled(workspace)
        done = opened.book.promote(params.id, params.scope)
        if done.changed:
            self._services.events.memory_changed(workspace, done.record.id, done.record.scope, "promoted")
            if done.put_away is not None:
                self._services.events.memory_changed(workspace, done.put_away.id, done.put_away.scope, "archived")
        shown = opened.book.get(done.record.id)
        return wire.PromoteResult(
            memory=wire_mapping.memory(shown.record, shown.accesses, shown.accessed_at),
            changed=done.changed,
            archived=done.put_away.id if done.put_away is not None else None,
        )

    def memory_resolve(self, params: wire_memories.IdParams) -> wire_memories.Memory:
        """Say that a blocker blocks no more."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        return self._told(workspace, opened.book.resolve(params.id), "resolved")

    def memory_reopen(self, params: wire_memories.IdParams) -> wire_memories.Memory:
        """Say that a resolved blocker blocks again."""
        workspace, opened = self._services.find_current(params.workspace_uri)
        return self._told(workspace, opened.book.reopen(params.id), "reopened")

    def _told(self, workspace: Workspace, updated: Updated, change: Change) -> wire_memories.Memory:
        if updated.changed:
            self._services.events.memory_changed(workspace, updated.record.id, updated.record.scope, change)
        return wire_mapping.memory(updated.record, updated.accesses, updated.accessed_at)

    def _apply(self, workspace: Workspace, proposal: str) -> list[str]:
        changed = workspace.open().book.upkeep.accept(proposal, self._services.clock())
        for record in changed:
            self._services.events.memory_changed(
                workspace, record.id, record.scope, "archived" if record.status == "archived" else "updated"
            )
        return [record.id for record in changed]

    def _changed(self, workspace: Workspace, id: str, scope: str, change: str) -> None:
        self._services.events.memory_changed(workspace, id, scope, cast(Change, change))


def _result(
    report: MaintenanceReport, params: wire.MaintainParams, applied: list[str], off: list[wire.Step]
) -> wire.MaintainResult:
    by_weight = sorted(report.actions, key=lambda action: not action.touched)
    passed = len(report.busy)
    who = " and ".join(_STORES[name] for name in report.busy)
    return wire.MaintainResult(
        state="done" if not passed else "skipped" if passed == len(_STORES) else "partial",
        dry_run=params.dry_run,
        counts={str(step): count for step, count in report.counts.items()},
        actions=[_action(action) for action in by_weight[:MOST_ACTIONS]],
        left=[_action(action) for action in report.left[:MOST_ACTIONS]],
        proposals=[_proposal(each) for each in report.proposals],
        switched_off=off,
        applied=applied,
        more=max(0, len(by_weight) - MOST_ACTIONS),
        detail=f"Another run, of this process or another, is maintaining {who} right now." if passed else None,
    )


def _action(action: Action) -> wire.MaintenanceAction:
    shown = {
        "step": action.step,
        "id": action.id,
        "name": action.name,
        "scope": action.scope,
        "reason": action.reason,
        "into": action.other,
    }
    return msgspec.convert(shown, wire.MaintenanceAction)


def _proposal(proposal: MaintenanceProposal) -> wire.Proposal:
    shown = {
        "id": proposal.id,
        "kind": proposal.kind,
        "keep": proposal.keep,
        "keepName": proposal.keep_name,
        "other": proposal.other,
        "otherName": proposal.other_name,
        "score": proposal.score,
    }
    return msgspec.convert(shown, wire.Proposal)
