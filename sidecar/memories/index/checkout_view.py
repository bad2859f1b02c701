"""See memories as one checkout does: which are suspect there, and where their files are now.

The catalogue judges each memory with `CheckoutView` when it is added and when its files change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from sidecar.memories.index.judging import CheckoutFiles, Judgement, apply_judgement, judge, verified_record
from sidecar.memories.results import UpdatedMemory
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import FoundReferences, MemoryRecord
from sidecar.store.vocabulary import rule_of

_MAX_VERIFIED_AT_ONCE = 500  # memories per transaction, so that no request waits long for the store
_EVENT_RULES = frozenset(("repeated-command", "error-fix", "edited-together", "config-file"))
"""Rules whose memories tell what happened, not what their files hold, so that no edit makes these memories suspect."""


class ReferenceFinder(Protocol):
    def find_references(self, text: str, files: Sequence[str], *, local: bool) -> FoundReferences:
        """Return what a text names.

        Files are read only if `local`: a global memory is also read where these files do not exist.
        """


class CheckoutView:
    """Judges the workspace's memories by the files of one checkout; without `files`, every memory stays as stored."""

    def __init__(
        self, files: CheckoutFiles | None, references: ReferenceFinder | None, workspace_store: MemoryStore
    ) -> None:
        self._files = files
        self._references = references
        self.workspace_store = workspace_store
        self.ids_with_lost_file: set[str] = set()
        self.ids_to_store: set[str] = set()  # as verified, or with a moved file
        self.change_noticed: Event[[]] = Event()
        """Announced when memories were judged again because their files had changed."""

    def judged(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it."""
        judgement = self._judge(record, store)
        return record if judgement is None else apply_judgement(record, judgement)

    def judge_and_note(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it, and keep the sets of ids up to date.

        The caller holds the catalogue's lock.
        """
        judgement = self._judge(record, store)
        if judgement is None:
            return record
        for ids, holds in (
            (self.ids_with_lost_file, judgement.lost),
            (self.ids_to_store, judgement.reverified or judgement.moved),
        ):
            if holds:
                ids.add(record.id)
            else:
                ids.discard(record.id)
        return apply_judgement(record, judgement)

    def update_result(self, store: MemoryStore, record: MemoryRecord, changed: bool) -> UpdatedMemory:
        """Return a changed memory as this checkout sees it, with how often it was shown."""
        use = store.uses([record.id]).get(record.id, Use())
        return UpdatedMemory(self.judged(record, store), changed=changed, accesses=use.times, accessed_at=use.last)

    def missing(self, record: MemoryRecord) -> tuple[int, int]:
        """Return how many of a memory's references lead nowhere, and how many were checked."""
        judgement = self._judge(record, self.workspace_store)
        return (0, 0) if judgement is None else (judgement.missing, judgement.checked)

    def with_references(self, record: MemoryRecord) -> MemoryRecord:
        """Return a record, before it is written, with the references and entities that its text names."""
        if self._references is None:
            return record
        named = [] if is_derived(record.name, record.content) else [record.name]
        text = "\n\n".join([*named, *([record.description] if record.description else []), record.content])
        resolved = self._references.find_references(text, record.files, local=record.scope != "global")
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

    def changed_references(self, old: MemoryRecord | None, changes: Mapping[str, object]) -> dict[str, object]:
        """Return a memory's new references and entities if `changes` touch its text or files, else nothing."""
        says = ("content", "name", "description", "files")
        if old is None or all(changes.get(field, getattr(old, field)) == getattr(old, field) for field in says):
            return {}
        new = replace(old, **changes, references=(), entities=())
        updated = self.with_references(new)
        return {} if updated is new else {"references": updated.references, "entities": updated.entities}

    def forget_changed(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` whose files changed since they were read, without notice from the watcher."""
        return [] if self._files is None else self._files.forget_changed(paths)

    def store_verified(self, now: int) -> int:
        """Store memories as verified or with the new paths of moved files, without a version; return how many."""
        if self._files is None:
            return 0
        records = list(self.workspace_store.get_many(sorted(self.ids_to_store)).values())
        due = [record.id for record in records if self._verified_record(record, now) is not None]
        written = 0
        for start in range(0, len(due), _MAX_VERIFIED_AT_ONCE):
            with self.workspace_store.transaction() as transaction:
                for id in due[start : start + _MAX_VERIFIED_AT_ONCE]:
                    memory = transaction.get(id)
                    new = None if memory is None else self._verified_record(memory, now)
                    if new is not None:
                        transaction.adjust(new)
                        written += 1
        return written

    def _verified_record(self, record: MemoryRecord, now: int) -> MemoryRecord | None:
        judgement = self._judge(record, self.workspace_store)
        return None if judgement is None else verified_record(record, judgement, now)

    def _judge(self, record: MemoryRecord, store: MemoryStore) -> Judgement | None:
        if self._files is None or store is not self.workspace_store or not record.references:
            return None
        return judge(record, self._files)
