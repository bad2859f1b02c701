"""A part that is created once, on first access, however many threads want it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class made_once(cached_property[T]):
    """A `cached_property` that no two threads create; on the class, `existing` returns the part without creating it."""

    def __init__(self, create: Callable[[Any], T]) -> None:
        super().__init__(create)
        self._creating = threading.RLock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        with self._creating:
            return super().__get__(instance, owner)

    def existing(self, instance: object) -> T | None:
        """Return the part if it was created already."""
        with self._creating:
            return vars(instance).get(str(self.attrname))

    def forget(self, instance: object) -> None:
        """Let the next access create the part anew."""
        with self._creating:
            vars(instance).pop(str(self.attrname), None)
