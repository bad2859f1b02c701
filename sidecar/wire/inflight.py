"""Requests in flight. Each is settled exactly once: by its response, or by its cancellation.

A connection registers each request here and asks `settle` before it answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Self

from sidecar.runtime.cancellation import Call
from sidecar.wire.messages import Id


class Pending:
    """One request in flight. `on_cancel` is called once if the request is cancelled. Nobody waits for a slow one."""

    __slots__ = ("call", "id", "is_slow", "method", "on_cancel", "settled")

    def __init__(
        self,
        id: Id,
        method: str,
        *,
        by_person: bool = False,
        is_slow: bool = False,
        on_cancel: Callable[[], object] | None = None,
    ) -> None:
        self.is_slow = is_slow
        self.id = id
        self.method = method
        self.call = Call(by_person=by_person)
        self.settled = False
        self.on_cancel = on_cancel

    @classmethod
    def answered(cls, id: Id, method: str) -> Self:
        """Return a request that was answered before it could be registered."""
        pending = cls(id, method)
        pending.settled = True
        return pending


class InFlight:
    """The requests of one connection by id. Only whoever settles a request may answer it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[Id, Pending] = {}

    def register(self, pending: Pending) -> bool:
        """Register a request; return False if its id is already in use."""
        with self._lock:
            return self._pending.setdefault(pending.id, pending) is pending

    def settle(self, pending: Pending) -> bool:
        """Return True, exactly once, if the caller may answer. The id is free again afterwards."""
        with self._lock:
            if pending.settled:
                return False
            pending.settled = True
            del self._pending[pending.id]
            return True

    def get(self, id: Id) -> Pending | None:
        with self._lock:
            return self._pending.get(id)

    def all(self) -> list[Pending]:
        """Return every request in flight, oldest first."""
        with self._lock:
            return list(self._pending.values())
