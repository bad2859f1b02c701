"""Find the forge items that memories name: `#34`, `!12`, `&5`, `group/project!12`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple
from urllib.parse import quote, urlsplit

from sidecar.memories.index.entities import MARK, URL, Entity, EntityKey
from sidecar.memories.retrieval.overview import MarkedMemory
from sidecar.text.marks import mark_of_url
from sidecar.trackers.forge import Forge

TargetKind = Literal["issue", "mergeRequest", "epic"]

_MARK: Final = re.compile(r"(?P<namespace>[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*)?(?P<sign>[!#&])(?P<number>[1-9]\d{0,8})")
_KIND_BY_SIGN: Final[dict[str, TargetKind]] = {"#": "issue", "!": "mergeRequest", "&": "epic"}
_SIGN_BY_KIND: Final = {kind: sign for sign, kind in _KIND_BY_SIGN.items()}


class Target(NamedTuple):
    """One item of a forge. `namespace` is its project, for an epic its group."""

    kind: TargetKind
    namespace: str
    number: int

    @property
    def key(self) -> str:
        return f"{self.namespace}{_SIGN_BY_KIND[self.kind]}{self.number}"


def target_of(mark: str, forge: Forge) -> Target | None:
    """Return the item that a mark means in the forge's project; None if this forge has no such item."""
    match = _MARK.fullmatch(mark)
    if match is None:
        return None
    kind, namespace = _KIND_BY_SIGN[match["sign"]], match["namespace"]
    if forge.kind == "github" and (kind != "issue" or (namespace is not None and namespace.count("/") != 1)):
        return None  # on GitHub a pull request has the sign of an issue
    if namespace is None:
        namespace = forge.group if kind == "epic" else forge.project
    elif kind != "epic" and "/" not in namespace:
        return None
    if not namespace or any(part in (".", "..") for part in namespace.split("/")):
        return None
    return Target(kind, namespace, int(match["number"]))


def path_of(target: Target, forge: Forge) -> str:
    """Return the item's path in the API, from the slash on. GitLab's id is the path of a project or group."""
    if forge.kind == "github":
        owner, _, name = target.namespace.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}/issues/{target.number}"
    namespace = quote(target.namespace, safe="")
    if target.kind == "epic":
        return f"/groups/{namespace}/epics/{target.number}"
    name = "issues" if target.kind == "issue" else "merge_requests"
    return f"/projects/{namespace}/{name}/{target.number}"


@dataclass
class NamedItem:
    """An item, the memories that name it, its spellings there, and when the newest of them changed (epoch ms)."""

    target: Target
    newest_at: int = 0
    memories: set[str] = field(default_factory=set)
    entity_keys: set[EntityKey] = field(default_factory=set)

    def entity(self) -> Entity:
        bare = frozenset(key for key in self.entity_keys if key.text[:1] in "#!&")
        return Entity(self.target.key, MARK, frozenset(self.entity_keys), bare)


def named_items(marked: Iterable[MarkedMemory], forge: Forge) -> dict[str, NamedItem]:
    items: dict[str, NamedItem] = {}
    for memory in marked:
        foreign = foreign_marks(memory.entity_keys, forge)
        for key in memory.entity_keys:
            if key.kind != MARK or key.text in foreign or (memory.everywhere and key.text[:1] in "#!&"):
                continue
            target = target_of(key.text, forge)
            if target is None:
                continue
            item = items.setdefault(target.key, NamedItem(target))
            item.newest_at = max(item.newest_at, memory.at)
            item.memories.add(memory.id)
            item.entity_keys.add(key)
    return items


def foreign_marks(keys: Iterable[EntityKey], forge: Forge) -> set[str]:
    """Return those marks that the keys show, by URL, in other forges but not in this one."""
    own_marks: set[str] = set()
    elsewhere: set[str] = set()
    for key in keys:
        if key.kind == URL and (mark := mark_of_url(key.text)) is not None:
            (own_marks if _host(key.text) == forge.host else elsewhere).add(mark)
    return elsewhere - own_marks


def _host(url: str) -> str | None:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return None
