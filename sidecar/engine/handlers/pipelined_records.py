"""Answer records that a client sends without waiting for the answers: those of one workspace share a commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import msgspec

from protocol.memories import RecordParams, RecordResult
from sidecar.engine import mapping
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.services import Services
from sidecar.memories.drafts import Draft
from sidecar.memories.results import Recorded
from sidecar.runtime.cancellation import Call

Outcome = RecordResult | BaseException


def record_together(
    services: Services,
    requests: Sequence[tuple[RecordParams, Call]],
    open_for: Callable[[msgspec.Struct], OpenWorkspace],
) -> list[Outcome]:
    """Return the outcomes in the order of the requests; `open_for` opens the workspace of one."""
    outcomes: dict[int, Outcome] = {}
    drafts: dict[int, tuple[OpenWorkspace, Draft]] = {}
    for index, (params, call) in enumerate(requests):
        try:
            workspace = open_for(params)
            files = mapping.relative(workspace.tree, params.files)
            drafts[index] = workspace, mapping.draft(params, files, services.source(call))
        except BaseException as error:  # noqa: BLE001 - each of them is owed an answer
            outcomes[index] = error
    for _, group in groupby(drafts, key=lambda index: id(drafts[index][0])):
        indices = list(group)
        recorder = drafts[indices[0]][0].book.recorder
        recorded = recorder.record_together([(drafts[index][1], requests[index][1].check) for index in indices])
        for index, outcome in zip(indices, recorded, strict=True):
            outcomes[index] = mapping.recorded(outcome) if isinstance(outcome, Recorded) else outcome
    return [outcomes[index] for index in range(len(requests))]
