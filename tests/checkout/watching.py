"""What tests of the watcher share: a collector of its reports, and waiting for its state."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sidecar.checkout.watch import Watcher

PATIENCE = 90.0


class Seen:
    """Collects a watcher's reports."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.threads: set[int] = set()
        self._condition = threading.Condition()

    def __call__(self, changed: frozenset[str]) -> None:
        assert changed
        with self._condition:
            self.paths |= changed
            self.threads.add(threading.get_ident())
            self._condition.notify_all()

    def clear(self) -> None:
        with self._condition:
            self.paths.clear()

    def wait_for(self, *paths: str) -> None:
        wanted = set(paths)
        with self._condition:
            self._condition.wait_for(lambda: wanted <= self.paths, PATIENCE)
            missing = wanted - self.paths
        assert not missing, f"{len(missing)} of {len(wanted)} never reported, such as {sorted(missing)[:5]}"


Watch = Callable[..., tuple[Watcher, Seen]]


def becomes(watcher: Watcher, state: str) -> None:
    """Wait until the watcher has this state, and the matching detail."""
    deadline = time.monotonic() + PATIENCE
    while (watcher.state, watcher.detail is None) != (state, state == "own"):
        assert time.monotonic() < deadline, (watcher.state, watcher.detail)
        time.sleep(0.02)
