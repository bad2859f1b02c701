"""The embedding of one workspace's memories: its model, its kept vectors, and the making of those that are missing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sidecar.embedding.choice import Choice, EmbeddingStatus
from sidecar.embedding.kept import KeptVectors
from sidecar.memories.book import MemoryBook
from sidecar.models.embedding import Embedder
from sidecar.runtime.operations import Operation, Operations
from sidecar.store.memory_store import MemoryStore

EMBED = "embedding"
LOOK_SECONDS = 2.0
"""How often requests start a look for memories without a vector: other processes may have recorded some."""

GATHER_SECONDS = 0.25
"""How long new vectors wait for others, to be written in the background with them."""

COMMAND_WAIT_SECONDS = 0.5
"""How long a command that asks once waits for its model; the table takes some hundredths."""


class Embedding:
    """One workspace's. `patient`: of a short-lived command, whose one question would else come before the model."""

    def __init__(
        self,
        choice: Choice,
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
        self._looked_at = time.monotonic()
        self._book: MemoryBook | None = None
        self.kept = tuple(KeptVectors(store, clock) for store in stores)

    def embedder(self) -> Embedder | None:
        """The model in force; None while there is none."""
        if self._patient:
            self._choice.wait(COMMAND_WAIT_SECONDS)
        return self._choice.embedder()

    def loaded(self, seconds: float) -> None:
        """Wait for a model that is being loaded, at most so long."""
        self._choice.wait(seconds)

    def begin(self, book: MemoryBook) -> None:
        """Load the model; then, and whenever there may be need, embed what the book holds."""
        self._book = book
        self._choice.when_ready(lambda: self._start("model loaded"))

    def look(self) -> None:
        """A request is being answered: see now and then whether a memory has no vector."""
        if self._book is None or self._choice.status().state != "ready":
            return
        with self._lock:
            if time.monotonic() - self._looked_at < LOOK_SECONDS:
                return
            self._looked_at = time.monotonic()
        self._start("looked for new memories")

    def changed(self) -> None:
        """A memory was written through this process."""
        if self._book is not None and self._choice.status().state == "ready":
            self._start("memories changed")

    def status(self) -> EmbeddingStatus:
        if self._patient:
            self._choice.wait(COMMAND_WAIT_SECONDS)
        return self._choice.status()

    def size(self) -> int:
        """Bytes of kept vectors on disk."""
        return sum(kept.size() for kept in self.kept)

    def close(self) -> None:
        """Close the kept vectors, after the background work has ended. Safe to call twice."""
        self._book = None
        for kept in self.kept:
            kept.close()

    def _start(self, cause: str) -> None:
        book = self._book
        if book is None:
            return

        def work(operation: Operation) -> None:
            book.embed_missing(operation.check)
            if any(kept.waits for kept in self.kept):
                operation.call.cancelled.wait(GATHER_SECONDS)
                for kept in self.kept:
                    kept.write()

        self._operations.start(EMBED, cause, work)
