"""A part that is created once, on first access, however many threads ask for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar, cast, overload

T = TypeVar("T")


class Maker(Protocol):
    """Holds what was created, by descriptor; the lock is held while a part is created."""

    @property
    def _lock(self) -> threading.RLock: ...

    @property
    def _made(self) -> dict[object, Any]: ...


class made_once(Generic[T]):
    """Turns the method that creates a part into an attribute; on the class, `existing` asks without creating it."""

    def __init__(self, create: Callable[[Any], T]) -> None:
        self._create = create

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> Self: ...

    @overload
    def __get__(self, owner: Maker, kind: type[Any]) -> T: ...

    def __get__(self, owner: Maker | None, kind: type[Any]) -> Self | T:
        if owner is None:
            return self
        with owner._lock:
            if self not in owner._made:
                owner._made[self] = self._create(owner)
            return cast(T, owner._made[self])

    def existing(self, owner: Maker) -> T | None:
        """Return the part if it was created already."""
        with owner._lock:
            return owner._made.get(self)
