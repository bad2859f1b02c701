"""What can be done with the memories of one workspace and of the user: a part for each kind of operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sidecar.memories.announcing import MemoriesChanged, WaitingCountChanged
from sidecar.memories.editing.editing import MemoryEditing
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.checkout_view import CheckoutView
from sidecar.memories.index.judging import CheckoutFiles
from sidecar.memories.index.meaning import Embedding, FixedEmbedding, Meaning
from sidecar.memories.retrieval.searching import Searcher
from sidecar.memories.retrieval.weights import Weights
from sidecar.runtime.clock import Clock
from sidecar.runtime.made_once import made_once
from sidecar.store.memory_store import MemoryStore

if TYPE_CHECKING:  # each is imported with the first access to the part, because a hook needs one of them
    from sidecar.memories.candidates.candidacy import Candidacy
    from sidecar.memories.candidates.proposer import Proposer
    from sidecar.memories.editing.promoting import Promoter
    from sidecar.memories.editing.undoing import Undoing
    from sidecar.memories.injection.injector import Injector
    from sidecar.memories.maintenance.upkeep import Upkeep
    from sidecar.memories.recording.importer import Importer
    from sidecar.memories.recording.memory_links import MemoryLinks
    from sidecar.memories.recording.recorder import Recorder
    from sidecar.memories.recording.references import ReferenceFinder
    from sidecar.memories.retrieval.overview import Overview


class MemoryBook:
    """Holds the parts that find, record, inject and change memories, such as `searcher`, `recorder` and `editing`.

    Thread-safe; every method of a part may raise StoreUnavailable. Memories of scope `global` are in the user's store,
    all others in the workspace's. `references` finds the files and symbols that a memory names, and `checkout_files`
    tells which of them changed.
    """

    def __init__(
        self,
        workspace_store: MemoryStore,
        user_store: MemoryStore,
        clock: Clock,
        new_id: Callable[[int], str],
        checkout_files: CheckoutFiles | None = None,
        references: ReferenceFinder | None = None,
        embedding: Embedding | None = None,
    ) -> None:
        self.workspace_store = workspace_store
        self._clock = clock
        self._new_id = new_id
        self._reference_finder = references
        self.view = CheckoutView(checkout_files, workspace_store)
        self._embedding = embedding or FixedEmbedding()
        stores = workspace_store, user_store
        self.catalogue = Catalogue(stores, Meaning(self._embedding), self.view, checkout_files)
        self.changed = MemoriesChanged()
        self.waiting_changed = WaitingCountChanged(workspace_store)
        self._weights = Weights(self.catalogue.stores)
        self.searcher = Searcher(self.catalogue, self._weights, clock)

    @made_once
    def injector(self) -> Injector:
        from sidecar.memories.injection.injector import Injector

        return Injector(self.catalogue, self._embedding, self._weights, self._clock)

    @made_once
    def overview(self) -> Overview:
        from sidecar.memories.retrieval.overview import Overview

        return Overview(self.catalogue, self._weights)

    @made_once
    def links(self) -> MemoryLinks:
        from sidecar.memories.recording.memory_links import MemoryLinks

        return MemoryLinks(self.catalogue, self._clock)

    @made_once
    def editing(self) -> MemoryEditing:
        return MemoryEditing(
            self.catalogue, self.links, self._reference_finder, self.changed, self.waiting_changed, self._clock
        )

    @made_once
    def recorder(self) -> Recorder:
        from sidecar.memories.recording.recorder import Recorder

        return Recorder(self.catalogue, self.links, self._reference_finder, self.changed, self._clock, self._new_id)

    @made_once
    def upkeep(self) -> Upkeep:
        from sidecar.memories.maintenance.upkeep import Upkeep

        return Upkeep(self.catalogue, self.changed)

    @made_once
    def undoing(self) -> Undoing:
        from sidecar.memories.editing.undoing import Undoing

        return Undoing(self.catalogue, self.changed, self.links, self.waiting_changed, self._clock)

    @made_once
    def candidacy(self) -> Candidacy:
        from sidecar.memories.candidates.candidacy import Candidacy

        return Candidacy(self.catalogue, self.recorder, self.editing, self.waiting_changed, self._clock, self._new_id)

    @made_once
    def proposer(self) -> Proposer:
        from sidecar.memories.candidates.proposer import Proposer

        waiting = self.waiting_changed
        return Proposer(self.catalogue, self.candidacy, self.recorder, self.editing, waiting, self._clock, self._new_id)

    @made_once
    def promoter(self) -> Promoter:
        from sidecar.memories.editing.promoting import Promoter

        return Promoter(self.catalogue, self.changed, self._clock, self._new_id)

    @made_once
    def importer(self) -> Importer:
        from sidecar.memories.recording.importer import Importer

        return Importer(self.catalogue, self._reference_finder, self.changed, self._clock, self._new_id)
