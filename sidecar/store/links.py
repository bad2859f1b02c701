"""Links between memories. A link is stored under both of its ends, so that a memory's links are one range of rows.

The other end of a link may be in another store, or deleted: readers must check.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.store.codec import encode
from sidecar.store.records import LinkRecord
from sidecar.store.rows import Rows
from sidecar.store.tables import LINKS


def links_of_memory(rows: Rows, id: str) -> list[LinkRecord]:
    return sorted(LINKS.all(rows, id), key=_age)


def links_of_kinds(rows: Rows, kinds: Iterable[str]) -> list[LinkRecord]:
    wanted = frozenset(kinds)
    links = {(link.source, link.target, link.kind): link for link in LINKS.all(rows) if link.kind in wanted}
    return sorted(links.values(), key=_age)


def put(rows: Rows, link: LinkRecord) -> None:
    """Store a link in place of one with the same ends and kind; only inside a transaction."""
    for key in _keys(link.source, link.target, link.kind):
        rows.set(key, encode(link))


def remove(rows: Rows, source: str, target: str, kind: str) -> bool:
    """Drop a link; return whether it existed. Only inside a transaction."""
    return rows.delete_many(_keys(source, target, kind)) > 0


def drop(rows: Rows, id: str) -> list[str]:
    """Drop all links of a memory; return the memories at their other ends. Only inside a transaction."""
    others: list[str] = []
    for link in links_of_memory(rows, id):
        remove(rows, link.source, link.target, link.kind)
        others.append(link.target if link.source == id else link.source)
    return others


def _keys(source: str, target: str, kind: str) -> list[str]:
    """Return the link's two keys, one for each end; the mark after the kind gives the direction."""
    return [LINKS.key(source, target, f"{kind}>"), LINKS.key(target, source, f"{kind}<")]


def _age(link: LinkRecord) -> tuple[int, str, str, str]:
    return link.at, link.source, link.target, link.kind
