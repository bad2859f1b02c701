"""The forge items that memories name, and when the newest of these memories changed.

Matching is exact: a mark that a memory has only from a URL at another host does not belong to this forge, and a bare
mark in a memory of all projects may belong to another project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sidecar.memories.entities import MARK, URL, Entity, EntityKey
from sidecar.memories.overview import Marked
from sidecar.text.marks import mark_of_url
from sidecar.trackers.forge import Forge
from sidecar.trackers.targets import Target, target_of


@dataclass
class NamedItem:
    """An item: which memories name it, in which spellings, and when the newest of them changed."""

    target: Target
    at: int = 0
    memories: set[str] = field(default_factory=set)
    things: set[EntityKey] = field(default_factory=set)

    def entity(self) -> Entity:
        bare = frozenset(thing for thing in self.things if thing.text[:1] in "#!&")
        return Entity(self.target.key, MARK, frozenset(self.things), bare)


def named_items(marked: Iterable[Marked], forge: Forge) -> dict[str, NamedItem]:
    """Return the items that memories name, by their keys with the project."""
    items: dict[str, NamedItem] = {}
    for memory in marked:
        foreign = foreign_marks(memory.things, forge)
        for thing in memory.things:
            if thing.kind != MARK or thing.text in foreign or (memory.everywhere and thing.text[:1] in "#!&"):
                continue
            target = target_of(thing.text, forge)
            if target is None:
                continue
            item = items.setdefault(target.key, NamedItem(target))
            item.at = max(item.at, memory.at)
            item.memories.add(memory.id)
            item.things.add(thing)
    return items


def foreign_marks(things: Iterable[EntityKey], forge: Forge) -> set[str]:
    """Return marks that come only from URLs at other hosts."""
    own_marks: set[str] = set()
    elsewhere: set[str] = set()
    for thing in things:
        if thing.kind == URL and (mark := mark_of_url(thing.text)) is not None:
            (own_marks if _host(thing.text) == forge.host else elsewhere).add(mark)
    return elsewhere - own_marks


def _host(url: str) -> str | None:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return None
