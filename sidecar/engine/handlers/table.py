"""An engine's handlers, one for each family of methods."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from protocol.methods import METHODS, Method
from sidecar.engine.engine_parts import EngineParts
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.requests import Batch, Outcome


class Handling(NamedTuple):
    """How a handler answers one method; a method that shares commits is answered for several requests `together`."""

    one: Callable[..., msgspec.Struct | None]
    together: Callable[[Batch[Any], OpenWorkspace], Sequence[Outcome]] | None


class Handlers:
    """One handler for each family of methods, imported and made with the family's first request. Thread-safe."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._by_method: dict[str, Handling] = {}

    def of(self, method: Method) -> Handling:
        """Return how the method is answered: by a `MemoriesHandler` of `memories.py` for the family `memories`."""
        found = self._by_method.get(method.name)
        if found is None:
            with self._lock:
                if method.name not in self._by_method:
                    self._by_method |= self._make(method.family)
                found = self._by_method[method.name]
        return found

    def _make(self, family: str) -> dict[str, Handling]:
        handler = getattr(import_module(f"sidecar.engine.handlers.{family}"), f"{family.title()}Handler")(self._parts)
        methods = [method for method in METHODS.values() if method.sender == "client" and method.family == family]
        return {
            method.name: Handling(
                getattr(handler, method.handler), getattr(handler, f"{method.handler}_together", None)
            )
            for method in methods
        }
