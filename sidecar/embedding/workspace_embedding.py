"""Embed one workspace's memories in the background, with its model and its stored vectors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sidecar.embedding.model_choice import EmbeddingStatus, ModelChoice
from sidecar.embedding.stored_vectors import StoredVectors
from sidecar.memories.announcing import ChangedMemory
from sidecar.models.embedding import Embedder
from sidecar.runtime.operations import Operation, Operations
from sidecar.store.memory_store import MemoryStore

EMBED = "embedding"
EmbedMissing = Callable[[Callable[[], None]], object]
CHECK_SECONDS = 2.0  # between two checks, at requests, for memories without a vector that other processes recorded
GATHER_SECONDS = 0.25  # how long new vectors wait to be written with others
COMMAND_WAIT_SECONDS = 0.5  # that a short-lived command waits for its model; the table loads in a few hundredths


class WorkspaceEmbedding:
    """Embeds one workspace's memories; if `patient`, callers wait for the model, as in a short-lived command."""

    def __init__(
        self,
        choice: ModelChoice,
        stores: Sequence[MemoryStore],
        operations: Operations,
        clock: Callable[[], int],
        *,
        patient: bool,
    ) -> None:
        self._choice = choice
        self._operations = operations
        self._patient = patient
        self._lock = threading.Lock()
        self._checked_at = time.monotonic()
        self._embed_missing: EmbedMissing | None = None
        self.sources = tuple(StoredVectors(store, clock) for store in stores)

    def embedder(self) -> Embedder | None:
        if self._patient:
            self._choice.wait(COMMAND_WAIT_SECONDS)
        return self._choice.embedder()

    def wait(self, seconds: float) -> None:
        self._choice.wait(seconds)

    def start(self, embed_missing: EmbedMissing) -> None:
        """Load the model, then embed memories without a vector, now and whenever they change."""
        self._embed_missing = embed_missing
        self._choice.when_ready(lambda: self._embed_in_background("model loaded"))

    def check_for_missing(self) -> None:
        """Check occasionally, when a request comes, for memories without a vector."""
        if self._embed_missing is None or self._choice.status().state != "ready":
            return
        with self._lock:
            if time.monotonic() - self._checked_at < CHECK_SECONDS:
                return
            self._checked_at = time.monotonic()
        self._embed_in_background("checked for new memories")

    def changed(self, _: Sequence[ChangedMemory] = ()) -> None:
        if self._embed_missing is not None and self._choice.status().state == "ready":
            self._embed_in_background("memories changed")

    def status(self) -> EmbeddingStatus:
        if self._patient:
            self._choice.wait(COMMAND_WAIT_SECONDS)
        return self._choice.status()

    def size(self) -> int:
        return sum(vectors.size() for vectors in self.sources)

    def close(self) -> None:
        """Close the stored vectors, after the background work has ended. Idempotent."""
        self._embed_missing = None
        for vectors in self.sources:
            vectors.close()

    def _embed_in_background(self, cause: str) -> None:
        embed_missing = self._embed_missing
        if embed_missing is None:
            return

        def work(operation: Operation) -> None:
            embed_missing(operation.check)
            if any(vectors.has_pending for vectors in self.sources):
                operation.call.wait(GATHER_SECONDS)
                for vectors in self.sources:
                    vectors.write()

        self._operations.start(EMBED, cause, work)
