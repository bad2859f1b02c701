"""Which memories another process has changed since the last check, by the sequence numbers of the stores."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Final
from weakref import WeakKeyDictionary

from protocol.memories import Change, Scope
from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.engine.client_notifier import ClientNotifier
from sidecar.engine.editor.stores import EditorStores
from sidecar.store.memory_store import MemoryStore

MAX_CHANGES_HERE: Final = 10_000
_SCOPES: Final[dict[str, Scope]] = {"personal": "personal", "project": "project", "global": "global"}


class OtherProcesses:
    """Finds changes that other processes made to the stores, and announces them like those of this process.

    `record_change_here` must hear of this process's changes. Thread-safe; calls of `report_changes` must not overlap.
    """

    def __init__(self, stores: EditorStores, notifier: ClientNotifier) -> None:
        self._stores = stores
        self._notifier = notifier
        self._lock = threading.Lock()
        self._changed_here: Counter[str] = Counter()  # this process's changes since the last report, by memory id
        self._reported: set[str] = set()  # ids that the last report named
        self._seqs: WeakKeyDictionary[MemoryStore, int] = WeakKeyDictionary()
        self._waiting: dict[str, int] = {}  # number of candidates last reported, by workspace

    def record_state(self) -> None:
        """Record the stores' state now, so that only later changes are reported. Raises `SidecarError`."""
        states = self._stores.states()
        for store, seq in [*states.values(), self._stores.user_state()]:
            with self._lock:
                self._seqs.setdefault(store, seq)
        for uri, (store, _) in states.items():
            self._waiting.setdefault(uri, store.candidates.count_waiting())

    def record_change_here(self, change: DidChangeMemories) -> None:
        """Take in a change by this process, which is not to be reported as another's."""
        with self._lock:
            if len(self._changed_here) > MAX_CHANGES_HERE:  # nobody calls `report_changes`
                self._changed_here.clear()
            self._changed_here.update(changed.id for changed in change.changes)
            if change.candidates is not None:
                self._waiting[change.workspace_uri] = change.candidates

    def report_changes(self) -> None:
        """Notify of what other processes have changed since the last report. Raises `SidecarError`."""
        states = self._stores.states()
        user, seq = self._stores.user_state()
        with self._lock:
            changed_here, self._changed_here = self._changed_here, Counter()
            reported, self._reported = self._reported, set()
            # If this process heard of its own change only after the last report had named it, the change is still
            # counted here, and would hide a later one by another process.
            for id in reported:
                changed_here.pop(id, None)
            before = dict(self._seqs)
            self._seqs.update([*states.values(), (user, seq)])
        for uri, (store, now) in states.items():
            if before.get(store, now) != now:
                self._stores.embed_changes(uri)
                self._report([uri], store, before[store], now, changed_here)
            self._count(uri, store)
        if before.get(user, seq) != seq:
            self._report(list(states), user, before[user], seq, changed_here)

    def _report(self, uris: list[str], store: MemoryStore, since: int, now: int, changed_here: Counter[str]) -> None:
        ids = store.changes(since).ids
        others = [] if ids is None else _changed_elsewhere(ids, now - since, changed_here)
        if ids is not None and not others:
            return
        with self._lock:
            self._reported.update(others)
        changes = _changes(store, others)
        for uri in uris:
            self._notifier.changed_elsewhere(DidChangeMemories(workspace_uri=uri, changes=changes))

    def _count(self, uri: str, store: MemoryStore) -> None:
        """Report how many candidates wait if another process has changed their number."""
        now = store.candidates.count_waiting()
        with self._lock:
            before = self._waiting.get(uri, now)
            self._waiting[uri] = now
        if before != now:
            self._notifier.changed_elsewhere(DidChangeMemories(workspace_uri=uri, changes=[], candidates=now))


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
