"""What an agent should know about a file that it is about to read or change: facts, and memories about the file."""

from __future__ import annotations

from typing import Final

from protocol.files import SummaryParams, SummaryResult
from protocol.memories import ListParams, ListResult, Memory
from protocol.method import CallMethod, answer_of
from sidecar.memories.drafts import Format
from sidecar.memories.index.judging import suspicion
from sidecar.memories.injection.render import fit_block, note_item
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.errors import SidecarError
from sidecar.text.times import utc_day

NOTE_BUDGET: Final = 700
MAX_NOTED_MEMORIES: Final = 8
MAX_MEMORY_CHARS: Final = 500
"""Maximum characters shown of one memory; `memory/get` returns all of it."""

_FORMAT: Final[Format] = "markdown"
_MAX_LISTED: Final = 40


def notes(ask: CallMethod, path: str, *, edit: bool) -> str:
    """Return a block about one file; empty if nothing is known beyond its content.

    The facts hold for the content on disk now. The outline is left out because the agent is about to see the file. A
    file without a briefing is not an error.
    """
    try:
        summary = answer_of(
            SummaryResult, ask, "file/summary", SummaryParams(path=path, intent="edit" if edit else "explore")
        )
    except SidecarError:  # a new or ignored file: memories may still be about it
        texts: list[str] = []
    else:
        texts = [summary.summary] if summary.origin != "structural" else []
        texts += [facet.text for facet in summary.facets]
    memories = answer_of(ListResult, ask, "memory/list", ListParams(files=[path], limit=_MAX_LISTED)).items
    memories.sort(key=_sort_key)
    sections = (
        ("Learned about This File", [note_item(text) for text in texts]),
        ("Memories about This File", [note_item(_memory_line(memory)) for memory in memories[:MAX_NOTED_MEMORIES]]),
    )
    return fit_block(sections, NOTE_BUDGET, _FORMAT)[0]


def _sort_key(memory: Memory) -> tuple[int, int, str]:
    """Return a sort key: directives, suspect memories, feedback, blockers and decisions, the rest; newest first."""
    if memory.category == "directive" or memory.pinned:
        rank = 0
    elif memory.status == "suspect":
        rank = 1
    elif memory.type == "feedback":
        rank = 2
    else:
        rank = 3 if memory.category in ("blocker", "decision") else 4
    return rank, -memory.updated_at, memory.id


def _memory_line(memory: Memory) -> str:
    doubt = f"[{suspicion(memory.references)}] " if memory.status == "suspect" else ""
    kind = f"[{memory.category}] " if memory.category in ("directive", "blocker", "decision") else ""
    text = memory.content if is_derived(memory.name, memory.content) else f"{memory.name}: {memory.content}"
    by = f"[by {memory.author}] " if memory.author is not None else ""
    text = text if len(text) <= MAX_MEMORY_CHARS else f"{text[:MAX_MEMORY_CHARS].rstrip()}..."
    return f"({utc_day(memory.updated_at)}) {doubt}{by}{kind}{text}"
