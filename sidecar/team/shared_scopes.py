"""Which scopes of a workspace are shared, and under which names the database knows them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from sidecar.checkout.identity import Identity
from sidecar.checkout.repository_key import digest
from sidecar.memories.announcing import ChangedMemory
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError
from sidecar.settings.model import StoreSettings
from sidecar.store.lock import FolderLock
from sidecar.store.memory_store import MemoryStore
from sidecar.team.scope_sync import ScopeSync

_LOCK_FILE = "team.lock"  # locked by the process that shares a store


def workspace_key(identity: Identity, named: str | None = None) -> str | None:
    """Return a workspace's name in the database, the same on each machine; None if a user must name it."""
    if named:
        return key_of_name(named)
    checkout = identity.clone
    if identity.kind != "git" or identity.origin is None or checkout is None or checkout.root is None:
        return None
    return "origin:" + digest("git", digest("origin", identity.origin, checkout.root), identity.inner)


def key_of_name(name: str) -> str:
    return f"name:{name.strip()}"


class SharedScopes:
    """The scopes that the settings share. `key` names the workspace; None if a user must name it."""

    def __init__(
        self, settings: StoreSettings, stores: Mapping[str, MemoryStore], key: str | None, clock: Clock
    ) -> None:
        self.names = settings.shared
        self._directives_from = settings.directives_from
        self._stores = stores
        self._key = key
        self._clock = clock

    def syncs(
        self, me: str, changed: Callable[[Sequence[ChangedMemory]], None] = lambda changes: None
    ) -> list[ScopeSync]:
        """Return a sync for each shared scope.

        Personal and global memories go to workspaces of `me` alone.
        """
        keys = self._keys(me)
        return [
            ScopeSync(self._stores[scope], scope, key, self._directives_from, self._clock, changed)
            for scope in ("project", "personal", "global")
            if scope in self.names and (key := keys[scope]) is not None
        ]

    def project_key(self) -> str | None:
        """Return the database's name of what the project shares; None if it shares nothing."""
        return self._keys("")["project"] if "project" in self.names else None

    def count_pending(self) -> int:
        return sum(sync.count_pending() for sync in self.syncs("") if sync.place() is not None)

    @contextlib.contextmanager
    def locked(self) -> Iterator[frozenset[str]]:
        """Yield the scopes that no other process or workspace is sharing now."""
        locked: set[str] = set()
        with contextlib.ExitStack() as stack:
            for folder in sorted({self._stores[scope].directory for scope in self.names}):
                lock = FolderLock(folder / _LOCK_FILE)
                stack.callback(lock.close)
                try:
                    stack.enter_context(lock.held(timeout=0.0))
                except SidecarError as error:
                    if error.data.reason != "busy":
                        raise
                else:
                    locked |= {scope for scope in self.names if self._stores[scope].directory == folder}
            yield frozenset(locked)

    def _keys(self, me: str) -> dict[str, str | None]:
        with self._stores["project"].sharing("project") as sharing:
            place = sharing.place()
        key = self._key if place is None else None if place.left else place.key
        return {"project": key, "personal": None if key is None else f"own:{me}:{key}", "global": f"own:{me}:global"}
