"""What an agent receives at the start: the memories that matter, and what else to know, in one budget.

The memories come first, since they stay byte-identical longest; `context/boot` does not repeat them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from protocol.context import BootParams, BootResult, Part
from protocol.memories import InjectParams, InjectResult
from protocol.method import CallMethod, answer_of
from sidecar.text import fence
from sidecar.text.tokens import estimate

SHARE: Final = 2 / 3
"""Fraction of the budget for memories; what they leave is available to the rest."""

MAX_TOKENS: Final = 3_000
"""Maximum budget of a session's start."""

MIN_LINES: Final = 5
"""A block of fewer lines holds nothing."""

FOR_A_TASK: Final[tuple[Part, ...]] = ("identity", "blockers", "reminders", "candidates", "sessions")
"""Parts that matter whatever the task; decisions and the like have to match the prompt."""


class StartText(NamedTuple):
    """A text, with how many items of `context/boot` had no room, and how many candidates wait."""

    text: str
    tokens: int
    omitted: int = 0
    waiting: int = 0


def start_text(ask: CallMethod, wanted: InjectParams, budget: int) -> StartText:
    """Return the block that `wanted` asks for and the boot text as one block of at most `budget` tokens.

    It is byte-identical while nothing changes, and keeps to the lines that `wanted` allows. With a prompt, only the
    parts of `FOR_A_TASK` are added.
    """
    max_lines = wanted.max_lines
    own = replace(
        wanted,
        budget_tokens=max(1, round(budget * SHARE)),
        max_lines=None if max_lines is None else max(MIN_LINES, round(max_lines * SHARE)),
    )
    memories = answer_of(InjectResult, ask, "memory/inject", own)
    shown = [item.id for item in memories.items if item.id is not None]
    boot_params = BootParams(
        session_id=wanted.session_id,
        agent=wanted.agent,
        budget_tokens=max(1, budget - memories.tokens),
        max_lines=None if max_lines is None else max(MIN_LINES, max_lines - memories.text.count("\n")),
        include=list(FOR_A_TASK) if wanted.prompt else None,
        exclude=shown[:1_000],
        workspace_uri=wanted.workspace_uri,
    )
    boot = answer_of(BootResult, ask, "context/boot", boot_params)
    text = fence.merge_blocks(memories.text, boot.text)
    return StartText(text, estimate(text), boot.omitted, boot.waiting)
