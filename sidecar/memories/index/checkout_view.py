"""How one checkout sees memories: which are suspect there, and where their files are now.

The catalogue judges each memory with `CheckoutView` when it is added and when its files change.
"""

from __future__ import annotations

from sidecar.memories.index.judging import CheckoutFiles, Judgement, apply_judgement, judge, verified_record
from sidecar.memories.results import UpdatedMemory
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MemoryRecord

_MAX_VERIFIED_AT_ONCE = 500  # memories per transaction, so that no request waits long for the store


class CheckoutView:
    """Judges the workspace's memories by the files of one checkout; without `files`, every memory stays as stored."""

    def __init__(self, files: CheckoutFiles | None, workspace_store: MemoryStore) -> None:
        self._files = files
        self.workspace_store = workspace_store
        self.ids_with_gone_file: set[str] = set()
        self.ids_to_store: set[str] = set()  # as verified, or with a moved file
        self.change_noticed: Event[[]] = Event()
        """Announced when memories were judged again because their files had changed."""

    def judged(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it."""
        judgement = self._judge(record, store)
        return record if judgement is None else apply_judgement(record, judgement)

    def judge_and_keep(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it, and update the sets of ids.

        The caller holds the catalogue's lock.
        """
        judgement = self._judge(record, store)
        if judgement is None:
            return record
        for ids, holds in (
            (self.ids_with_gone_file, judgement.file_gone),
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

    def count_gone(self, record: MemoryRecord, *, checks_files: bool) -> tuple[int, int]:
        """Return how many of a memory's references are to a gone file or symbol, and how many were checked.

        With `checks_files`, first look at the files on disk, in case nobody reported a change.
        """
        if checks_files and record.scope != "global" and self._files is not None:
            self._files.forget_changed(
                {reference.path for reference in record.references if reference.path is not None}
            )
        judgement = self._judge(record, self.workspace_store)
        return (0, 0) if judgement is None else (judgement.gone, judgement.checked)

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
