"""Links between memories, which somebody made or which were found when a memory was recorded.

`Recorder` finds links, the handlers of `memory/link` make them. A link is in the workspace's store if either of its
ends is. A link of a symmetrical kind has its ends in a fixed order. A deleted memory keeps its links, so that `undo`
can restore it; a purged memory has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from sidecar.memories.drafts import Filters
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.results import Similar
from sidecar.memories.retrieval.searching import similar
from sidecar.memories.wording.contradiction import MAX_STATEMENT_CHARS, alternatives, contradicts, counter_query
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import LinkRecord, MemoryRecord

LINK_KINDS: Final = ("related", "extends", "supersedes", "contradicts", "sameEntity", "sequence")
SYMMETRICAL_KINDS: Final = frozenset(("related", "contradicts", "sameEntity"))
BY_SIMILARITY, BY_CONTRADICTION = "similar", "contradiction"
FOUND_ORIGINS: Final = (BY_SIMILARITY, BY_CONTRADICTION)  # origins of links that nobody made
_MAX_COMPARED = 20  # memories that are compared with a new text, for each query
_MAX_MATCHES_READ = 200  # best matches of a query from which they are taken

LinkStatus = Literal["created", "changed", "unchanged", "removed", "missing"]


class LinkedMemory(msgspec.Struct, frozen=True):
    """A link of a memory."""

    link: LinkRecord
    other: MemoryRecord  # the memory at the link's other end


class FoundLinks(NamedTuple):
    """What was found for a new or changed memory."""

    similar: tuple[Similar, ...]  # memories similar to its text
    store: MemoryStore  # where the links are changed
    new: list[LinkRecord]  # links to make
    obsolete: list[LinkRecord]  # links to drop


class MemoryLinks:
    """Makes, drops, finds and lists links between memories; returns the memories as the checkout sees them."""

    def __init__(self, catalogue: Catalogue, clock: Clock) -> None:
        self._catalogue = catalogue
        self._stores = self._workspace_store, self._user_store = catalogue.stores
        self._clock = clock

    def put(self, source: str, target: str, kind: str, strength: float, origin: str) -> tuple[LinkRecord, LinkStatus]:
        """Link two memories. Raises MemoryNotFound, InvalidField."""
        self._check(source, target, kind, strength)
        if source == target:
            raise InvalidField("A memory cannot be linked with itself.", path="$.to")
        link = new_link(source, target, kind, strength, origin, self._clock())
        with self._store_of(source, target).transaction() as transaction:
            existing = {_key(other): other for other in transaction.links(link.source)}
            old = existing.get(_key(link))
            if old is not None and old.strength == link.strength:
                return old, "unchanged"
            if kind not in SYMMETRICAL_KINDS:  # a link in the other direction no longer holds
                transaction.unlink(target, source, kind)
            transaction.link(link)
        return link, "created" if old is None else "changed"

    def remove(self, source: str, target: str, kind: str) -> LinkStatus:
        """Drop a link. Raises MemoryNotFound, InvalidField."""
        self._check(source, target, kind)
        source, target = _ordered(source, target, kind)
        with self._store_of(source, target).transaction() as transaction:
            return "removed" if transaction.unlink(source, target, kind) else "missing"

    def links_of(self, id: str, kinds: Collection[str] | None = None) -> list[LinkedMemory]:
        """Return a memory's links, oldest first, and the link to a memory it supersedes. Raises MemoryNotFound."""
        record = self._require(id, "$.id")
        links = {_key(link): link for store in reversed(self._stores) for link in store.links(id)}
        if record.supersedes is not None:
            implied = LinkRecord(
                source=id, target=record.supersedes, kind="supersedes", strength=1.0, at=record.created_at
            )
            links.setdefault(_key(implied), implied)
        memories_by_id: dict[str, MemoryRecord] = {}
        for store in reversed(self._stores):
            records = store.get_many({_other_end(link, id) for link in links.values()})
            memories_by_id |= {other.id: self._catalogue.view.judged(other, store) for other in records.values()}
        return [
            LinkedMemory(link, memories_by_id[_other_end(link, id)])
            for link in sorted(links.values(), key=lambda link: (link.at, *_key(link)))
            if (kinds is None or link.kind in kinds) and _other_end(link, id) in memories_by_id
        ]

    def connect(self, record: MemoryRecord, now: int) -> None:
        """Link a memory with memories that are similar or say the opposite."""
        self.store_found([self.find(record, record.content, now)])

    def find(self, record: MemoryRecord, text: str, now: int, *, is_new: bool = False) -> FoundLinks:
        """Return the links of a memory with memories that are similar to `text` or say the opposite.

        A new memory has no links yet. Raises StoreUnavailable.
        """
        store = self._catalogue.store_of(record.scope)
        with self._catalogue.current() as index:
            near = similar(index, store, record, text, now, (record.scope,))
            against = _contradicting(record, [other.id for other in near], index, store, now)
        new_links = {
            _key(link): link
            for link in (
                *(new_link(record.id, id, "contradicts", sure, BY_CONTRADICTION, now) for id, sure in against.items()),
                *(
                    new_link(record.id, other.id, "related", round(min(1.0, other.score), 4), BY_SIMILARITY, now)
                    for other in near
                    if other.id not in against
                ),
            )
        }
        existing = {} if is_new else {_key(link): link for link in store.links(record.id)}
        obsolete = [
            link
            for key, link in existing.items()
            if link.origin == BY_CONTRADICTION
            and key not in new_links
            and self._memory(_other_end(link, record.id)) is not None
        ]
        return FoundLinks(near, store, [link for key, link in new_links.items() if key not in existing], obsolete)

    def store_found(self, found_links: Collection[FoundLinks]) -> None:
        """Store the links that `find` returned, in one commit per store."""
        for store in self._stores:
            if not (
                of_store := [links for links in found_links if links.store is store and (links.new or links.obsolete)]
            ):
                continue
            with store.transaction() as transaction:
                for _, _, new, obsolete in of_store:
                    for link in obsolete:
                        transaction.unlink(link.source, link.target, link.kind)
                    for link in new:
                        if transaction.get(link.source) is not None and transaction.get(link.target) is not None:
                            transaction.link(link)

    def forget(self, id: str) -> None:
        for store in self._stores:
            if store.links(id):
                with store.transaction() as transaction:
                    transaction.drop_links(id)

    def _store_of(self, source: str, target: str) -> MemoryStore:
        both_users = self._user_store.get(source) is not None and self._user_store.get(target) is not None
        return self._user_store if both_users else self._workspace_store

    def _memory(self, id: str) -> MemoryRecord | None:
        return self._workspace_store.get(id) or self._user_store.get(id)

    def _check(self, source: str, target: str, kind: str, strength: float = 1.0) -> None:
        if kind not in LINK_KINDS:
            raise InvalidField(f"{kind!r} is not one of {', '.join(LINK_KINDS)}.", path="$.kind")
        if not 0.0 <= strength <= 1.0:
            raise InvalidField("A strength must be between 0 and 1.", path="$.strength")
        self._require(source, "$.from")
        self._require(target, "$.to")

    def _require(self, id: str, path: str) -> MemoryRecord:
        record = self._memory(id)
        if record is None:
            raise MemoryNotFound(f"No memory has the id {id}.", path=path)
        return record


