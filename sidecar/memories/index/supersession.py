"""Find which memories replace which, from records and links; replaced memories are hidden.

Of two contradicting memories, the one updated last replaces the other. But a directive or pinned memory is replaced
only by another such memory, and a memory that only a repository's file holds replaces nothing but its own kind.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Set
from typing import Literal

from sidecar.memories.index.entities import discard
from sidecar.memories.index.row import Row
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import LinkRecord

Ground = Literal["superseded", "contradicted"]

SUPERSEDES, CONTRADICTS = "supersedes", "contradicts"
REPLACING_KINDS = (SUPERSEDES, CONTRADICTS)
MIN_STRENGTH = 0.5  # of a contradiction; a weaker one is only a doubt, which hides nothing


class Supersession(Mapping[str, set[str]]):
    """Maps each superseded memory to the memories that replace it. `rows` are the catalogue's, which may change."""

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self._rows = rows
        self._stated: dict[str, set[str]] = {}
        self._links: dict[str, dict[tuple[MemoryStore, str, str, str], LinkRecord]] = {}

    def __getitem__(self, id: str) -> set[str]:
        newer = {new for new, _ in self._newer(id)}
        if not newer:
            raise KeyError(id)
        return newer

    def __iter__(self) -> Iterator[str]:
        yield from self._stated
        for id in self._links:
            if id not in self._stated and any(True for _ in self._newer(id)):
                yield id

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, id: object) -> bool:
        return (id in self._stated or id in self._links) and any(True for _ in self._newer(str(id)))

    def superseded_among(self, ids: Container[str]) -> list[str]:
        """Return those of `ids` that are superseded, in time proportional to the number of links."""
        return [id for id in self if id in ids]

    def successors(self, id: str, visible: Set[str]) -> list[str]:
        """Follow the chains of memories that supersede `id`; return the visible memories at their ends."""
        visited, ends, frontier = {id}, set[str](), [id]
        while frontier:
            current = frontier.pop()
            newer = visible & self.get(current, set())
            if not newer and current != id:
                ends.add(current)
            frontier.extend(newer - visited)
            visited |= newer
        return sorted(ends)

    def ground(self, id: str, newer: str) -> Ground:
        return "superseded" if (newer, "superseded") in self._newer(id) else "contradicted"

    def doubts(self, id: str) -> list[str]:
        """Return the memories that may contradict `id` and would then replace it, latest first."""
        links = self._links.get(id)
        if not links:
            return []
        doubted = {other.id: other for sure, other in self._against(id, links) if not sure}
        return sorted(doubted, key=lambda other: _age(doubted[other]), reverse=True)

    def add_record(self, newer: str, id: str) -> None:
        """Add what a memory's record says: `newer` supersedes `id`."""
        self._stated.setdefault(id, set()).add(newer)

    def drop_record(self, newer: str, id: str) -> None:
        discard(self._stated, id, newer)

    def reload(self, store: MemoryStore, links: Iterable[LinkRecord]) -> None:
        """Replace a store's links of both kinds."""
        for id in list(self._links):
            for key in [key for key in self._links[id] if key[0] is store]:
                self._drop(id, key)
        for link in links:
            self._add(store, link)

    def update_links(self, store: MemoryStore, id: str, links: Iterable[LinkRecord]) -> None:
        """Replace one memory's links in a store by its current `links`; links of other kinds are ignored."""
        for key, link in list(self._links.get(id, {}).items()):
            if key[0] is store:
                self._drop(link.source, key)
                self._drop(link.target, key)
        for link in links:
            if link.kind in REPLACING_KINDS:
                self._add(store, link)

    def _add(self, store: MemoryStore, link: LinkRecord) -> None:
        key = (store, link.source, link.target, link.kind)
        for id in (link.source, link.target):
            self._links.setdefault(id, {})[key] = link

    def _drop(self, id: str, key: tuple[MemoryStore, str, str, str]) -> None:
        links = self._links.get(id, {})
        links.pop(key, None)
        if not links:
            self._links.pop(id, None)

    def _newer(self, id: str) -> Iterator[tuple[str, Ground]]:
        for newer in self._stated.get(id, ()):
            yield newer, "superseded"
        links = self._links.get(id, {})
        for link in links.values():
            if link.kind == SUPERSEDES and link.target == id:
                yield link.source, "superseded"
        for sure, other in self._against(id, links):
            if sure:
                yield other.id, "contradicted"

    def _against(
        self, id: str, links: Mapping[tuple[MemoryStore, str, str, str], LinkRecord]
    ) -> Iterator[tuple[bool, Row]]:
        """Yield the memories that contradict a memory and would replace it; True if the link is strong enough."""
        row = self._rows.get(id)
        for link in links.values():
            other = self._rows.get(link.source if link.target == id else link.target)
            if link.kind != CONTRADICTS or row is None or other is None or (other.foreign and not row.foreign):
                continue
            if _age(other) > _age(row) and (_is_protected(other) or not _is_protected(row)):
                yield link.strength >= MIN_STRENGTH, other


def _age(row: Row) -> tuple[int, int, str]:
    return row.updated_at, row.created_at, row.id


def _is_protected(row: Row) -> bool:
    return row.pinned or row.category == "directive"
