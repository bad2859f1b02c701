"""Which memories the file shows, and as what entries."""

from __future__ import annotations

from pathlib import Path

from sidecar.checkout.git import is_tracked
from sidecar.memories.wording.naming import is_derived
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.plan import ShownMemory
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.text.lazy_patterns import lazy

_HIDDEN = ("conversation", "reminder")  # categories

_MARK_ESCAPES = str.maketrans("()", "[]", "*,\n")
_LINE_END = lazy(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL_CHAR = lazy(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def entry_of(record: MemoryRecord) -> Entry:
    """Return a memory as an entry, without a derived name and without control characters."""
    return Entry(
        type=record.type,
        text=strip_controls(record.content),
        name=None if is_derived(record.name, record.content) else " ".join(strip_controls(record.name).split()),
        category=record.category,
        agent=record.agent,
        pinned=record.pinned,
        description=record.description,
        tags=record.tags,
        author=None if record.author is None else strip_controls(record.author).translate(_MARK_ESCAPES),
    )


def hide_known_authors(memories: dict[str, ShownMemory], root: Path, path: str) -> dict[str, ShownMemory]:
    """Return the memories, without authors if git tracks the file.

    The authors' own machines write the same lines without them, so the lines must not differ.
    """
    if any(memory.full.author for memory in memories.values()) and is_tracked(root, path):
        return {id: memory.without_author() for id, memory in memories.items()}
    return memories


def strip_controls(text: str) -> str:
    return text if text.isprintable() else _CONTROL_CHAR.sub("\ufffd", _LINE_END.sub("\n", text))


def showable_records(store: MemoryStore, now: int) -> list[MemoryRecord]:
    return [record for record in store.all() if may_show(record) and is_current(record.expires_at, now)]


def is_current(expires_at: int | None, now: int) -> bool:
    return expires_at is None or expires_at > now


def may_show(record: MemoryRecord) -> bool:
    """Return whether a memory may be in the file: it is of the project, in force and no session summary."""
    return record.scope == "project" and record.status in ("active", "suspect") and record.category not in _HIDDEN


def weight(record: MemoryRecord) -> tuple[float, ...]:
    """Return a memory's importance. It ignores the present time, so that the file does not change by itself."""
    ahead = record.pinned or record.category in ("directive", "blocker")
    return float(ahead), float(record.category in ("decision", "procedure", "plan")), float(record.updated_at)
