"""Find exactly the memories that name an issue, merge request, epic, user, URL, file or symbol.

Names are compared whole: `#12` is not `#123`, and `group/a!1` is not `group/b!1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeVar

from sidecar.store.records import MemoryRecord
from sidecar.text.lazy_patterns import lazy

EntityKind = Literal["mark", "user", "url", "file", "symbol"]
MARK: Final = "mark"
USER: Final = "user"
URL: Final = "url"
FILE: Final = "file"
SYMBOL: Final = "symbol"

_MARK = lazy(r"(?P<project>[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)+)?(?P<sign>[!#&])(?P<number>[1-9]\d{0,8})")
_GITHUB = lazy(r"(?i:gh)-([1-9]\d{0,8})")


class EntityKey(NamedTuple):
    kind: EntityKind
    text: str


class Entity(NamedTuple):
    """What a person asks about."""

    text: str
    kind: EntityKind
    keys: frozenset[EntityKey]  # the keys by which memories name it
    bare: frozenset[EntityKey] = frozenset()  # keys without a project (`#12`), which mean it in one project only


def entity(words: str, project: str | None = None, path: str | None = None) -> Entity:
    """Return the entity that `words` name, in this workspace's `project` (`group/name`) or as the file `path`."""
    text = " ".join(words.split())
    if "://" in text:
        from sidecar.text.marks import mark_of_url

        mark = mark_of_url(text)
        if mark is None:
            return Entity(text, URL, frozenset({EntityKey(URL, text)}))
        target = entity(mark, project)
        return target._replace(keys=target.keys | {EntityKey(URL, text)})
    if text.startswith("@") and len(text) > 1:
        return Entity(text, USER, frozenset({EntityKey(USER, text.lower())}))
    if number := _GITHUB.fullmatch(text):
        text = f"#{number[1]}"
    if mark_found := _MARK.fullmatch(text):
        owner, tail = mark_found["project"], f"{mark_found['sign']}{mark_found['number']}"
        if owner is not None and owner != project:
            return Entity(text, MARK, frozenset({EntityKey(MARK, text)}))
        full = frozenset({EntityKey(MARK, f"{project}{tail}")}) if project is not None else frozenset[EntityKey]()
        bare = frozenset({EntityKey(MARK, tail)})
        return Entity(text, MARK, full | bare, bare)
    symbol = text.removesuffix("()")
    keys = {EntityKey(SYMBOL, symbol)}
    if path is not None:
        keys.add(EntityKey(FILE, path))
    is_file = path is not None and ("/" in path or "." in path) and "::" not in text
    return Entity(path if is_file and path is not None else text, FILE if is_file else SYMBOL, frozenset(keys))


def keys_of(record: MemoryRecord) -> Iterator[EntityKey]:
    for name in record.entities:
        if "://" in name:
            yield EntityKey(URL, name)
        else:
            yield EntityKey(USER if name.startswith("@") else MARK, name)
    for path in record.files:
        yield EntityKey(FILE, path)
    for reference in record.references:
        if reference.symbol is not None:
            yield EntityKey(SYMBOL, reference.symbol)
            if reference.path is not None:
                yield EntityKey(SYMBOL, f"{reference.path}::{reference.symbol}")
                yield EntityKey(FILE, reference.path)
        elif reference.kind == "path":
            yield EntityKey(FILE, reference.path or reference.text)


K = TypeVar("K")


def discard(sets: dict[K, set[str]], key: K, id: str) -> None:
    """Remove an id from the set under `key`; drop a set that is then empty."""
    ids = sets[key]
    ids.discard(id)
    if not ids:
        del sets[key]


class EntityIndex:
    """The memories that name each entity. The part from a snapshot is decoded when first needed."""

    def __init__(self) -> None:
        self._ids: dict[EntityKey, set[str]] = {}
        self._keys: dict[str, tuple[EntityKey, ...]] = {}
        # By memory, since the snapshot; empty for a removed memory.
        self._changed_since: dict[str, tuple[EntityKey, ...]] = {}
        self._unread: list[Callable[[], dict[str, tuple[EntityKey, ...]]]] = []

    def add_unread(self, read: Callable[[], dict[str, tuple[EntityKey, ...]]]) -> None:
        """Add the memories that `read` returns, each with the entities that it names. `read` is called when needed."""
        self._unread.append(read)

    def put(self, record: MemoryRecord) -> None:
        self._set(record.id, tuple(dict.fromkeys(keys_of(record))))

    def drop(self, id: str) -> None:
        self._set(id, ())

    def naming(self, keys: Iterable[EntityKey]) -> set[str]:
        self._read()
        return set().union(*(self._ids.get(key, ()) for key in keys))

    def keys(self, id: str) -> tuple[EntityKey, ...]:
        self._read()
        return self._keys.get(id, ())

    def items(self) -> Iterator[tuple[EntityKey, set[str]]]:
        self._read()
        return iter(self._ids.items())

    def _read(self) -> None:
        while self._unread:
            for id, keys in self._unread.pop()().items():
                if id not in self._changed_since:
                    self._apply(id, keys)
        for id, keys in self._changed_since.items():
            self._apply(id, keys)
        self._changed_since.clear()

    def _set(self, id: str, keys: tuple[EntityKey, ...]) -> None:
        if self._unread:
            self._changed_since[id] = keys
        else:
            self._apply(id, keys)

    def _apply(self, id: str, keys: tuple[EntityKey, ...]) -> None:
        for key in self._keys.pop(id, ()):
            discard(self._ids, key, id)
        if keys:
            self._keys[id] = keys
            for key in keys:
                self._ids.setdefault(key, set()).add(id)
