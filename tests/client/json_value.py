"""Decoded JSON as tests read it."""

from __future__ import annotations

import json
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Protocol, SupportsIndex, cast


class Json(Protocol):
    """A value of a decoded document, with what a test asks of one; `str()`, `int()` and `dict()` give plain types."""

    def __getitem__(self, key: str | SupportsIndex | slice, /) -> Json: ...

    def __iter__(self) -> Iterator[Json]: ...

    def __len__(self) -> int: ...

    def __contains__(self, item: object, /) -> bool: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __lt__(self, other: object, /) -> bool: ...

    def __le__(self, other: object, /) -> bool: ...

    def __gt__(self, other: object, /) -> bool: ...

    def __ge__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __int__(self) -> int: ...

    def __index__(self) -> int: ...

    def __float__(self) -> float: ...

    def get(self, key: str, default: object = None, /) -> Json: ...

    def keys(self) -> KeysView[str]: ...

    def items(self) -> ItemsView[str, Json]: ...

    def values(self) -> ValuesView[Json]: ...

    def startswith(self, prefix: str, /) -> bool: ...

    def endswith(self, suffix: str, /) -> bool: ...

    def split(self, separator: str | None = None, maxsplit: SupportsIndex = -1, /) -> list[str]: ...

    def splitlines(self) -> list[str]: ...

    def strip(self) -> str: ...

    def partition(self, separator: str, /) -> tuple[str, str, str]: ...

    def count(self, part: object, /) -> int: ...


def fields(value: Json, *paths: str) -> tuple[object, ...]:
    """Return the values at paths such as `data.reason`, to be compared with a tuple."""
    found: list[object] = []
    for path in paths:
        part = value
        for name in path.split("."):
            part = part[name]
        found.append(part)
    return tuple(found)


def document(text: str | bytes) -> Json:
    """Decode a document."""
    found: Json = json.loads(text)
    return found


def changed(value: Json, **changes: object) -> Json:
    """Return an object with other values for some of its keys."""
    return cast(Json, {**dict(value.items()), **changes})
