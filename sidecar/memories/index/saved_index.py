"""Keep the catalogue's index as snapshots in the stores, so that a start need not read every memory."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sidecar.memories.index import catalogue_snapshot
from sidecar.memories.index.catalogue import Catalogue, StoreProgress
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.priority import pause_collector
from sidecar.store.faults import level_of
from sidecar.store.memory_store import MemoryStore

SAVED_AFTER_DOCUMENTS = 200  # documents; to analyse fewer again costs less than to write a snapshot
REOPENED_AFTER_DOCUMENTS = 2_000  # documents; after more, opening the new snapshot halves the process's memory
CLOSING_PATIENCE_SECONDS = 0.1  # seconds to wait for the catalogue's lock when the process ends
BACKGROUND_PATIENCE_SECONDS = 30.0  # seconds to wait for the lock in a background thread

log = logging.getLogger(__name__)


class SavedIndex:
    """Loads the catalogue's index from the snapshots, completes it and saves it again."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def load(self) -> None:
        """Load now what the first request would otherwise wait for."""
        self._catalogue.bring_up_to_date()
        self.save(between_requests=True)

    def embed_missing(self, check: Callable[[], None] = lambda: None) -> int:
        """Embed memories that have no vector yet, then save the index; see `Catalogue.embed_missing`.

        For a background thread.
        """
        count = self._catalogue.embed_missing(check)
        self.save(between_requests=True, embedded=True)
        return count

    def save(self, *, between_requests: bool = False, embedded: bool = False) -> None:
        """Save a snapshot of each store whose last snapshot lacks enough documents, or the current model's vectors.

        Enough are 200 documents and one in a hundred; just after memories were `embedded`, 2,000 and one in four. Give
        up if the catalogue stays busy for 0.1 s or, `between_requests`, for 30 s. A failure only makes the next start
        slower.
        """
        patience = BACKGROUND_PATIENCE_SECONDS if between_requests else CLOSING_PATIENCE_SECONDS
        for store in self._catalogue.stores:
            try:
                self._save_if_due(store, patience, embedded)
            except SidecarError as error:
                log.log(level_of(error), "The snapshot of the index was not saved: %s", error.message)

    def _save_if_due(self, store: MemoryStore, patience: float, embedded: bool) -> None:
        catalogue = self._catalogue
        with catalogue.locked(patience) as locked:
            if not locked or store not in catalogue.progress:
                return
            catalogue.refresh(store)
            progress, model = catalogue.progress[store], catalogue.meaning.model or ""
            lacks_vectors = model not in ("", progress.snapshot_model)
            if not self._is_due(store, progress, lacks_vectors, embedded):
                return
            unsaved, purges = progress.unsaved, store.derived.purge_state()
            with pause_collector():
                pack = catalogue_snapshot.make_snapshot(catalogue, store, progress.seq)
        if pack is None:
            return
        try:
            with pause_collector():
                packed = pack()
        except OverflowError as error:  # a time or number does not fit its column
            log.info("The snapshot of the index was not saved: %s", error)
            return
        if not store.derived.put(catalogue_snapshot.SNAPSHOT_NAME, packed, purges):
            return
        with catalogue.locked():
            progress.unsaved -= unsaved
            progress.snapshot_model = model
            if max(unsaved, len(catalogue.rows) * lacks_vectors) >= REOPENED_AFTER_DOCUMENTS:
                del packed, pack  # free memory for the parts that are opened next
                catalogue.reopen()

    def _is_due(self, store: MemoryStore, progress: StoreProgress, lacks_vectors: bool, embedded: bool) -> bool:
        size = len(self._catalogue.rows)
        enough = max(REOPENED_AFTER_DOCUMENTS, size // 4) if embedded else max(SAVED_AFTER_DOCUMENTS, size // 100)
        if progress.unsaved >= enough:
            return True
        missing = lacks_vectors or not store.derived.has(catalogue_snapshot.SNAPSHOT_NAME)
        return missing and self._catalogue.rows.size(store) >= SAVED_AFTER_DOCUMENTS
