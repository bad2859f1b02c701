"""Import many memories of another tool at once, all or none, each as `Recorder.learn` would learn it.

The two stores commit one right after the other. If the process dies between the
commits, importing the same file again adds the rest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
from msgspec.structs import replace

from sidecar.memories.announcing import MemoriesChanged
from sidecar.memories.drafts import ANY_AGENT, Draft, Filters
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.recording import forgetting, merging, record_writes
from sidecar.memories.recording.memory_links import LINK_KINDS, add_link, new_link
from sidecar.memories.recording.references import ReferenceFinder, with_references
from sidecar.memories.results import Redaction
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord

ImportOutcome = Literal["created", "merged", "duplicate", "forgotten", "refused"]
ImportStep = Callable[[int, int], None]
"""Called with the progress and the total; raises `Cancelled` to stop, so that nothing is stored."""
_BY_MACHINE = frozenset(("created", "merged"))
_REPLACED_FIELDS = ("content", "description", "category", "files", "references", "entities", "tags")


class Incoming(msgspec.Struct, frozen=True):
    """A memory to be imported."""

    draft: Draft
    created_at: int | None = None  # epoch milliseconds
    updated_at: int | None = None  # epoch milliseconds
    status: Literal["active", "archived", "resolved"] = "active"
    # Replace the memory that the same source imported under this name, unless somebody has changed it since.
    replaces: bool = False


class IncomingLink(msgspec.Struct, frozen=True):
    source: int
    target: int
    kind: str
    strength: float


class IncomingResult(msgspec.Struct, frozen=True):
    """The outcome for one imported memory."""

    outcome: ImportOutcome
    record: MemoryRecord | None = None  # the memory that now says it, if any
    reason: str | None = None  # for people
    redactions: tuple[Redaction, ...] = ()


class PreparedImport(msgspec.Struct, frozen=True):
    """An imported memory after the checks that need no transaction."""

    incoming: Incoming
    record: MemoryRecord | None = None  # checked and without secrets
    redactions: tuple[Redaction, ...] = ()
    result: IncomingResult | None = None  # the outcome, if it is known already


FORGOTTEN_RESULT = IncomingResult("forgotten", None, "It was deleted, archived or reworded here before.")


class DryRun(Exception):
    """Raised to roll back the transactions of a dry run."""


@dataclass(eq=False)
class Importer:
    _catalogue: Catalogue
    _reference_finder: ReferenceFinder | None
    _changed: MemoriesChanged
    _clock: Clock
    _new_id: Callable[[int], str]

    def import_memories(
        self,
        incoming: Sequence[Incoming],
        links: Sequence[IncomingLink] = (),
        *,
        dry_run: bool = False,
        step: ImportStep,
    ) -> tuple[list[IncomingResult], int]:
        """Learn many memories, or none if `step` raises or this is a `dry_run`.

        Return the outcome of each, and the number of links made. Memories are not linked to similar ones.
        """
        catalogue, now, total = self._catalogue, self._clock(), 2 * len(incoming)
        with catalogue.current() as index:
            any_archived = len(index.select(Filters(agent=ANY_AGENT, status=("archived",)), now)) > 0
        prepared: list[PreparedImport] = []
        for number, item in enumerate(incoming):
            step(number, total)
            prepared.append(self._prepare(item, now, any_archived=any_archived))
        run, linked = _ImportRun(catalogue, now), 0
        with contextlib.suppress(DryRun), contextlib.ExitStack() as stack:
            for store in catalogue.stores:
                if any(item.record is not None and catalogue.store_of(item.record.scope) is store for item in prepared):
                    run.transactions[store] = stack.enter_context(store.transaction())
            for number, ready in enumerate(prepared, len(incoming)):
                step(number, total)
                run.results.append(ready.result or run.put(ready))
            linked = sum(run.link(link) for link in links)
            step(total, total)
            if dry_run:
                raise DryRun
        if not dry_run:
            self._changed.announce_changes(
                (result.record, result.outcome)
                for result in run.results
                if result.record is not None and result.outcome in ("created", "merged")
            )
        return run.results, linked

    def _prepare(self, incoming: Incoming, now: int, *, any_archived: bool) -> PreparedImport:
        """Check a memory and find its references.

        The result is known at once if the memory was forgotten in the other store or archived on purpose.
        """
        catalogue, created_at = self._catalogue, _created_at(incoming, now)
        try:
            record, redactions = record_writes.prepare(incoming.draft, now, lambda _: self._new_id(created_at))
        except InvalidField as error:
            return PreparedImport(incoming, result=IncomingResult("refused", reason=error.message))
        # The memory begins to fade on the day of the import: it may be used here although it was unused elsewhere.
        record = replace(record, created_at=created_at, updated_at=now, status=incoming.status, supersedes=None)
        fingerprint = forgetting.fingerprint_of(record)
        elsewhere = [store for store in catalogue.stores if store is not catalogue.store_of(record.scope)]
        if any(forgetting.matching_ids(store.tombstones(), fingerprint) for store in elsewhere) or (
            any_archived and forgetting.was_archived_on_purpose(catalogue, record, now)
        ):
            return PreparedImport(incoming, record, redactions, FORGOTTEN_RESULT)
        return PreparedImport(incoming, with_references(record, self._reference_finder), redactions)


class _ImportRun:
    def __init__(self, catalogue: Catalogue, now: int) -> None:
        self._workspace_store, self._store_of = catalogue.workspace_store, catalogue.store_of
        self._now = now
        self._wordings: dict[MemoryStore, dict[tuple[str, str | None, str], str]] = {}
        self.transactions: dict[MemoryStore, MemoryTransaction] = {}
        self.results: list[IncomingResult] = []

    def put(self, prepared: PreparedImport) -> IncomingResult:
        record, redactions = prepared.record, prepared.redactions
        if record is None:
            raise RuntimeError("the memory was not prepared")
        store = self._store_of(record.scope)
        transaction = self.transactions[store]
        if prepared.incoming.replaces:
            replaced = self._replace(record, transaction)
            if replaced is not None:
                return replace(replaced, redactions=redactions)
        wordings = self._wordings_of(store)
        words = (record.scope, record.agent, merging.normalised(record.content))
        other = transaction.get(wordings[words]) if words in wordings else None
        if other is not None and key_of(other) != key_of(record):
            return IncomingResult("duplicate", other, f"“{other.name}” says the same.", redactions)
        memory = record_writes.memory_of_key(record, transaction)
        if memory is not None and memory.status == "resolved" and merging.contains(memory.content, record.content):
            # The text is old: do not reopen the memory.
            return IncomingResult("duplicate", memory, "It is resolved.", redactions)
        try:
            stored = record_writes.put_learned(record, transaction, self._now)
        except InvalidField as error:
            return IncomingResult("refused", reason=error.message, redactions=redactions)
        if stored is None:
            return FORGOTTEN_RESULT
        status, memory = stored
        wordings[(memory.scope, memory.agent, merging.normalised(memory.content))] = memory.id
        return IncomingResult(status, memory, redactions=redactions)

    def link(self, link: IncomingLink) -> bool:
        """Make a link if both of its ends exist now; return whether the link is new."""
        source, target = self.results[link.source].record, self.results[link.target].record
        if source is None or target is None or link.kind not in LINK_KINDS:
            return False
        store = self._store_of(source.scope)
        if store is not self._workspace_store:
            store = self._store_of(target.scope)
        strength = min(1.0, max(0.0, link.strength))
        return add_link(
            self.transactions[store], new_link(source.id, target.id, link.kind, strength, "user", self._now)
        )

    def _replace(self, record: MemoryRecord, transaction: MemoryTransaction) -> IncomingResult | None:
        """Replace what this source imported earlier under this name; return None if there is nothing to replace."""
        memory = record_writes.memory_of_key(record, transaction)
        if memory is None or memory.source != record.source or forgetting.is_archived_on_purpose(memory):
            return None
        by_others = [version for version in transaction.history(memory.id) if version.change not in _BY_MACHINE]
        if by_others:
            return IncomingResult("duplicate", memory, "It was changed here since; that is kept.")
        said = {field: getattr(record, field) for field in _REPLACED_FIELDS}
        new = replace(memory, **said, name_given=memory.name_given or record.name_given)
        if (new.content, new.files, new.description) == (memory.content, memory.files, memory.description):
            return IncomingResult("duplicate", memory)
        fresh = {"status": "active", "relevance": 1.0, "verified_at": None, "archived_for": None, "merged_into": None}
        new = record_writes.next_version(new, self._now, **fresh)
        transaction.put(new, "merged", self._now)
        return IncomingResult("merged", new)

    def _wordings_of(self, store: MemoryStore) -> dict[tuple[str, str | None, str], str]:
        """Return, by wording, the ids of a store's memories that are not archived."""
        if store not in self._wordings:
            self._wordings[store] = {
                (memory.scope, memory.agent, merging.normalised(memory.content)): memory.id
                for memory in store.all()
                if memory.status != "archived"
            }
        return self._wordings[store]


def _created_at(incoming: Incoming, now: int) -> int:
    created = incoming.created_at if incoming.created_at is not None else incoming.updated_at
    return now if created is None else min(max(0, created), now)
