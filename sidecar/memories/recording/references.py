"""Find the files and symbols that the text of a memory names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from sidecar.memories.wording.naming import is_derived
from sidecar.store.records import FoundReferences, MemoryRecord
from sidecar.store.vocabulary import rule_of

_EVENT_RULES = frozenset(("repeated-command", "error-fix", "edited-together", "config-file"))
"""Rules whose memories tell what happened, not what their files hold, so that no edit makes these memories suspect."""


class ReferenceFinder(Protocol):
    def find_references(self, text: str, files: Sequence[str], *, local: bool) -> FoundReferences:
        """Return what a text names.

        Files are read only if `local`: a global memory is also read where these files do not exist.
        """


def with_references(record: MemoryRecord, finder: ReferenceFinder | None) -> MemoryRecord:
    """Return a record, before it is written, with the references and entities that its text names."""
    if finder is None:
        return record
    named = [] if is_derived(record.name, record.content) else [record.name]
    text = "\n\n".join([*named, *([record.description] if record.description else []), record.content])
    resolved = finder.find_references(text, record.files, local=record.scope != "global")
    by_name = {(ref.kind, ref.text, ref.path): ref for ref in record.references if ref.path is None or ref.hash}
    for ref in resolved.references:
        if rule_of(record.source) in _EVENT_RULES:
            ref = replace(ref, hash=None)
        by_name.setdefault((ref.kind, ref.text, ref.path), ref)
    return replace(
        record,
        references=tuple(by_name.values()),
        entities=tuple(dict.fromkeys((*record.entities, *resolved.entities))),
    )


def changed_references(
    old: MemoryRecord | None, changes: Mapping[str, object], finder: ReferenceFinder | None
) -> dict[str, object]:
    """Return a memory's new references and entities if `changes` touch its text or files; otherwise nothing."""
    fields = ("content", "name", "description", "files")
    if old is None or all(changes.get(field, getattr(old, field)) == getattr(old, field) for field in fields):
        return {}
    new = replace(old, **changes, references=(), entities=())
    updated = with_references(new, finder)
    return {} if updated is new else {"references": updated.references, "entities": updated.entities}
