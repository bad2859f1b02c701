"""Where the stores of an open workspace are: beside others' stores, or in a folder that is removed on close."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from sidecar.checkout.identity import Identity, OpenedFolder, record_identity
from sidecar.runtime.errors import SidecarError
from sidecar.store.memory_store import MemoryStore
from sidecar.system.processes import is_alive

log = logging.getLogger(__name__)

_THROWAWAY_PREFIX = "memory-sidecar-off-"


class ThrowawayStores:
    """Stores of a folder whose memory is switched off and never was on; they stay empty and are removed on close."""

    def __init__(self) -> None:
        for left in Path(gettempdir()).glob(f"{_THROWAWAY_PREFIX}*-*"):  # left by killed processes
            number = left.name.removeprefix(_THROWAWAY_PREFIX).partition("-")[0]
            if number.isdecimal() and not is_alive(int(number)):
                shutil.rmtree(left, ignore_errors=True)
        self._temporary = TemporaryDirectory(prefix=f"{_THROWAWAY_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
        self.memory_store = MemoryStore.open(Path(self._temporary.name) / "memory")
        self.user_store = MemoryStore.open(Path(self._temporary.name) / "user")

    def close(self) -> None:
        """Close the stores and remove their folder. Idempotent."""
        self.memory_store.close()
        self.user_store.close()
        self._temporary.cleanup()


class WorkspacePlace(OpenedFolder):
    """The folder of an open workspace, and the folder of its stores."""

    def __init__(self, identity: Identity, data_home: Path) -> None:
        super().__init__(identity, data_home)
        self.data_home = data_home
        self.stores = data_home / "workspaces" / identity.id
        self._kept = False

    def keep_identity_once(self, _: object = None) -> None:
        """Record once that the stores hold what could not be made again."""
        if not self._kept:
            self.record_identity(keep=True)
            self._kept = True

    def keep_identity_if(self, is_irreplaceable: Callable[[], bool]) -> None:
        """Record that a store must be found again, if it holds anything that could not be made again."""
        try:
            if is_irreplaceable():
                self.record_identity(keep=True)
        except SidecarError as error:
            log.info("A store cannot be read: %s", error.message)

    def record_identity(self, *, keep: bool) -> None:
        """Record which memory the repository has; with `keep`, also store a key in the repository."""
        record_identity(self.identity, self.data_home, keep=keep)
