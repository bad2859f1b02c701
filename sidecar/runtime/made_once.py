"""A part that is created once, on first access, however many threads ask for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Maker(Protocol):
    """The owner of such parts: `_made` holds them by name, and `_lock` is held while one is created."""

    _lock: threading.RLock
    _made: dict[str, Any]


class made_once(Generic[T]):
    """Turns the method that creates a part into an attribute."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __get__(self, owner: Maker, kind: type[Maker]) -> T:
        name = self._make.__name__
        with owner._lock:
            if name not in owner._made:
                owner._made[name] = self._make(owner)
            made: T = owner._made[name]
            return made
