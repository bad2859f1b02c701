"""Find the handler of each method of the table.

The parameters of `memory/inject` are defined in `protocol/memories.py`, so its handler is `memory_inject` of the family
that `families.py` names for that module.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from protocol.methods import METHODS
from sidecar.engine.handlers.families import FAMILIES
from sidecar.runtime.cancellation import Call

if TYPE_CHECKING:
    from sidecar.engine.batch import StepsHandler
    from sidecar.engine.handlers.family import Family
    from sidecar.engine.services import Services

MethodHandler: TypeAlias = Callable[[Any, Call], msgspec.Struct]
"""Takes the parameters of its method and returns its result, None for a notification. Raises `SidecarError`."""


class Handlers:
    """The handlers of one engine. Thread-safe."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._families: dict[str, Family] = {}
        self._handlers: dict[str, MethodHandler] = {}

    def in_steps(self, method: str) -> StepsHandler:
        """Return the handler, in steps, of a method whose consecutive requests share a commit."""
        handler: StepsHandler = getattr(self._family(method), f"{METHODS[method].handler}_in_steps")
        return handler

    def of(self, method: str) -> MethodHandler:
        handler = self._handlers.get(method)
        if handler is None:
            handler = self._handlers[method] = getattr(self._family(method), METHODS[method].handler)
        return handler

    def _family(self, method: str) -> Family:
        module = METHODS[method].params.__module__
        with self._lock:
            if module not in self._families:
                self._families[module] = FAMILIES[module]()(self._services)
            return self._families[module]
