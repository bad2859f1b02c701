"""Restore one of our exports exactly: ids, times, versions, links and access counts, with one transaction per store.

Of a memory that exists here, the side with the newer versions wins; if both sides changed it, it stays and is reported.
A memory deleted here stays deleted unless the rules say otherwise.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from sidecar.memories.recording import checks, forgetting, record_writes
from sidecar.memories.recording.fields import CHECK_BY_FIELD, REDACTED_FIELDS, Redactor
from sidecar.memories.recording.importer import DryRun
from sidecar.memories.recording.memory_links import LINK_KINDS, add_link
from sidecar.memories.results import Redaction
from sidecar.runtime.errors import InvalidField
from sidecar.store.candidates import CandidateRecord, Candidates
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import AccessRecord, Bundle, LinkRecord, MemoryRecord, TombstoneRecord, VersionRecord
from sidecar.store.reminders import ReminderRecord, Reminders

RestoreOutcome = Literal["created", "merged", "duplicate", "skipped", "forgotten", "refused"]
STATUSES: Final = ("active", "archived", "resolved", "suspect")
_KEPT_OUT: Final = "It was deleted here since."


class RestoredRecord(msgspec.Struct, frozen=True):
    outcome: RestoreOutcome
    id: str
    name: str
    scope: str | None = None
    reason: str | None = None
    redactions: tuple[Redaction, ...] = ()


class RestoreCounts(msgspec.Struct):
    """How many other records were restored."""

    links: int = 0
    tombstones: int = 0
    reminders: int = 0
    candidates: int = 0


class RestoreRules(msgspec.Struct, frozen=True):
    """What a restore may do."""

    directives: bool  # exported directives stay directives
    forgotten: bool  # also restore memories that were deleted here


StoreReminder = Callable[[Reminders, ReminderRecord], bool]
"""Stores a reminder unless the store has a newer state of it; returns whether anything changed."""


def restore(
    items: Iterable[tuple[MemoryStore, Bundle | TombstoneRecord | ReminderRecord | CandidateRecord]],
    stores: tuple[MemoryStore, MemoryStore],
    rules: RestoreRules,
    now: int,
    *,
    dry_run: bool,
    counts: RestoreCounts,
    remind: StoreReminder,
) -> Generator[RestoredRecord]:
    """Restore items one by one; store them only if the iteration reaches its end."""
    accesses: dict[MemoryStore, dict[str, AccessRecord]] = {store: {} for store in stores}
    with contextlib.suppress(DryRun), contextlib.ExitStack() as stack:
        runs = {
            store: _StoreRestoration(stack.enter_context(store.transaction()), store, rules, now) for store in stores
        }
        for store, item in items:
            run = runs[store]
            if isinstance(item, TombstoneRecord):
                counts.tombstones += run.bury(item)
                continue
            if isinstance(item, ReminderRecord):
                counts.reminders += remind(run.transaction.reminders(), item)
                continue
            if isinstance(item, CandidateRecord):
                counts.candidates += _restore_candidate(run.transaction.candidates(), item)
                continue
            restored = run.put(item)
            if item.access is not None and restored.outcome in ("created", "merged", "duplicate"):
                accesses[store][restored.id] = item.access
            yield restored
        counts.links += sum(run.link_all() for run in runs.values())
        if dry_run:
            raise DryRun
    if not dry_run:
        for store, uses in accesses.items():
            store.set_accesses(uses)


class _StoreRestoration(msgspec.Struct):
    transaction: MemoryTransaction
    store: MemoryStore
    rules: RestoreRules
    now: int
    links: list[LinkRecord] = []
    other_ids: dict[str, str] = {}
    forgotten: set[str] = set()

    def put(self, bundle: Bundle) -> RestoredRecord:
        """Restore one memory without its links, which `link_all` makes."""
        try:
            bundle, redactions = _check_bundle(bundle, self.rules)
        except InvalidField as error:
            return RestoredRecord("refused", bundle.id, _name(bundle), reason=error.message)
        self.links += [link for link in bundle.links if link.kind in LINK_KINDS and 0.0 <= link.strength <= 1.0]
        current, ours = self.transaction.get(bundle.id), self.transaction.history(bundle.id)[::-1]
        theirs = list(bundle.versions) or _only_version(bundle)
        if current is None and not ours:
            outcome, reason, id = self._restore_new(bundle, theirs)
        else:
            outcome, reason = self._restore_known(bundle, current, ours, theirs)
            id = bundle.id
        if outcome == "forgotten":
            self.forgotten.add(bundle.id)
        self.other_ids[bundle.id] = id
        scope = bundle.memory.scope if bundle.memory is not None else None
        return RestoredRecord(outcome, id, _name(bundle), scope, reason, redactions)

    def _restore_new(self, bundle: Bundle, theirs: list[VersionRecord]) -> tuple[RestoreOutcome, str | None, str]:
        memory = bundle.memory
        if memory is not None:
            fingerprint = forgetting.fingerprint_of(memory)
            buried = forgetting.matching_ids(self.transaction.tombstones(), fingerprint)
            if buried and not self.rules.forgotten:
                return "forgotten", _KEPT_OUT, bundle.id
            for id in buried:
                self.transaction.lift(id)
            holder = self.transaction.find(key_of(memory)) if bundle.named else None
            if holder is not None:
                stored = record_writes.put_learned(memory, self.transaction, self.now)
                if stored is None:
                    return "forgotten", "It was archived or reworded here before.", bundle.id
                return stored[0], f"Another memory here is called “{holder.name}”.", stored[1].id
        self._put_versions(bundle, theirs)
        return "created", None, bundle.id

    def _restore_known(
        self, bundle: Bundle, current: MemoryRecord | None, ours: list[VersionRecord], theirs: list[VersionRecord]
    ) -> tuple[RestoreOutcome, str | None]:
        memory = bundle.memory
        if not bundle.versions and memory is not None and any(past.memory == memory for past in ours):
            theirs = ours[: 1 + max(at for at, past in enumerate(ours) if past.memory == memory)]
        if ours == theirs or (len(theirs) < len(ours) and ours[: len(theirs)] == theirs):
            if current is not None or memory is None:
                newer = "It has gone on here since." if len(theirs) < len(ours) else None
                return "duplicate", newer
            if not self.rules.forgotten:
                return "forgotten", _KEPT_OUT
            self.transaction.lift(bundle.id)
            version = max(past.version for past in ours) + 1
            back = replace(memory, version=version, updated_at=self.now)
            self.transaction.put(back, "restored", self.now)
            return "merged", None
        if len(ours) < len(theirs) and theirs[: len(ours)] == ours:
            self._put_versions(bundle, theirs[len(ours) :])
            return "merged", "The versions since were added."
        return "skipped", "It was changed both here and there; it is kept as it is here."

    def _put_versions(self, bundle: Bundle, versions: list[VersionRecord]) -> None:
        self.transaction.restore(bundle.id, bundle.memory, versions, owns_key=bundle.named)

    def link_all(self) -> int:
        """Make the links of the restored memories; return how many are new."""
        count = 0
        for link in self.links:
            if link.source in self.forgotten or link.target in self.forgotten:
                continue
            source = self.other_ids.get(link.source, link.source)
            target = self.other_ids.get(link.target, link.target)
            count += add_link(self.transaction, replace(link, source=source, target=target))
        return count

    def bury(self, tombstone: TombstoneRecord) -> bool:
        """Store a tombstone unless the memory exists here; return whether it is new."""
        if self.transaction.get(tombstone.id) is not None:
            return False
        if any(buried.id == tombstone.id for buried in self.transaction.tombstones()):
            return False
        self.transaction.bury(tombstone)
        return True


def _only_version(bundle: Bundle) -> list[VersionRecord]:
    """Return the one version of a memory that was exported without its history."""
    memory = bundle.memory
    if memory is None:
        return []
    return [VersionRecord(version=memory.version, change="created", at=memory.updated_at, memory=memory)]


def _check_bundle(bundle: Bundle, rules: RestoreRules) -> tuple[Bundle, tuple[Redaction, ...]]:
    """Remove secrets from a bundle. Raises InvalidField if nobody could have recorded the memory."""
    redactions: dict[tuple[str, str], Redaction] = {}
    memory = bundle.memory
    if memory is not None:
        memory = _check_record(memory, rules, redactions)
    versions = tuple(
        version if version.memory is None else replace(version, memory=_check_record(version.memory, rules, redactions))
        for version in bundle.versions
    )
    checked = Bundle(bundle.id, memory, versions, bundle.named, bundle.access, bundle.links)
    return checked, tuple(redactions.values())


def _check_record(
    record: MemoryRecord, rules: RestoreRules, redactions: dict[tuple[str, str], Redaction]
) -> MemoryRecord:
    checks.check_scope(record.scope, record.type)
    for name in ("type", "category", "session_id", *REDACTED_FIELDS):
        CHECK_BY_FIELD[name](getattr(record, name))
    if record.status not in STATUSES:
        raise InvalidField(f"{record.status!r} is not a status.", path="$.status")
    if (
        min(record.version - 1, record.useful, record.not_useful) < 0
        or not 0.0 <= record.relevance <= 1.0
        or len(record.source) > checks.NAME_CHARS
    ):
        raise InvalidField("Its version, relevance or source is impossible.", path="$")
    if any(
        at is not None and not 0 <= at <= checks.LATEST_TIME_MS
        for at in (record.created_at, record.updated_at, record.verified_at, record.expires_at)
    ):
        raise InvalidField("A time is not in epoch milliseconds.", path="$.createdAt")
    for path in (*record.files, *(ref.path for ref in record.references if ref.path is not None)):
        if path.startswith("/") or "\0" in path or ".." in path.split("/"):
            raise InvalidField(f"{path[:100]!r} is not a path inside a workspace.", path="$.files")
    redactor = Redactor()
    texts = {name: redactor.value(name, getattr(record, name)) for name in REDACTED_FIELDS}
    clean = replace(record, **texts, references=redactor.references(record.references))
    for redaction in redactor.redactions:
        redactions[(redaction.kind, redaction.field)] = redaction
    if not rules.directives and clean.category == "directive":
        clean = replace(clean, category=None, pinned=False)
    return clean


def _name(bundle: Bundle) -> str:
    latest = bundle.memory or next((version.memory for version in bundle.versions[::-1] if version.memory), None)
    return bundle.id if latest is None else latest.name


def _restore_candidate(rows: Candidates, record: CandidateRecord) -> bool:
    """Store an exported candidate, unless the stored state is newer; return whether anything changed."""
    current = rows.get(record.id)
    if current is not None and current.updated_at >= record.updated_at:
        return False
    rows.put(record)
    return True
