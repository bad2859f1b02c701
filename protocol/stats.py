"""Structs of `memory/stats`: what was learned, shown and found useful, week by week."""

from typing import Annotated

import msgspec

from protocol.memories import Scope
from protocol.wire import Millis, Result, WorkspaceParams


class StatsParams(WorkspaceParams, frozen=True):
    """Ask about the last `weeks`, the current one included: this workspace's memories and those for all workspaces."""

    weeks: Annotated[int, msgspec.Meta(ge=1, le=104)] = 12


class StatsWeek(Result, frozen=True):
    """Seven days from `start`: memories by who made them, and how often a session was shown one.

    A person or an agent made the `recorded` ones on purpose. The `learned` ones come from what happened in sessions,
    the `imported` ones from other tools or from the project's own files.
    """

    start: Millis
    recorded: int
    learned: int
    imported: int
    shown: int


class StatsMemory(Result, frozen=True):
    """One of the memories that were shown in most sessions."""

    id: str
    name: str
    scope: Scope
    shown: int
    useful: int
    not_useful: int


class StatsResult(Result, frozen=True):
    """Counts of memories that are not archived. `weeks` also count archived memories, but no deleted ones.

    `candidates` has a count for each status. `shown` is how often a session was shown a memory; `unseen` counts the
    memories that no session was ever shown.
    """

    memories: int
    archived: int
    by_source: dict[str, int]
    by_type: dict[str, int]
    candidates: dict[str, int]
    shown: int
    unseen: int
    useful: int
    not_useful: int
    weeks: list[StatsWeek]
    most_shown: list[StatsMemory]
