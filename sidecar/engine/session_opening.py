"""What an agent receives at the start: the memories that matter, and what else to know, in one budget.

The memories come first, since they stay byte-identical longest; `context/boot` does not repeat them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import msgspec

from protocol.context import BootParams, BootResult, Part
from protocol.memories import InjectParams, InjectResult
from sidecar.text import fence
from sidecar.text.tokens import estimate

Ask = Callable[[str, msgspec.Struct], msgspec.Struct]

SHARE: Final = 2 / 3
"""Fraction of the budget for memories; what they leave is available to the rest."""

LEAST_LINES: Final = 5
"""A block of fewer lines holds nothing."""

FOR_A_TASK: Final[tuple[Part, ...]] = ("identity", "blockers", "reminders", "candidates", "sessions")
"""Parts that matter whatever the task; decisions and the like have to match the prompt."""


class Opening(NamedTuple):
    text: str
    tokens: int


def opening(
    ask: Ask,
    budget: int,
    *,
    max_lines: int | None = None,
    agent: str | None = None,
    session_id: str | None,
    **inject: Any,
) -> Opening:
    """Return both blocks as one of at most `budget` tokens and `max_lines`, byte-identical while nothing changes.

    `inject` are further fields of `memory/inject`; with a prompt, only the parts of `FOR_A_TASK` are added.
    """
    first = InjectParams(
        session_id=session_id,
        agent=agent,
        budget_tokens=max(1, round(budget * SHARE)),
        max_lines=None if max_lines is None else max(LEAST_LINES, round(max_lines * SHARE)),
        **inject,
    )
    memories = cast(InjectResult, ask("memory/inject", first))
    shown = [item.id for item in memories.items if item.id is not None]
    second = BootParams(
        session_id=session_id,
        agent=agent,
        budget_tokens=max(1, budget - memories.tokens),
        max_lines=None if max_lines is None else max(LEAST_LINES, max_lines - memories.text.count("\n")),
        include=list(FOR_A_TASK) if inject.get("prompt") else None,
        exclude=shown[:1_000],
        workspace_uri=inject.get("workspace_uri"),
    )
    boot = cast(BootResult, ask("context/boot", second))
    text = fence.joined(memories.text, boot.text)
    return Opening(text, estimate(text))
