"""Structs of `memory/maintain` and `memory/promote`: keep memories true and few, and give them to more readers."""

from typing import Annotated, Literal

import msgspec

from protocol.memories import Memory, Scope
from protocol.wire import MemoryId, Result, Score, WorkDoneToken, WorkspaceParams

Step = Literal["duplicates", "relevance", "archive", "references", "promotion", "age", "memoryFile", "consolidation"]
Wider = Literal["project", "global"]
ProposalId = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class MaintainParams(WorkspaceParams, frozen=True):
    """Run maintenance now: every step that is switched on, or those of `steps` that are.

    `dryRun` shows what would be done and writes nothing. `apply` and `dismiss` name proposals of an earlier answer. If
    one of them is given without `steps`, nothing else is done.
    """

    dry_run: bool = False
    steps: list[Step] | None = None
    apply: Annotated[list[ProposalId], msgspec.Meta(max_length=100)] = []
    dismiss: Annotated[list[ProposalId], msgspec.Meta(max_length=100)] = []
    work_done_token: WorkDoneToken | None = None


class MaintenanceAction(Result, frozen=True):
    """What was done with one memory, or would be, and why; `into` is the memory that it was merged into."""

    step: Step
    id: str
    name: str
    scope: Scope
    reason: str
    into: str | None = None


class Proposal(Result, frozen=True):
    """Two memories that say nearly the same.

    To `merge` them is to append the other's text to the kept one and archive the other. To `supersede` the other is to
    mark it as replaced by the kept one, the newer statement. `score` is their similarity.
    """

    id: str
    kind: Literal["merge", "supersede"]
    keep: str
    keep_name: str
    other: str
    other_name: str
    score: Score


class MaintainResult(Result, frozen=True):
    """What maintenance did.

    `skipped` means that another process maintains the stores, so nothing was done; `partial`, that this is so for one
    of the two stores, as `detail` says. `counts` has every step that ran. `actions` lists at most 500 changes, those of
    relevance last; `more` counts the others. `left` could not be done. `switchedOff` are the steps that a setting
    switches off.
    """

    state: Literal["done", "partial", "skipped"]
    dry_run: bool
    counts: dict[str, int]
    actions: list[MaintenanceAction]
    left: list[MaintenanceAction]
    proposals: list[Proposal]
    switched_off: list[Step]
    applied: list[str] = []
    more: int = 0
    detail: str | None = None


class PromoteParams(WorkspaceParams, frozen=True):
    """Give a memory to more readers: to `scope` or, without it, to the next wider one.

    A global memory has an id of its own.
    """

    id: MemoryId
    scope: Wider | None = None


class PromoteResult(Result, frozen=True):
    """The memory in its new scope. If it has a new id, `archived` is the id of the original."""

    memory: Memory
    changed: bool
    archived: str | None = None
