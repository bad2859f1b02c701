"""What an agent is given when it begins: the memories that matter, and what to know besides, in one budget.

The memories come first, since they stay the same bytes longest; what `context/boot` tells of them is not told again.
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
"""Of the budget, for memories; what they leave is there for the rest."""

FOR_A_TASK: Final[tuple[Part, ...]] = ("identity", "blockers", "reminders", "candidates", "sessions")
"""Parts that matter whatever the task is; decisions and the like have to match the prompt."""


class Opening(NamedTuple):
    """The text and its tokens."""

    text: str
    tokens: int


def opening(ask: Ask, budget: int, *, agent: str | None = None, session_id: str | None, **inject: Any) -> Opening:
    """The two blocks as one, of at most `budget` tokens; the same bytes while nothing changed.

    `inject` are further fields of `memory/inject`; with a prompt only `FOR_A_TASK` is told besides.
    """
    first = InjectParams(session_id=session_id, agent=agent, budget_tokens=max(1, round(budget * SHARE)), **inject)
    memories = cast(InjectResult, ask("memory/inject", first))
    shown = [item.id for item in memories.items if item.id is not None]
    second = BootParams(
        session_id=session_id,
        agent=agent,
        budget_tokens=max(1, budget - memories.tokens),
        include=list(FOR_A_TASK) if inject.get("prompt") else None,
        exclude=shown[:1_000],
        workspace_uri=inject.get("workspace_uri"),
    )
    boot = cast(BootResult, ask("context/boot", second))
    text = fence.joined(memories.text, boot.text)
    return Opening(text, estimate(text))
