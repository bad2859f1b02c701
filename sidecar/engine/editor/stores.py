"""The stores of which an editor hears."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from sidecar.engine.editor.store_watch import StoreWatch
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.errors import SidecarError
from sidecar.store.memory_store import MemoryStore


class EditorStores:
    """The stores of the open workspaces. Thread-safe, apart from `watch`."""

    def __init__(self, workspaces: Workspaces, user_store: Callable[[], MemoryStore]) -> None:
        self._workspaces = workspaces
        self._user_store = user_store
        self._watch: StoreWatch | None = None

    def take_in_edits(self) -> None:
        """Read manual edits of memory files into memory; without edits, this costs one `stat` for each file."""
        for workspace in self._workspaces.open_all():
            workspace.take_in_edits()

    def states(self) -> dict[str, tuple[MemoryStore, int]]:
        """Return the memory store of each open workspace and its last sequence number, by URI."""
        states: dict[str, tuple[MemoryStore, int]] = {}
        for workspace in self._workspaces.open_all():
            with contextlib.suppress(SidecarError):  # each request reports the error
                states[workspace.uri] = workspace.memory_store, workspace.memory_store.seq()
        return states

    def embed_changes(self, uri: str) -> None:
        """Embed in the background what the store of a workspace has received."""
        for workspace in self._workspaces.open_all():
            if workspace.uri == uri:
                workspace.background_embedding.memories_changed()

    def user_state(self) -> tuple[MemoryStore, int]:
        """Return the store of the user's memories and its last sequence number. Raises `StoreUnavailable`."""
        store = self._user_store()
        return store, store.seq()

    def watch(self, changed: Callable[[], None]) -> bool:
        """Call `changed` whenever a process writes to an open store; return False if the system cannot report that.

        Call it again, from the same thread, when other workspaces may be open. Raises `StoreUnavailable`.
        """
        stores = [workspace.memory_store for workspace in self._workspaces.open_all()]
        self._watch = self._watch or StoreWatch(changed)
        self._watch.watch(store.memories_folder for store in (*stores, self._user_store()))
        return self._watch.notified
