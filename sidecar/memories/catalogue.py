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
from typing import NamedTuple

from sidecar.memories.drafts import Filters
from sidecar.memories.naming import is_derived
from sidecar.memories.ranking import age_free
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
_FOREVER = 1 << 62


class Row(NamedTuple):
    """The columns of one memory. `weight` is the part of its standing weight that neither clock nor use
    changes; `files` are those it is about or names by path.
    """

    id: str
    home: MemoryStore
    scope: str
    type: str
    category: str | None
    agent: str | None
    status: str
    created_at: int
    updated_at: int
    version: int
    expires_at: int | None
    pinned: bool
    weight: float
    files: tuple[str, ...]
    supersedes: str | None


class _Selection(NamedTuple):
    ids: frozenset[str]
    until: int  # the first of them expires then


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
        self.generation = 0
        self.stores = tuple(stores)
        self._seen: dict[int, int] = {}
        self._selections: OrderedDict[Filters, _Selection] = OrderedDict()
        self._lock = threading.RLock()

    @contextmanager
    def current(self) -> Iterator[Catalogue]:
        """This catalogue, up to date with both stores, for one thread. Raises StoreUnavailable."""
        with self._lock:
            for position, home in enumerate(self.stores):
                self._refresh(position, home)
            yield self

    def select(self, filters: Filters, now: int) -> frozenset[str]:
        """Ids of the memories that the filters let through at `now`."""
        kept = self._selections.get(filters)
        if kept is not None and now < kept.until:
            self._selections.move_to_end(filters)
            return kept.ids
        ids = frozenset(row.id for row in self.rows.values() if passes(row, filters, now))
        ends = (self.rows[id].expires_at for id in ids)
        until = min((end for end in ends if end is not None and end > now), default=_FOREVER)
        self._selections[filters] = _Selection(ids, until)
        while len(self._selections) > _KEPT_SELECTIONS:
            self._selections.popitem(last=False)
        return ids

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
        self._changed()

    def _reload(self, position: int, home: MemoryStore) -> None:
        seq = home.seq()  # before the read: what is written meanwhile is read again, not missed
        for id in [row.id for row in self.rows.values() if row.home is home]:
            self._remove(id)
        for record in home.all():
            self._add(record, home)
        self._seen[position] = seq
        self._changed()

    def _changed(self) -> None:
        self.generation += 1
        self._selections.clear()

    def _add(self, record: MemoryRecord, home: MemoryStore) -> None:
        named = (reference.path for reference in record.references if reference.path is not None)
        files = tuple(dict.fromkeys((*record.files, *named)))
        self.rows[record.id] = Row(
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
        )
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


def passes(row: Row, filters: Filters, now: int) -> bool:
    """Whether a memory may be answered: section 5's rules of sight, then the filters."""
    if filters.status is not None:
        if row.status not in filters.status:
            return False
    elif row.status in ("archived", "resolved") and row.status not in filters.include:
        return False
    if row.expires_at is not None and row.expires_at <= now and "expired" not in filters.include:
        return False
    if row.agent is not None and row.agent != filters.agent:
        return False
    if filters.scopes is not None and row.scope not in filters.scopes:
        return False
    if filters.types is not None and row.type not in filters.types:
        return False
    if filters.categories is not None and row.category not in filters.categories:
        return False
    if filters.since is not None and row.updated_at < filters.since:
        return False
    return filters.files is None or any(_below(path, filters.files) for path in row.files)


def _below(path: str, given: tuple[str, ...]) -> bool:
    return any(one in (path, ".", "") or path.startswith(one.rstrip("/") + "/") for one in given)


def _discard(sets: dict[str, set[str]], key: str, id: str) -> None:
    kept = sets[key]
    kept.discard(id)
    if not kept:
        del sets[key]
