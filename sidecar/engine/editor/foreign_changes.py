"""Which memories another process has changed since the last check, by the sequence numbers of the stores."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from protocol.memories import Change, Scope
from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore

MAX_CHANGES_HERE: Final = 10_000
_SCOPES: Final[dict[str, Scope]] = {"personal": "personal", "project": "project", "global": "global"}


class ForeignChanges:
    """Finds changes that other processes made to the open stores, and announces a notification of each.

    `record_notification` must be given the notifications of this process's changes. Thread-safe; calls of `report` must
    not overlap.
    """

    def __init__(self, workspaces: Workspaces, user_store: Callable[[], MemoryStore]) -> None:
        self.found: Event[[str, msgspec.Struct]] = Event()
        """Announces a notification: its method and parameters."""
        self._workspaces = workspaces
        self._user_store = user_store
        self._lock = threading.Lock()
        self._changed_here: Counter[str] = Counter()  # this process's changes since the last report, by memory id
        self._reported: set[str] = set()  # ids that the last report named
        self._seqs: WeakKeyDictionary[MemoryStore, int] = WeakKeyDictionary()
        self._waiting: dict[str, int] = {}  # number of candidates last reported, by workspace

    def record_state(self) -> None:
        """Record the stores' state now, so that only later changes are reported. Raises `SidecarError`."""
        states = list(self._states())
        user = self._user_store()
        with self._lock:
            for store, seq in [*((store, seq) for _, store, seq in states), (user, user.seq())]:
                self._seqs.setdefault(store, seq)
        for workspace, store, _ in states:
            self._waiting.setdefault(workspace.uri, store.candidates.count_waiting())

    def record_notification(self, _: str, change: msgspec.Struct) -> None:
        """Take in a notification of what this process changed, which is not to be reported as another's."""
        if not isinstance(change, DidChangeMemories):
            return
        with self._lock:
            if len(self._changed_here) > MAX_CHANGES_HERE:  # nobody calls `report`
                self._changed_here.clear()
            self._changed_here.update(changed.id for changed in change.changes)
            if change.candidates is not None:
                self._waiting[change.workspace_uri] = change.candidates

    def report(self) -> None:
        """Announce what other processes have changed since the last report. Raises `SidecarError`."""
        states = list(self._states())
        user = self._user_store()
        seq = user.seq()
        with self._lock:
            changed_here, self._changed_here = self._changed_here, Counter()
            reported, self._reported = self._reported, set()
            # If this process heard of its own change only after the last report had named it, the change is still
            # counted here, and would hide a later one by another process.
            for id in reported:
                changed_here.pop(id, None)
            before = dict(self._seqs)
            self._seqs.update([*((store, now) for _, store, now in states), (user, seq)])
        for workspace, store, now in states:
            if before.get(store, now) != now:
                workspace.background_embedding.memories_changed()
                self._report([workspace.uri], store, before[store], now, changed_here)
            self._count(workspace.uri, store)
        if before.get(user, seq) != seq:
            self._report([workspace.uri for workspace, *_ in states], user, before[user], seq, changed_here)

    def store_folders(self) -> list[Path]:
        """Return the folders of the open stores, in which other processes write. Raises `StoreUnavailable`."""
        stores = [workspace.memory_store for workspace in self._workspaces.opened()]
        return [store.memories_folder for store in (*stores, self._user_store())]

    def take_in_edits(self) -> None:
        """Read manual edits of memory files into memory; without edits, this costs one `stat` for each file."""
        for workspace in self._workspaces.opened():
            workspace.take_in_edits()

    def _states(self) -> Iterator[tuple[OpenWorkspace, MemoryStore, int]]:
        """Yield each open workspace, its memory store and the store's last sequence number."""
        for workspace in self._workspaces.opened():
            with contextlib.suppress(SidecarError):  # each request reports the error
                yield workspace, workspace.memory_store, workspace.memory_store.seq()

    def _report(self, uris: list[str], store: MemoryStore, since: int, now: int, changed_here: Counter[str]) -> None:
        ids = store.changes(since).ids
        others = [] if ids is None else _changed_elsewhere(ids, now - since, changed_here)
        if ids is not None and not others:
            return
        with self._lock:
            self._reported.update(others)
        changes = _changes(store, others)
        for uri in uris:
            self._announce(DidChangeMemories(workspace_uri=uri, changes=changes))

    def _count(self, uri: str, store: MemoryStore) -> None:
        """Report how many candidates wait if another process has changed their number."""
        now = store.candidates.count_waiting()
        with self._lock:
            before = self._waiting.get(uri, now)
            self._waiting[uri] = now
        if before != now:
            self._announce(DidChangeMemories(workspace_uri=uri, changes=[], candidates=now))

    def _announce(self, change: DidChangeMemories) -> None:
        self.found.announce("memory/didChange", change)


def _changed_elsewhere(ids: tuple[str, ...], count: int, changed_here: Counter[str]) -> list[str]:
    """Return the memories that another process changed; all of them if `count` changes are more than ours explain.

    Two processes may have changed the same memory since the last report. Repeating one of our changes costs the client
    a refresh, while hiding another's would leave the client with a stale memory.
    """
    others = [id for id in ids if id not in changed_here]
    explained = sum(changed_here[id] for id in ids) + len(others)
    return others if count <= explained else list(ids)


def _changes(store: MemoryStore, ids: list[str]) -> list[MemoryChange]:
    """Return what happened to each memory; nothing if a memory was deleted, because its scope is unknown."""
    records = store.get_many(ids)
    described: list[MemoryChange] = []
    for id in ids:
        record = records.get(id)
        scope = _SCOPES.get(record.scope) if record is not None else None
        if record is None or scope is None:
            return []
        change: Change = "created" if record.version == 1 else "updated"
        if record.status == "archived":
            change = "archived"
        elif record.status == "resolved":
            change = "resolved"
        described.append(MemoryChange(id=id, scope=scope, change=change))
    return described
