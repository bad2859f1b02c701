"""Read memories, versions and links from rows, inside or outside a transaction, and write links.

A link is stored under both of its ends, so that a memory's links are one range of rows. A reader must check that the
other end exists: it may be in another store, or deleted.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.store import keys
from sidecar.store.codec import encode
from sidecar.store.keys import MemoryKey, key_of
from sidecar.store.records import LinkRecord, MemoryRecord, VersionRecord
from sidecar.store.rows import Rows, prefix_end
from sidecar.store.tables import LINKS, MEMORIES, VERSIONS


def find(rows: Rows, key: MemoryKey) -> MemoryRecord | None:
    id = rows.get(keys.name_key(key))
    record = MEMORIES.get(rows, id) if isinstance(id, str) else None
    # Outside a transaction, somebody may rename the memory between the two reads.
    return record if record is not None and key_of(record) == key else None


def history(rows: Rows, id: str) -> list[VersionRecord]:
    return VERSIONS.all(rows, id, newest=True)


def ids_after(rows: Rows, id: str, limit: int, *, deleted: bool) -> list[str]:
    """Return ids of memories after `id`, in order; with `deleted`, also of memories that have only versions."""
    start = f"{keys.MEMORY}{id}\0" if id else keys.MEMORY
    entries = rows.range(start, prefix_end(keys.MEMORY), limit=limit)
    ids = [key.removeprefix(keys.MEMORY) for key, _ in entries]
    if not deleted:
        return ids
    past: list[str] = []
    last = id
    while len(past) < limit:
        # Skip the other versions of the last id: `prefix_end` is just beyond their keys.
        start = keys.HISTORY if not last else prefix_end(keys.version_prefix(last))
        row = next(iter(rows.range(start, prefix_end(keys.HISTORY), limit=1)), None)
        if row is None:
            break
        last = row[0].removeprefix(keys.HISTORY).partition(keys.SEPARATOR)[0]
        past.append(last)
    return sorted({*ids, *past})[:limit]


def links_of_memory(rows: Rows, id: str) -> list[LinkRecord]:
    return sorted(LINKS.all(rows, id), key=_by_age)


def links_of_kinds(rows: Rows, kinds: Iterable[str]) -> list[LinkRecord]:
    wanted = frozenset(kinds)
    links = {(link.source, link.target, link.kind): link for link in LINKS.all(rows) if link.kind in wanted}
    return sorted(links.values(), key=_by_age)


def put_link(rows: Rows, link: LinkRecord) -> None:
    """Store a link in place of one with the same ends and kind; only inside a transaction."""
    for key in _link_keys(link.source, link.target, link.kind):
        rows.set(key, encode(link))


def remove_link(rows: Rows, source: str, target: str, kind: str) -> bool:
    """Drop a link; return whether it existed. Only inside a transaction."""
    return rows.delete_many(_link_keys(source, target, kind)) > 0


def drop_links(rows: Rows, id: str) -> list[str]:
    """Drop all links of a memory; return the memories at their other ends. Only inside a transaction."""
    others: list[str] = []
    for link in links_of_memory(rows, id):
        remove_link(rows, link.source, link.target, link.kind)
        others.append(link.target if link.source == id else link.source)
    return others


def _link_keys(source: str, target: str, kind: str) -> list[str]:
    """Return the link's two keys, one for each end; the mark after the kind tells the direction."""
    return [LINKS.key(source, target, f"{kind}>"), LINKS.key(target, source, f"{kind}<")]


def _by_age(link: LinkRecord) -> tuple[int, str, str, str]:
    return link.at, link.source, link.target, link.kind
