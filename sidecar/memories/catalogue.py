"""What a request needs to know of every memory, held in memory: a few columns and one full-text index.

Both stores feed one catalogue, so that a score of a global memory compares with one of a project memory. It is
brought up to date at each request through the stores' change logs, which is how another process's writes are
seen. Texts stay in the stores and are read for what is shown only.

A catalogue is used inside `with catalogue.current():`, which refreshes it and keeps other threads out.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sidecar.memories.drafts import Filters
from sidecar.memories.naming import is_derived
from sidecar.memories.ranking import age_free
from sidecar.memories.selection import Row, Selection
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

# How much a word counts by where it stands. A derived name only repeats the content and is left out.
NAME_WEIGHT = 2.0
DESCRIPTION_WEIGHT = 1.0
CONTENT_WEIGHT = 1.0
TAGS_WEIGHT = 1.0
FILES_WEIGHT = 1.0

_KEPT_SELECTIONS = 16


class Catalogue:
    """Rows by id, ids by file and by what they supersede, and the index, over the stores given.

    `exempt` holds what a relevance floor does not keep out: directives, preferences, pinned ones.
    """

    def __init__(self, stores: Iterable[MemoryStore]) -> None:
        self.rows: dict[str, Row] = {}
        self.about: dict[str, set[str]] = {}
        self.superseding: dict[str, set[str]] = {}
        self.exempt: set[str] = set()
        self.index = LexicalIndex()
        self.stores = tuple(stores)
        self._seen: dict[int, int] = {}
        self._selections: OrderedDict[Filters, Selection] = OrderedDict()
        self._lock = threading.RLock()

    @contextmanager
    def current(self) -> Iterator[Catalogue]:
        """This catalogue, up to date with both stores, for one thread. Raises StoreUnavailable."""
        with self._lock:
            for position, home in enumerate(self.stores):
                self._refresh(position, home)
            yield self

    def select(self, filters: Filters, now: int) -> Selection:
        """The memories that the filters let through at `now`."""
        kept = self._selections.get(filters)
        if kept is None or not kept.holds(now):
            kept = self._selections[filters] = Selection(filters, self.rows.values(), now)
            while len(self._selections) > _KEPT_SELECTIONS:
                self._selections.popitem(last=False)
        self._selections.move_to_end(filters)
        return kept

    def search(self, query: str, selection: Selection) -> dict[str, float]:
        """The BM25 score of every selected memory that holds a term of the query."""
        everything = len(selection.ids) == len(self.rows)
        return self.index.search(query, None if everything else selection.ids.__contains__)

    def _refresh(self, position: int, home: MemoryStore) -> None:
        seen = self._seen.get(position)
        if seen is not None and home.seq() == seen:
            return
        if seen is None:
            self._reload(position, home)
            return
        changes = home.changes(seen)
        if changes.ids is None:
            self._reload(position, home)
            return
        records = home.get_many(changes.ids)
        for id in changes.ids:
            self._remove(id)
            if id in records:
                self._add(records[id], home)
        self._seen[position] = changes.seq

    def _reload(self, position: int, home: MemoryStore) -> None:
        seq = home.seq()  # before the read: what is written meanwhile is read again, not missed
        self._selections.clear()  # built anew in one go, which is cheaper than memory by memory
        for id in [row.id for row in self.rows.values() if row.home is home]:
            self._remove(id)
        for record in home.all():
            self._add(record, home)
        self._seen[position] = seq

    def _add(self, record: MemoryRecord, home: MemoryStore) -> None:
        named = (reference.path for reference in record.references if reference.path is not None)
        files = tuple(dict.fromkeys((*record.files, *named)))
        row = self.rows[record.id] = Row(
            id=record.id,
            home=home,
            scope=record.scope,
            type=record.type,
            category=record.category,
            agent=record.agent,
            status=record.status,
            created_at=record.created_at,
            updated_at=record.updated_at,
            version=record.version,
            expires_at=record.expires_at,
            pinned=record.pinned,
            weight=age_free(record.relevance, record.category, record.status),
            files=files,
            supersedes=record.supersedes,
            letters=len(record.content),
        )
        for selection in self._selections.values():
            selection.add(row)
        for path in files:
            self.about.setdefault(path, set()).add(record.id)
        if record.pinned or record.category == "directive" or record.type == "user":
            self.exempt.add(record.id)
        if record.supersedes is not None:
            self.superseding.setdefault(record.supersedes, set()).add(record.id)
        self.index.add(record.id, fields(record))

    def _remove(self, id: str) -> None:
        row = self.rows.pop(id, None)
        if row is None:
            return
        for selection in self._selections.values():
            selection.remove(row)
        for path in row.files:
            _discard(self.about, path, id)
        if row.supersedes is not None:
            _discard(self.superseding, row.supersedes, id)
        self.exempt.discard(id)
        self.index.remove(id)


def fields(record: MemoryRecord) -> list[tuple[str, float]]:
    """What the index reads of a memory, with weights."""
    given = [(record.content, CONTENT_WEIGHT)]
    if not is_derived(record.name, record.content):
        given.append((record.name, NAME_WEIGHT))
    if record.description:
        given.append((record.description, DESCRIPTION_WEIGHT))
    if record.tags:
        given.append((" ".join(record.tags), TAGS_WEIGHT))
    if record.files:
        given.append((" ".join(record.files), FILES_WEIGHT))
    return given


def _discard(sets: dict[str, set[str]], key: str, id: str) -> None:
    kept = sets[key]
    kept.discard(id)
    if not kept:
        del sets[key]
