"""Find the handler of each method of the table, by name.

The parameters of `memory/inject` are defined in `protocol/memories.py`, so its handler is `memory_inject` of
`MemoriesHandler` in `handlers/memories.py`. A family of handlers, with its imports, is created on its first request:
most processes get few kinds of requests, and importing the other families would take half of a start.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from protocol.methods import METHODS
from sidecar.runtime.cancellation import Call

if TYPE_CHECKING:
    from sidecar.engine.batch import StepsHandler
    from sidecar.engine.handlers.family import Family
    from sidecar.engine.services import Services

Handler: TypeAlias = Callable[[Any, Call], msgspec.Struct]
"""Takes the parameters of its method and returns its result, None for a notification. Raises `SidecarError`."""


IN_STEPS: Final = frozenset(("memory/record",))
"""Methods whose consecutive requests share a commit: only the second of their steps depends on what another wrote."""


class Handlers:
    """The handlers of one engine. Thread-safe."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._families: dict[str, Family] = {}
        self._handlers: dict[str, Handler] = {}

    def in_steps(self, method: str) -> StepsHandler:
        """Return the handler of a method of `IN_STEPS` that answers one step at a time."""
        handler: StepsHandler = getattr(self._family(method), f"{METHODS[method].handler}_in_steps")
        return handler

    def of(self, method: str) -> Handler:
        handler = self._handlers.get(method)
        if handler is None:
            handler = self._handlers[method] = getattr(self._family(method), METHODS[method].handler)
        return handler

    def _family(self, method: str) -> Family:
        name = METHODS[method].params.__module__.rpartition(".")[2]
        with self._lock:
            if name not in self._families:
                module = importlib.import_module(f"sidecar.engine.handlers.{name}")
                self._families[name] = getattr(module, f"{name.capitalize()}Handler")(self._services)
            return self._families[name]
