"""When so much is gone from the file at once that it may be an accident: emptied, cut off, badly merged."""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.memory_file.text.document import Document
from sidecar.memory_file.text.plan import Known

FEW = 3
SHARE = 3
"""More than a few and more than one in so many must be gone."""


def vanished(gone: int, before: int, *, cut: bool = False) -> int:
    """How many of the entries are gone, if that is to be confirmed; else 0. `cut`: one more is there in part only."""
    count = gone + cut
    return count if (count > FEW and count * SHARE > before) or (cut and gone) else 0


def cut_off(document: Document, memories: Iterable[Known]) -> int | None:
    """The position of the last block when it is the beginning of what the file said of a memory."""
    at = next(
        (at for at in reversed(range(len(document.blocks))) if document.blocks[at].kind != "blank"), None
    )
    if at is None or document.blocks[at].kind not in ("entry", "other"):
        return None
    there = "\n".join(document.blocks[at].lines)
    lines = ("\n".join(memory.lines) for memory in memories)
    return at if any(len(there) < len(whole) and whole.startswith(there) for whole in lines) else None


def message(path: str, count: int) -> str:
    """What a person is told."""
    return (
        f"{count} entries are gone from {path} at once. Nothing is archived, and the file is left alone, until you say "
        "`memory-sidecar file archive` if that was meant, `memory-sidecar file bring-back` to have them written again"
    )
