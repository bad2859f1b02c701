"""Announce outdated contents of files in order, once the other parts know which paths have changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sidecar.files.pointers import Invalidated
from sidecar.runtime.event import Event


class Invalidations(Event[[list[Invalidated]]]):
    """Announces contents that no longer hold, one announcement at a time under a lock. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._adding = threading.Lock()
        self._announcing = threading.Lock()  # keeps the announcements in the order of the pointers' changes
        self._unannounced: list[Invalidated] = []
        self._reports = 0  # number of blocks of `reporting` under way

    @contextmanager
    def adding(self) -> Iterator[list[Invalidated]]:
        """Yield the list of what is to be announced, for one thread at a time; change pointers inside the block."""
        with self._adding:
            yield self._unannounced

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Announce nothing during the block, in which other parts hear of the paths first."""
        with self._adding:
            self._reports += 1
        try:
            yield
        finally:
            with self._adding:
                self._reports -= 1
            self.announce_added()

    def announce_added(self) -> None:
        """Announce what was added; during a report, leave it to the end of that."""
        with self._announcing:
            with self._adding:
                if self._reports:
                    return
                invalidated, self._unannounced = self._unannounced, []
            if invalidated:
                self.announce(invalidated)
