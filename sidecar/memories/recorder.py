"""Record memories; those recorded together share a commit, but fare as if recorded one after another."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sidecar.memories import forgetting, recording
from sidecar.memories.announcing import ChangedMemories
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import Draft
from sidecar.memories.links import FoundLinks, MemoryLinks
from sidecar.memories.results import Recorded, Redaction, Similar
from sidecar.memories.searching import is_put_away_before, similar
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.memory_store import MemoryStore, SharedCommit, Use
from sidecar.store.records import MemoryRecord, TombstoneRecord

log = logging.getLogger(__name__)

Outcome = Recorded | BaseException
Check = Callable[[], None]
"""Raises if the recording of a memory was cancelled."""


class Prepared(NamedTuple):
    record: MemoryRecord
    redactions: tuple[Redaction, ...]
    store: MemoryStore
    now: int


class Recorder:
    """Prepares a memory, stores it and, once that is durable, finishes it: links it and finds similar ones."""

    def __init__(
        self,
        catalogue: Catalogue,
        links: MemoryLinks,
        changed: ChangedMemories,
        clock: Callable[[], int],
        new_id: Callable[[int], str],
    ) -> None:
        self._catalogue = catalogue
        self._view = catalogue.view
        self._links = links
        self._changed = changed
        self._clock = clock
        self._new_id = new_id

    def record(self, draft: Draft) -> Recorded:
        """Store one memory; see `recording.merge` for what happens if its key exists. Raises InvalidField."""
        prepared = self._prepare(draft)
        return self._finish_alone(prepared, recording.store(prepared.record, prepared.store, prepared.now))

    def record_together(self, drafts: Sequence[tuple[Draft, Check]]) -> list[Outcome]:
        """Store memories in one commit; each fails by itself. One that the commit did not store is tried alone."""
        outcomes: dict[int, Outcome] = {}

        @contextlib.contextmanager
        def failing_alone(*indices: int) -> Iterator[None]:
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - each of them is owed an answer
                outcomes.update(dict.fromkeys(indices, error))

        if len(drafts) == 1:
            with failing_alone(0):
                drafts[0][1]()
                outcomes[0] = self.record(drafts[0][0])
            return [outcomes[0]]
        with contextlib.suppress(StoreUnavailable), self._catalogue.current():
            pass  # so that `_finish` adds what was stored without reading it again
        prepared, tombstones_of = dict[int, Prepared](), cache(MemoryStore.tombstones)
        for index, (draft, check) in enumerate(drafts):
            with failing_alone(index):
                check()
                prepared[index] = self._prepare(draft, tombstones_of)
        commit = SharedCommit()
        members = {index: commit.member() for index in prepared}
        stored: dict[int, recording.StoredMemory] = {}
        try:
            for index, (record, _, store, now) in prepared.items():
                with failing_alone(index):
                    drafts[index][1]()
                    stored[index] = recording.store(record, store, now, members[index])
        finally:
            commit.commit()
        done: list[Recorded] = []
        found: dict[int, FoundLinks] = {}

        def keep_links() -> None:
            self._keep_links(found.values())
            found.clear()

        for index, member in members.items():
            with failing_alone(index):
                if member.failure is not None or (index in stored and stored[index].status != "created"):
                    keep_links()  # of what it may be merged into
                if member.failure is not None:
                    drafts[index][1]()
                    outcomes[index] = self.record(drafts[index][0])
                elif index in stored:  # even if it was cancelled meanwhile
                    outcomes[index], found[index] = recorded, _ = self._finish(prepared[index], stored[index])
                    done.append(recorded)
        keep_links()
        self._changed.announce_recorded(done)
        return [outcomes[index] for index in range(len(drafts))]

    def learn(self, draft: Draft) -> Recorded | None:
        """Store a learned memory; None if it was deleted, see `forgetting.is_refused`. Raises InvalidField."""
        prepared = self._prepare_draft(draft)
        known = forgetting.fingerprint_of(prepared.record)
        buried = any(forgetting.matching_ids(store.tombstones(), known) for store in self._catalogue.stores)
        if buried or is_put_away_before(self._catalogue, prepared.record, prepared.now):
            return None
        stored = recording.store_learned(prepared.record, prepared.store, prepared.now)
        return self._finish_alone(prepared, stored) if stored is not None else None

    def connect(self, record: MemoryRecord, text: str, now: int) -> None:
        """Link the memory with those similar to `text` and those that say the opposite."""
        self._links.store_found([self._compare(record, text, now)[1]])

    def _compare(
        self, record: MemoryRecord, text: str, now: int, stored: recording.StoredMemory | None = None
    ) -> tuple[tuple[Similar, ...], FoundLinks]:
        """Return the memories similar to `text`, and the links with them and with those that say the opposite."""
        with self._catalogue.current(stored) as catalogue:
            store = self._catalogue.store_of(record.scope)
            near = similar(catalogue, store, record, text, now, (record.scope,))
            linked = stored is None or stored.status != "created"
            return near, self._links.find(record, near, now, linked=linked)

    def _prepare(
        self, draft: Draft, tombstones_of: Callable[[MemoryStore], tuple[TombstoneRecord, ...]] = MemoryStore.tombstones
    ) -> Prepared:
        """Check a draft, and lift what would forbid it in other stores; `recording.store` does so in its own."""
        prepared = self._prepare_draft(draft)
        for other in self._catalogue.stores:
            if other is prepared.store or not (buried := tombstones_of(other)):
                continue
            if forgetting.matching_ids(buried, forgetting.fingerprint_of(prepared.record)):
                with other.transaction() as transaction:
                    recording.lift_tombstones(transaction, prepared.record)
        return prepared

    def _prepare_draft(self, draft: Draft) -> Prepared:
        now = self._clock()
        record, redactions = recording.prepare(draft, now, self._new_id)
        return Prepared(self._view.with_references(record), redactions, self._catalogue.store_of(record.scope), now)

    def _finish(self, prepared: Prepared, stored: recording.StoredMemory) -> tuple[Recorded, FoundLinks]:
        status, record, store, _ = stored
        near, links = self._compare(record, prepared.record.content, prepared.now, stored)
        use = Use() if status == "created" else store.uses([record.id]).get(record.id, Use())
        return Recorded(status, self._view(record, store), near, prepared.redactions, use.times, use.last), links

    def _finish_alone(self, prepared: Prepared, stored: recording.StoredMemory) -> Recorded:
        recorded, links = self._finish(prepared, stored)
        self._keep_links([links])
        self._changed.announce_recorded([recorded])
        return recorded

    def _keep_links(self, found: Collection[FoundLinks]) -> None:
        """Store links of memories that are durable already, so that only the links are lost if this fails."""
        try:
            self._links.store_found(found)
        except StoreUnavailable as error:
            log.warning("Links of recorded memories were not stored: %s", error)
