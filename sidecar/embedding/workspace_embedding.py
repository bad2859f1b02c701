"""Embed one workspace's memories with its model, and make missing vectors in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sidecar.embedding.model_loader import EmbeddingStatus, ModelLoader
from sidecar.embedding.stored_vectors import StoredVectors
from sidecar.memories.announcing import ChangedMemory
from sidecar.models.embedding import Embedder
from sidecar.runtime.clock import Clock
from sidecar.runtime.operations import Operation, Operations
from sidecar.store.memory_store import MemoryStore

EMBED_OPERATION = "embedding"
EmbedMissing = Callable[[Callable[[], None]], object]
# Seconds between two checks for memories of other processes, which lack a vector here.
MISSING_VECTORS_CHECK_SECONDS = 2.0
# New vectors wait this long, to be written together.
GATHER_SECONDS = 0.25
# A short-lived command waits this long for its model; the table loads sooner.
COMMAND_WAIT_SECONDS = 0.5


class WorkspaceEmbedding:
    """A workspace's model and stored vectors. If `patient`, as in a short-lived command, callers wait for the model."""

    def __init__(self, loader: ModelLoader, stores: Sequence[MemoryStore], clock: Clock, *, patient: bool) -> None:
        self.loader = loader
        self._patient = patient
        self.sources = tuple(StoredVectors(store, clock) for store in stores)

    def embedder(self) -> Embedder | None:
        if self._patient:
            self.loader.wait(COMMAND_WAIT_SECONDS)
        return self.loader.embedder()

    def wait(self, seconds: float) -> None:
        self.loader.wait(seconds)

    def status(self) -> EmbeddingStatus:
        if self._patient:
            self.loader.wait(COMMAND_WAIT_SECONDS)
        return self.loader.status()

    def size(self) -> int:
        return sum(vectors.size() for vectors in self.sources)

    def close(self) -> None:
        """Close the stored vectors; call it after the background work has ended. Idempotent."""
        for vectors in self.sources:
            vectors.close()


class BackgroundEmbedding:
    """Embeds memories without a vector in the background, between `start` and `stop`, by calling `embed_missing`."""

    def __init__(self, embedding: WorkspaceEmbedding, embed_missing: EmbedMissing, operations: Operations) -> None:
        self._embedding = embedding
        self._embed_missing = embed_missing
        self._operations = operations
        self._lock = threading.Lock()
        self._checked_at = time.monotonic()
        self._runs = False

    def start(self) -> None:
        """Load the model, then embed memories without a vector, now and whenever memories change."""
        self._runs = True
        self._embedding.loader.when_ready(lambda: self._embed("model loaded"))

    def stop(self) -> None:
        self._runs = False

    def check_for_missing(self) -> None:
        """Look for memories without a vector, at most every `MISSING_VECTORS_CHECK_SECONDS`; called at each request."""
        if not self._is_ready():
            return
        with self._lock:
            if time.monotonic() - self._checked_at < MISSING_VECTORS_CHECK_SECONDS:
                return
            self._checked_at = time.monotonic()
        self._embed("checked for new memories")

    def memories_changed(self, _: Sequence[ChangedMemory] = ()) -> None:
        if self._is_ready():
            self._embed("memories changed")

    def _is_ready(self) -> bool:
        return self._runs and self._embedding.loader.status().state == "ready"

    def _embed(self, cause: str) -> None:
        if self._runs:
            self._operations.start(EMBED_OPERATION, cause, self._run)

    def _run(self, operation: Operation) -> None:
        sources = self._embedding.sources
        self._embed_missing(operation.check)
        if any(vectors.has_pending for vectors in sources):
            operation.context.wait(GATHER_SECONDS)
            for vectors in sources:
                vectors.write()
