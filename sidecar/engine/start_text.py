"""What an agent receives at the start: the memories that matter, and what else to know, in one budget.

The memories come first, because they stay byte-identical longest; `context/boot` does not repeat them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from protocol.context import BootParams, BootResult, Part
from protocol.memories import InjectParams, InjectResult
from protocol.method import CallMethod, answer_of
from sidecar.text import fence
from sidecar.text.tokens import estimate

SHARE_OF_BUDGET: Final = 2 / 3
"""Fraction of the budget that memories may fill; the rest of the text may use what they leave."""

MAX_TOKENS: Final = 3_000
"""Maximum budget of a session's start."""

MIN_LINES: Final = 5
"""Lines below which a block has no room for a memory."""

FOR_A_TASK: Final[tuple[Part, ...]] = ("identity", "blockers", "reminders", "candidates", "sessions")
"""Parts that matter for any task; decisions and the other parts have to match the prompt."""


class StartText(NamedTuple):
    """The text for a session's start, with the number of items that had no room and of waiting candidates."""

    text: str
    tokens: int
    omitted: int = 0
    waiting: int = 0


def start_text(ask: CallMethod, params: InjectParams, budget: int) -> StartText:
    """Return the block that `params` asks for and the boot text, as one block of at most `budget` tokens.

    The text is byte-identical while nothing changes, and has no more lines than `params` allows. With a prompt, only
    the parts of `FOR_A_TASK` are added.
    """
    max_lines = params.max_lines
    block_params = replace(
        params,
        budget_tokens=max(1, round(budget * SHARE_OF_BUDGET)),
        max_lines=None if max_lines is None else max(MIN_LINES, round(max_lines * SHARE_OF_BUDGET)),
    )
    memories = answer_of(InjectResult, ask, "memory/inject", block_params)
    memory_ids = [item.id for item in memories.items if item.id is not None]
    boot_params = BootParams(
        session_id=params.session_id,
        agent=params.agent,
        budget_tokens=max(1, budget - memories.tokens),
        max_lines=None if max_lines is None else max(MIN_LINES, max_lines - memories.text.count("\n")),
        include=list(FOR_A_TASK) if params.prompt else None,
        exclude=memory_ids[:1_000],
        workspace_uri=params.workspace_uri,
    )
    boot = answer_of(BootResult, ask, "context/boot", boot_params)
    text = fence.merge_blocks(memories.text, boot.text)
    return StartText(text, estimate(text), boot.omitted, boot.waiting)
