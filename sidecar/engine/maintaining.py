"""Maintain one workspace: the memories themselves, and what only this workspace adds, such as its memory file."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import msgspec
from msgspec.structs import replace

from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.memories.maintenance.changes import STEPS, MaintenanceStep
from sidecar.memories.maintenance.running import RunOptions
from sidecar.memories.maintenance.upkeep import MaintenanceReport
from sidecar.settings.model import MaintenanceSettings


def switched_on(settings: MaintenanceSettings) -> tuple[MaintenanceStep, ...]:
    """Return the steps that the settings allow, in their order."""
    switches: dict[str, bool] = msgspec.to_builtins(settings)
    return tuple(step for step in STEPS if switches[step])


def maintain(
    workspace: OpenWorkspace, options: RunOptions, wanted: Collection[MaintenanceStep] | None, now: int
) -> MaintenanceReport:
    """Maintain a workspace with the steps that are enabled and in `wanted` (None: all).

    Raises `StoreUnavailable` and whatever `options.step` raises.
    """
    settings = workspace.settings.maintenance
    steps = tuple(step for step in switched_on(settings) if wanted is None or step in wanted)
    report = workspace.book.upkeep.maintain(
        replace(
            options,
            steps=steps,
            complete=wanted is None,
            asked=wanted is not None and "consolidation" in wanted,
            fading=settings.relevance,
            missing=partial(workspace.book.view.count_gone, checks_files=not options.dry_run)
            if settings.references
            else None,
        ),
        now,
    )
    if not options.dry_run:
        if wanted is None and "workspace" in report.ran:
            workspace.book.candidacy.expire()
        if "memoryFile" in steps and "workspace" in report.ran:
            workspace.memory_file.sync()
    return report
