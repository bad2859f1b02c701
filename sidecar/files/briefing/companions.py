"""The line of a briefing that names the files that often change together with the briefed one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sidecar.files.clean_text import clean
from sidecar.text import fence
from sidecar.text.tokens import estimate

if TYPE_CHECKING:
    from sidecar.files.retrieval.commit_index import Companion
    from sidecar.files.workspace_files import FileBriefing


def with_companions(briefing: FileBriefing, companions: Sequence[Companion], budget: int) -> FileBriefing:
    """Add the line of companions to a briefing if it fits the budget."""
    if not companions:
        return briefing
    named = ", ".join(f"{clean(one.path, 200)} ({one.times} of {one.commits} commits)" for one in companions)
    text = f"{briefing.text}\nOften changes with: {fence.clean(named, markup=False)}"
    tokens = estimate(text)
    return replace(briefing, text=text, tokens=tokens) if tokens <= budget else briefing
