"""Notice at once when a process writes to a store, through the system's file notifications."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from sidecar.checkout.folder_events import FolderEvents, explain_failure

log = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 60.0


class StoreWatch:
    """Calls `changed`, on a thread of its own, when a file in one of the followed folders changes."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._followed: frozenset[tuple[Path, int]] = frozenset()
        self._stop = threading.Event()

    @property
    def notified(self) -> bool:
        """Return whether the system reports every change; if not, poll."""
        return bool(self._followed) and not self._stop.is_set()

    def watch(self, folders: Iterable[Path]) -> None:
        """Watch these folders and no others; a folder that was made again is watched anew. Not thread-safe."""
        try:
            wanted = frozenset((folder, folder.stat().st_ino) for folder in folders)
        except OSError:  # being deleted or recreated: the next call watches it
            wanted = frozenset()
        if wanted == self._followed:
            return
        self.close()
        self._followed = wanted
        if wanted:
            self._stop = stop = threading.Event()
            paths = [str(folder) for folder, _ in wanted]
            threading.Thread(target=self._run, args=(paths, stop), name="sidecar-stores", daemon=True).start()

    def close(self) -> None:
        """Stop watching; `watch` starts again."""
        self._followed = frozenset()
        self._stop.set()

    def _run(self, paths: list[str], stop: threading.Event) -> None:
        root = os.path.commonpath(paths)
        try:
            notifier = FolderEvents(root, [os.path.relpath(path, root) for path in paths], recursive=False)
        except OSError as error:
            log.info("Other processes' memories appear a little later: %s", explain_failure(error))
            stop.set()
            return
        self._changed()  # earlier writes went unreported
        try:
            while not stop.is_set():
                if notifier.wait(stop, _WAIT_SECONDS, quiet=True):
                    self._changed()
        finally:
            stop.set()
            notifier.close()
