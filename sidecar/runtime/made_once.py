"""A part of an object that is created on first access, and only once, however many threads ask for it."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class made_once(cached_property[T]):
    """A `cached_property` that creates its value only once, even if two threads ask for it at the same time.

    `Owner.part.existing(owner)` and `Owner.part.ready(owner)` return the value without creating it. Each part of each
    object has a lock of its own, so that a part that is slow to make delays no other part.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        if instance is None:
            return self
        name, parts = str(self.attrname), vars(instance)
        with self._lock_of(instance):
            if name not in parts:
                parts[name] = self.func(instance)
            part: T = parts[name]
            return part

    def existing(self, instance: object) -> T | None:
        """Return the part if it was created already. If another thread is creating it, wait for that."""
        with self._lock_of(instance):
            return vars(instance).get(str(self.attrname))

    def ready(self, instance: object) -> T | None:
        """Return the part if it was created already, without waiting for a thread that is creating it."""
        return vars(instance).get(str(self.attrname))

    def _lock_of(self, instance: object) -> threading.RLock:
        lock: threading.RLock = vars(instance).setdefault(f"_creating {self.attrname}", threading.RLock())
        return lock
