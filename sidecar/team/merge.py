"""Merge one memory that two machines changed, as MEMORY.md is merged.

What only one changed is taken from it; of a text that both changed, the lines of the first to be shared stay and the
other's new ones are added.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from sidecar.memories import limits
from sidecar.memories.naming import derive_name
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.plan import joined, written
from sidecar.team.shared_form import SharedForm

_APART = ("content", "updated_at")


def merged(ours: SharedForm, theirs: SharedForm, base: SharedForm | None) -> SharedForm:
    """Return what both say; `base` is what both began with, None if nothing is known of it."""
    values: dict[str, Any] = {"updated_at": max(ours.updated_at, theirs.updated_at)}
    for field in SharedForm.__struct_fields__:
        mine, other = getattr(ours, field), getattr(theirs, field)
        if field not in _APART:
            both_changed = base is None or getattr(base, field) not in (mine, other)
            values[field] = other if both_changed or getattr(base, field) == mine else mine
    values["content"] = _text(ours.content, theirs.content, None if base is None else base.content)
    if theirs.name == derive_name(theirs.content):
        values["name"] = derive_name(values["content"])
    return replace(theirs, **values)


def _text(ours: str, theirs: str, base: str | None) -> str:
    if ours in (theirs, base):
        return theirs
    if theirs == base:
        return ours
    known = () if base is None else written(Entry("", base)).lines
    text = joined(Entry("", theirs).lines, ours.split("\n"), frozenset(known))
    return text if len(text) <= limits.CONTENT else theirs  # ours stays among its versions
