"""Judge memories by the files of one checkout: which are suspect there, and where their files are now.

The catalogue judges each memory with `CheckoutView` when it is added and when its files change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from sidecar.memories.results import Updated
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MemoryRecord, ReferenceRecord
from sidecar.store.vocabulary import rule_of

VERIFIED_EVERY = 3_600_000  # least milliseconds between two stored verifications of one memory
_MAX_BATCH = 500  # memories per transaction, so that no request waits long for the store
_EVENT_RULES = frozenset(("repeated-command", "error-fix", "edited-together", "config-file"))
"""Rules whose memories tell what happened, not what their files hold, so that no edit makes these memories suspect."""


class FoundReferences(NamedTuple):
    references: tuple[ReferenceRecord, ...] = ()
    entities: tuple[str, ...] = ()


class CheckoutFiles(Protocol):
    """The files of one checkout. A file that cannot be read counts as missing; no method raises for it."""

    def content(self, path: str) -> str | None:
        """Return the hash of a file's content, or None if the file does not exist."""

    def symbols(self, path: str, names: Collection[str]) -> Mapping[str, str]:
        """Return the hashes of those of the symbols `names` that a file has."""

    def moved(self, hash: str, path: str) -> str | None:
        """Return the path where the content `hash`, which was at `path`, is now."""

    def outdated(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` whose files have changed since they were read, by a cheap check."""

    def find_references(self, text: str, files: Sequence[str], *, local: bool) -> FoundReferences:
        """Return what a text names.

        Files are read only if `local`: a global memory is also read where these files do not exist.
        """


class Judgement(msgspec.Struct, frozen=True):
    holds: bool
    reverified: bool  # a file changed, and the memory still holds
    references: tuple[ReferenceRecord, ...]  # as the checkout sees them
    checked: int = 0  # references with a hash to compare
    missing: int = 0  # references whose file or symbol is gone
    lost: bool = False  # a file is gone
    followed: bool = False  # a file was found at another path by its content


def judge(record: MemoryRecord, files: CheckoutFiles) -> Judgement:
    by_path: dict[str, list[ReferenceRecord]] = {}
    for reference in record.references:
        if reference.path is not None and reference.hash is not None:
            by_path.setdefault(reference.path, []).append(reference)
    if not by_path:
        return Judgement(True, False, record.references)
    replaced: dict[ReferenceRecord, ReferenceRecord] = {}
    stale = reverified = lost = followed = False
    missing = 0
    for path, group in by_path.items():
        current_path, by_content = _find_file(path, group, files)
        outdated, gone, changed = _compare(current_path, group, files)
        stale |= bool(outdated)
        reverified |= changed and not outdated
        lost |= current_path is None
        followed |= by_content
        missing += len(gone)
        new = current_path if current_path is not None else path
        for ref in group:
            if new != path or ref in outdated:
                former = path if new != path else ref.former
                replaced[ref] = replace(ref, path=new, former=former, stale=ref in outdated, gone=ref in gone)
    references = tuple(replaced.get(reference, reference) for reference in record.references)
    checked = sum(map(len, by_path.values()))
    return Judgement(not stale, reverified and not stale, references, checked, missing, lost, followed)


def _compare(
    current_path: str | None, group: Sequence[ReferenceRecord], files: CheckoutFiles
) -> tuple[set[ReferenceRecord], set[ReferenceRecord], bool]:
    """Return the outdated references into a file, the references to lost symbols, and whether the file changed."""
    if current_path is None:
        return set(group), set(group), True
    now = files.content(current_path)
    changed = [ref for ref in group if _file_hash(ref) != now]
    symbols = [ref for ref in changed if ref.symbol is not None]
    hashes = files.symbols(current_path, [str(ref.symbol) for ref in symbols]) if symbols else {}
    outdated = {ref for ref in symbols if hashes.get(str(ref.symbol)) != ref.hash}
    if outdated or not any(ref.symbol is not None for ref in group):
        outdated |= {ref for ref in changed if ref.symbol is None}
    return outdated, {ref for ref in symbols if ref.symbol not in hashes}, bool(changed)


def _find_file(path: str, group: Sequence[ReferenceRecord], files: CheckoutFiles) -> tuple[str | None, bool]:
    """Return where a file is now (None: gone), and whether it was found by its content."""
    for candidate in (path, *(ref.former for ref in group if ref.former is not None)):
        if files.content(candidate) is not None:
            return candidate, False
    for hash in dict.fromkeys(_file_hash(ref) for ref in group):
        current_path = files.moved(hash, path) if hash is not None else None
        if current_path is not None:
            return current_path, True
    return None, False


def _file_hash(reference: ReferenceRecord) -> str | None:
    return reference.hash if reference.symbol is None else reference.file_hash


def apply_judgement(record: MemoryRecord, judgement: Judgement) -> MemoryRecord:
    """Return the record with the status, references and files of a judgement; a hidden memory keeps its status."""
    status = record.status
    if status in ("active", "suspect"):
        # A memory imported as suspect stays suspect until its references can be compared.
        holds = judgement.holds and (status == "active" or judgement.checked > 0)
        status = "active" if holds else "suspect"
    if status == record.status and judgement.references == record.references:
        return record
    moves = {
        old.path: new.path
        for old, new in zip(record.references, judgement.references, strict=True)
        if old.path != new.path and new.path is not None
    }
    files = tuple(dict.fromkeys(moves.get(path) or path for path in record.files)) if moves else record.files
    return replace(record, status=status, references=judgement.references, files=files)


def verified_record(record: MemoryRecord, judgement: Judgement, now: int) -> MemoryRecord | None:
    """Return the record to store: as verified now, or with the new paths of moved files; None if nothing changes."""
    if record.status not in ("active", "suspect") or not judgement.holds or not judgement.checked:
        return None
    due = record.verified_at is None or record.verified_at <= now - VERIFIED_EVERY
    if not judgement.followed and not (judgement.reverified and due):
        return None
    new = record
    if judgement.followed:
        judged = apply_judgement(record, judgement)
        new = replace(record, references=judged.references, files=judged.files)
    if judgement.reverified and due:
        new = replace(new, verified_at=now)
    return None if new == record else new


class CheckoutView:
    """Judges the workspace's memories by the files of one checkout; without `files`, every memory stays as stored."""

    def __init__(self, files: CheckoutFiles | None, store: MemoryStore) -> None:
        self._files = files
        self.store = store
        self.lost: set[str] = set()  # ids of memories with a lost file
        self.due: set[str] = set()  # ids of memories to store as verified or with a moved file
        self.change_noticed: Event[[]] = Event()
        """Raised when memories were judged again because their files had changed."""

    def judged(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it."""
        judgement = self._judgement_of(record, store)
        return record if judgement is None else apply_judgement(record, judgement)

    def judge_again(self, record: MemoryRecord, store: MemoryStore) -> MemoryRecord:
        """Return a memory as this checkout sees it, and keep `lost` and `due` up to date.

        The caller holds the catalogue's lock.
        """
        judgement = self._judgement_of(record, store)
        if judgement is None:
            return record
        for ids, holds in ((self.lost, judgement.lost), (self.due, judgement.reverified or judgement.followed)):
            if holds:
                ids.add(record.id)
            else:
                ids.discard(record.id)
        return apply_judgement(record, judgement)

    def update_result(self, store: MemoryStore, record: MemoryRecord, changed: bool) -> Updated:
        """Return a changed memory as this checkout sees it, with how often it was shown."""
        use = store.uses([record.id]).get(record.id, Use())
        return Updated(self.judged(record, store), changed=changed, accesses=use.times, accessed_at=use.last)

    def missing(self, record: MemoryRecord) -> tuple[int, int]:
        """Return how many of a memory's references lead nowhere, and how many were checked."""
        judgement = self._judgement_of(record, self.store)
        return (0, 0) if judgement is None else (judgement.missing, judgement.checked)

    def with_references(self, record: MemoryRecord) -> MemoryRecord:
        """Return a record, before it is written, with the references and entities that its text names."""
        if self._files is None:
            return record
        named = [] if is_derived(record.name, record.content) else [record.name]
        text = "\n\n".join([*named, *([record.description] if record.description else []), record.content])
        resolved = self._files.find_references(text, record.files, local=record.scope != "global")
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

    def outdated(self, paths: Iterable[str]) -> list[str]:
        """Return those of `paths` whose files changed since they were read, without notice from the watcher."""
        return [] if self._files is None else self._files.outdated(paths)

    def store_verified(self, now: int) -> int:
        """Store memories as verified or with the new paths of moved files, without a version; return how many."""
        if self._files is None:
            return 0
        records = list(self.store.get_many(sorted(self.due)).values())
        due = [record.id for record in records if self._verified(record, now) is not None]
        written = 0
        for start in range(0, len(due), _MAX_BATCH):
            with self.store.transaction() as transaction:
                for id in due[start : start + _MAX_BATCH]:
                    memory = transaction.get(id)
                    new = None if memory is None else self._verified(memory, now)
                    if new is not None:
                        transaction.adjust(new)
                        written += 1
        return written

    def _verified(self, record: MemoryRecord, now: int) -> MemoryRecord | None:
        judgement = self._judgement_of(record, self.store)
        return None if judgement is None else verified_record(record, judgement, now)

    def _judgement_of(self, record: MemoryRecord, store: MemoryStore) -> Judgement | None:
        if self._files is None or store is not self.store or not record.references:
            return None
        return judge(record, self._files)
