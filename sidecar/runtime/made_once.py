"""A part that is made when it is first asked for, once however many threads ask."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Maker(Protocol):
    """What has such parts: its lock is held while one is made, and `_made` holds them by name."""

    _lock: threading.RLock
    _made: dict[str, Any]


class made_once(Generic[T]):
    """Decorates the method that makes the part, which is then read like an attribute."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __get__(self, owner: Maker, kind: type[Maker]) -> T:
        name = self._make.__name__
        with owner._lock:
            if name not in owner._made:
                owner._made[name] = self._make(owner)
            made: T = owner._made[name]
            return made
