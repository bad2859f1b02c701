"""Choose what a session should know at its start, and find the memories that name an entity.

The handlers of `context/boot`, `context/entity` and `context/close` call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from itertools import islice

import msgspec

from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.entities import FILE, MARK, URL, USER, Entity, EntityKey
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.ranking import DAY_MS, decay
from sidecar.memories.index.selection import Selection
from sidecar.memories.results import FoundMemory
from sidecar.memories.retrieval.searching import with_uses
from sidecar.memories.retrieval.weights import Weights
from sidecar.text.marks import mark_of_url

MAX_DIRECTIVES, MAX_BLOCKERS, MAX_DECISIONS, MAX_PLANS = 50, 10, 5, 5
MAX_PROCEDURES, MAX_REVIEWS, MAX_FREQUENT = 3, 5, 5

_MAX_PROCEDURES_READ = 200  # old procedures whose last verification is looked up
_MIN_MEMORIES_OF_ENTITY = 2  # an entity that this many memories name is frequent
_MAX_RECENT_MEMORIES = 2_000  # newest memories, in which frequent entities are counted
_MAX_DIRECTIVES_READ = 500  # newest directives, from which the first of each scope are taken
_DIRECTIVE_ORDER = ("project", "personal", "global")


class FrequentEntity(msgspec.Struct, frozen=True):
    """An entity that recent memories name often."""

    text: str
    memories: int  # how many name it
    last: int  # when the last of them changed


class Digest(msgspec.Struct, frozen=True):
    directives: tuple[FoundMemory, ...]
    blockers: tuple[FoundMemory, ...]
    decisions: tuple[FoundMemory, ...]
    plans: tuple[FoundMemory, ...]
    procedures: tuple[FoundMemory, ...]
    reviews: tuple[FoundMemory, ...]
    hot: tuple[FrequentEntity, ...]


class MarkedMemory(msgspec.Struct, frozen=True):
    """A memory that names issues, merge requests or epics."""

    id: str
    at: int  # when it changed
    entity_keys: tuple[EntityKey, ...]
    everywhere: bool  # its scope is `global`


class NamedBlockers(msgspec.Struct, frozen=True):
    """Open blockers that name an entity."""

    only: tuple[str, ...]  # they name no other
    shared: tuple[tuple[str, tuple[str, ...]], ...]  # each with the other entities that it names


class Overview:
    def __init__(self, catalogue: Catalogue, weights: Weights) -> None:
        self._catalogue = catalogue
        self._weights = weights

    def digest(self, agent: str | None, project: str | None, now: int, review_days: int) -> Digest:
        """Return the digest for an agent; for None, the digest for no agent in particular. Raises StoreUnavailable.

        A procedure is due for review if nobody has changed or verified it for `review_days`.
        """
        with self._catalogue.current() as index:
            rows = index.rows
            directives = self._ids("directive", agent, now, _MAX_DIRECTIVES_READ)
            directives.sort(key=lambda id: (_DIRECTIVE_ORDER.index(rows[id].scope), -rows[id].updated_at, id))
            procedures = index.select(Filters(agent=agent, categories=("procedure",)), now)
            heaviest = self._weights.heaviest(index, procedures, MAX_PROCEDURES, now, None)
            return Digest(
                directives=self._fetch(directives[:MAX_DIRECTIVES]),
                blockers=self._fetch(self._ids("blocker", agent, now, MAX_BLOCKERS)),
                decisions=self._fetch(self._ids("decision", agent, now, MAX_DECISIONS)),
                plans=self._fetch(self._ids("plan", agent, now, MAX_PLANS)),
                procedures=self._fetch([id for _, id in heaviest]),
                reviews=self._reviews(procedures, now - review_days * DAY_MS),
                hot=self._frequent_entities(index, agent, project, now),
            )

    def naming(self, entity: Entity, agent: str | None, now: int, limit: int) -> tuple[tuple[FoundMemory, ...], int]:
        """Return up to `limit` memories that name an entity, newest update first, and how many there are.

        Resolved memories count.
        """
        with self._catalogue.current() as index:
            visible = index.select(Filters(agent=agent, include=("resolved",)), now).ids
            ids = sorted(visible & _ids_naming(index, entity), key=lambda id: (-index.rows[id].updated_at, id))
        return self._fetch(ids[:limit]), len(ids)

    def blockers_naming(self, entity: Entity, project: str | None, now: int) -> NamedBlockers:
        with self._catalogue.current() as index:
            visible = index.select(Filters(agent=ANY_AGENT, categories=("blocker",)), now).ids
            blockers = sorted(visible & _ids_naming(index, entity))
            named = [(id, _other_items(index.entities.keys(id), entity, project)) for id in blockers]
        return NamedBlockers(
            only=tuple(id for id, others in named if not others), shared=tuple(pair for pair in named if pair[1])
        )

    def memories_with_marks(self, now: int) -> list[MarkedMemory]:
        """Return all memories, of whatever agent and also resolved, that name issues, merge requests or epics."""
        with self._catalogue.current() as index:
            visible = index.select(Filters(agent=ANY_AGENT, include=("resolved",)), now).ids
            named = (ids for key, ids in index.entities.items() if key.kind == MARK)
            marked = visible & set[str]().union(*named)
            rows = index.rows
            return [
                MarkedMemory(id, rows[id].updated_at, index.entities.keys(id), rows[id].scope == "global")
                for id in sorted(marked)
            ]

    def _ids(self, category: str, agent: str | None, now: int, most: int) -> list[str]:
        """Return open memories of a category, newest update first."""
        with self._catalogue.current() as index:
            selection = index.select(Filters(agent=agent, categories=(category,)), now)
            newest = (id for _, id in reversed(selection.by_update()) if not _is_replaced(index, id))
            return list(islice(newest, most))

    def _reviews(self, procedures: Selection, before: int) -> tuple[FoundMemory, ...]:
        old = [id for at, id in procedures.by_update() if at <= before]
        items = self._fetch(old[:_MAX_PROCEDURES_READ])
        due = [item for item in items if (item.record.verified_at or 0) <= before]
        return tuple(due[:MAX_REVIEWS])

    def _frequent_entities(
        self, index: MemoryIndex, agent: str | None, project: str | None, now: int
    ) -> tuple[FrequentEntity, ...]:
        newest = index.select(Filters(agent=agent), now).by_update()[-_MAX_RECENT_MEMORIES:]
        # Add whole numbers: their sum does not depend on the order of a set.
        weights = {id: round(decay(at, now) * 1_000_000) for at, id in newest}
        changed = {id: at for at, id in newest}
        naming: dict[str, set[str]] = {}
        for id in weights:
            for key in index.entities.keys(id):
                if key.kind in (MARK, USER, FILE):
                    naming.setdefault(_short(key, project), set()).add(id)
        often = [(text, ids) for text, ids in naming.items() if len(ids) >= _MIN_MEMORIES_OF_ENTITY]
        first = nsmallest(MAX_FREQUENT, ((-sum(weights[id] for id in ids), text) for text, ids in often))
        named = [(text, naming[text]) for _, text in first]
        return tuple(FrequentEntity(text, len(ids), max(changed[id] for id in ids)) for text, ids in named)

    def _fetch(self, ids: Sequence[str]) -> tuple[FoundMemory, ...]:
        if not ids:
            return ()
        with self._catalogue.current() as index:
            self._catalogue.correct(ids)
            existing = [id for id in ids if id in index.rows]
            records = index.fetch(existing)
            uses = self._weights.uses(index, existing)
        return with_uses(existing, records, uses)


def _is_replaced(index: MemoryIndex, id: str) -> bool:
    newer = index.superseding.get(id, ())
    return any(other in index.rows and index.rows[other].status != "archived" for other in newer)


def _ids_naming(index: MemoryIndex, entity: Entity) -> set[str]:
    """Return the ids of memories that name the entity; a global memory must name it with its project."""
    surely = index.entities.naming(entity.keys - entity.bare)
    perhaps = index.entities.naming(entity.bare)
    return surely | {id for id in perhaps if index.rows[id].scope != "global"}


def _other_items(keys: Sequence[EntityKey], entity: Entity, project: str | None) -> tuple[str, ...]:
    """Return the names of the issues, merge requests and epics in `keys` other than the entity."""
    mine = {_short(key, project) for key in entity.keys if key.kind == MARK}
    names: dict[str, None] = {}
    for key in keys:
        if key.kind == URL:
            mark = mark_of_url(key.text)
            if mark is None:
                continue
            key = EntityKey(MARK, mark)
        if key.kind == MARK and (name := _short(key, project)) not in mine:
            names[name] = None
    return tuple(names)


def _short(key: EntityKey, project: str | None) -> str:
    if key.kind == MARK and project is not None and key.text[: len(project)] == project:
        rest = key.text[len(project) :]
        return rest if rest[:1] in ("#", "!", "&") else key.text
    return key.text
