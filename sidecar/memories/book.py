"""The operations on the memories of one workspace and of the user, which the handlers in `engine` call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecar.memories import paging
from sidecar.memories.announcing import MemoriesChanged, WaitingCountChanged
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import Filters
from sidecar.memories.lifecycle import Lifecycle, not_found
from sidecar.memories.meaning import Embedding, FixedEmbedding, Meaning
from sidecar.memories.prompt import what_is_asked
from sidecar.memories.results import Explanation, Found, Page
from sidecar.memories.searching import Searcher
from sidecar.memories.snapshot_saver import SnapshotSaver
from sidecar.memories.visibility import CheckoutFiles, CheckoutView
from sidecar.memories.weights import Weights
from sidecar.runtime.made_once import made_once
from sidecar.store.memory_store import MemoryStore, Use
from sidecar.store.records import MemoryRecord, VersionRecord
from sidecar.store.vocabulary import SCOPES

if TYPE_CHECKING:  # each is imported with the first access to the part, because a hook needs one of them
    from sidecar.memories import importing
    from sidecar.memories.candidacy import Candidacy
    from sidecar.memories.inject import Injector
    from sidecar.memories.links import MemoryLinks
    from sidecar.memories.maintenance.upkeep import Upkeep
    from sidecar.memories.overview import Overview
    from sidecar.memories.promoting import Promotion
    from sidecar.memories.recorder import Recorder
    from sidecar.memories.undoing import Undoing


class MemoryBook:
    """Finds stored memories, and holds the parts that do the rest, such as `recorder`, `injector` and `lifecycle`.

    Thread-safe; every method may raise StoreUnavailable. Memories of scope `global` are in the user's store, all others
    in the workspace's. `checkout_files` resolves the files and symbols that a memory names, and tells which of them
    changed.
    """

    def __init__(
        self,
        workspace_store: MemoryStore,
        user_store: MemoryStore,
        clock: Callable[[], int],
        new_id: Callable[[int], str],
        *,
        checkout_files: CheckoutFiles | None = None,
        embedding: Embedding | None = None,
    ) -> None:
        self.workspace_store = workspace_store
        self._user_store = user_store
        self._clock = clock
        self._new_id = new_id
        self.view = CheckoutView(checkout_files, workspace_store)
        self.catalogue = Catalogue((workspace_store, user_store), Meaning(embedding or FixedEmbedding()), self.view)
        self._snapshots = SnapshotSaver(self.catalogue)
        self.changed = MemoriesChanged()
        self.waiting = WaitingCountChanged(workspace_store)
        self._weights = Weights(self.catalogue)
        self._searcher = Searcher(self.catalogue, self._weights)

    @made_once
    def injector(self) -> Injector:
        from sidecar.memories.inject import Injector

        return Injector(self.catalogue, self._weights, self._clock)

    @made_once
    def overview(self) -> Overview:
        from sidecar.memories.overview import Overview

        return Overview(self.catalogue, self._weights)

    @made_once
    def links(self) -> MemoryLinks:
        from sidecar.memories.links import MemoryLinks

        return MemoryLinks(self.catalogue, self._clock)

    @made_once
    def lifecycle(self) -> Lifecycle:
        return Lifecycle(self.catalogue, self.links, self.changed, self._clock)

    @made_once
    def recorder(self) -> Recorder:
        from sidecar.memories.recorder import Recorder

        return Recorder(self.catalogue, self.links, self.changed, self._clock, self._new_id)

    @made_once
    def upkeep(self) -> Upkeep:
        from sidecar.memories.maintenance.upkeep import Upkeep

        return Upkeep(self.catalogue, self.changed)

    @made_once
    def undoing(self) -> Undoing:
        from sidecar.memories.undoing import Undoing

        return Undoing(self.catalogue, self.changed, self.links, self.candidacy, self._clock)

    @made_once
    def candidacy(self) -> Candidacy:
        from sidecar.memories.candidacy import Candidacy

        return Candidacy(self.catalogue, self.recorder, self.lifecycle, self.waiting, self._clock, self._new_id)

    def warm(self) -> None:
        """Load now what the first request would otherwise wait for."""
        with self.catalogue.current():
            pass
        self.save(between_requests=True)

    def save(self, *, between_requests: bool = False) -> None:
        """Save the snapshots that make the next start quick, if enough has changed; see `SnapshotSaver.save`."""
        self._snapshots.save(between_requests=between_requests)

    def embed_missing(self, check: Callable[[], None] = lambda: None) -> int:
        """Embed memories that have no vector yet, then save the index; see `Catalogue.embed_missing`.

        For a background thread.
        """
        count = self.catalogue.embed_missing(check)
        self._snapshots.save(between_requests=True, embedded=True)
        return count

    def counts(self) -> dict[str, int]:
        """Count the memories that are not archived, by scope; an empty scope counts 0."""
        workspace, user = self.workspace_store.count(), self._user_store.count()
        return {scope: (user if scope == "global" else workspace).get(scope, 0) for scope in SCOPES}

    def import_memories(
        self,
        incoming: Sequence[importing.Incoming],
        links: Sequence[importing.IncomingLink] = (),
        *,
        dry_run: bool = False,
        step: importing.ImportStep,
    ) -> tuple[list[importing.IncomingResult], int]:
        """Import many memories, or none if `step` raises or this is a `dry_run`.

        Return the outcome for each memory, and the number of links made. Imported memories are not linked to similar
        ones.
        """
        from sidecar.memories import importing

        results, linked = importing.import_memories(
            self.catalogue, incoming, links, self._clock(), self._new_id, dry_run=dry_run, step=step
        )
        if not dry_run:
            self.changed.announce(
                (result.record, result.outcome)
                for result in results
                if result.record is not None and result.outcome in ("created", "merged")
            )
        return results, linked

    def search(self, query: str, filters: Filters, limit: int = 10, cursor: str | None = None) -> Page[Found]:
        """Return matching memories, best first. Raises InvalidField for a cursor of another query."""
        self.catalogue.meaning.prepare(what_is_asked(query))
        return self._searcher.search(query, filters, paging.check_limit(limit), cursor, self._clock())

    def list(self, filters: Filters, limit: int = 50, cursor: str | None = None) -> Page[Found]:
        """Return memories that pass the filters, newest update first. Raises InvalidField like `search`."""
        return self._searcher.list(filters, paging.check_limit(limit), cursor, self._clock())

    def explain(self, id: str, prompt: str, agent: str | None, session_id: str | None) -> Explanation:
        """Return how likely a memory bears on a prompt, and why. Raises MemoryNotFound."""
        from sidecar.memories.explaining import explain

        self.get(id)
        return explain(self.catalogue, id, prompt, agent, session_id, self._clock())

    def get(self, id: str) -> Found:
        """Return one memory, whatever its status. Raises MemoryNotFound."""
        store = self.catalogue.holder_of(id)
        record = store.get(id)
        if record is None:
            raise not_found(id, store.history(id))
        self.catalogue.correct([id])
        use = store.uses([id]).get(id, Use())
        return Found(self.view.judged(record, store), use.times, accessed_at=use.last)

    def get_many(self, ids: Iterable[str]) -> Mapping[str, MemoryRecord]:
        """Return those of the memories `ids` that exist, by id, as the checkout sees them."""
        wanted = tuple(ids)
        self.catalogue.correct(wanted)
        return {
            id: self.view.judged(record, store)
            for store in self.catalogue.stores
            for id, record in store.get_many(wanted).items()
        }

    def promote(self, id: str, scope: str | None = None) -> Promotion:
        """Give a memory a wider scope; without `scope`, the next wider one. Raises MemoryNotFound, InvalidField."""
        from sidecar.memories.promoting import promote

        promotion = promote(self.workspace_store, self._user_store, id, scope, self._clock(), self._new_id)
        if promotion.changed:
            original = [(promotion.archived, "archived")] if promotion.archived is not None else []
            self.changed.announce([(promotion.record, "promoted"), *original])
        return promotion

    def delete(self, id: str, purge: bool = False) -> bool:
        """Delete a memory; return whether `undo` can bring it back. Raises MemoryNotFound."""
        undoable = self.lifecycle.delete(id, purge)
        if purge:
            self.links.forget(id)
            self.candidacy.purge(id)
            for other in self.undoing.merged_into(id):
                self.delete(other, purge=True)
        return undoable

    def history(self, id: str) -> Sequence[VersionRecord]:
        """Return the versions of a memory, newest first, even if it was deleted. Raises MemoryNotFound."""
        versions = self.catalogue.holder_of(id).history(id)
        if not versions:
            raise not_found(id, versions)
        return versions