def _contradicting(
    record: MemoryRecord, similar: Iterable[str], index: MemoryIndex, store: MemoryStore, now: int
) -> dict[str, float]:
    """Return the memories of the same scope, type and agent that contradict the record, each with its certainty."""
    visible = index.select(Filters(scopes=(record.scope,), types=(record.type,), agent=record.agent), now)

    def fits(id: str) -> bool:
        return id in visible.ids and id != record.id and index.rows[id].agent == record.agent

    if len(record.content) > MAX_STATEMENT_CHARS:
        return {}
    near = {id for id in similar if fits(id)}
    for words in (counter_query(record.content), " ".join(alternatives(record.content))):
        scores = index.words.search(words, limit=_MAX_MATCHES_READ) if words else {}
        best = sorted((-score, id) for id, score in scores.items())
        near.update(islice((id for _, id in best if fits(id)), _MAX_COMPARED))
    opposites = {}
    for id, other in store.get_many(sorted(near)).items():
        sure = contradicts(record.content, other.content)
        if sure is not None:
            opposites[id] = sure
    return opposites


def add_link(transaction: MemoryTransaction, link: LinkRecord) -> bool:
    """Add a link unless it exists; return whether it is new."""
    if link.source == link.target or _key(link) in map(_key, transaction.links(link.source)):
        return False
    transaction.link(link)
    return True


def new_link(source: str, target: str, kind: str, strength: float, origin: str, now: int) -> LinkRecord:
    """Return a link; if its kind is symmetrical, its ends are sorted."""
    source, target = _ordered(source, target, kind)
    return LinkRecord(source=source, target=target, kind=kind, strength=strength, at=now, origin=origin)


def carry_links(transaction: MemoryTransaction, source: str, target: str, *, back: bool = False) -> None:
    """Give one memory's links to another as well; `back` undoes an earlier call."""
    links = transaction.links(target)
    existing = {(link.source, link.target, link.kind) for link in links}
    for link in transaction.links(source):
        moved = replace(
            link,
            source=target if link.source == source else link.source,
            target=target if link.target == source else link.target,
        )
        if back:
            if moved in links:
                transaction.unlink(moved.source, moved.target, moved.kind)
        elif moved.source != moved.target and (moved.source, moved.target, moved.kind) not in existing:
            transaction.link(moved)


def _ordered(source: str, target: str, kind: str) -> tuple[str, str]:
    return (min(source, target), max(source, target)) if kind in SYMMETRICAL_KINDS else (source, target)


def _other_end(link: LinkRecord, id: str) -> str:
    return link.target if link.source == id else link.source


def _key(link: LinkRecord) -> tuple[str, str, str]:
    return link.source, link.target, link.kind
