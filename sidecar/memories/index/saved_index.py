"""Keep the catalogue's index as snapshots in the stores, so that a start need not read every memory."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.catalogue_snapshot import SNAPSHOT_NAME
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.priority import pause_collector
from sidecar.store.faults import level_of
from sidecar.store.memory_store import MemoryStore

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
        with self._catalogue.locked(patience) as parts:
            if parts is None:
                return
            part = parts[store]
            snapshot = part.due_snapshot(embedded=embedded)
        if snapshot is None:
            return
        try:
            with pause_collector():
                packed = snapshot.pack()
        except OverflowError as error:  # a time or number does not fit its column
            log.info("The snapshot of the index was not saved: %s", error)
            return
        if not store.derived.put(SNAPSHOT_NAME, packed, snapshot.purges):
            return
        with self._catalogue.locked():
            part.note_saved(snapshot)
            if snapshot.halves_memory:
                del packed, snapshot, part, parts  # free memory for the parts that are opened next
                self._catalogue.reopen()
