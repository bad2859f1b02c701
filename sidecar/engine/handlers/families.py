"""An engine's handlers, which its methods' rows name."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

from sidecar.engine.engine_parts import EngineParts


class Handlers:
    """One handler for each family of methods, imported and made with the family's first request. Thread-safe."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._handlers: dict[str, Any] = {}

    def of(self, family: str) -> Any:
        """Return the handler of a family: a `MemoriesHandler` of `memories.py` for `memories`."""
        if family not in self._handlers:
            with self._lock:
                if family not in self._handlers:
                    kind = getattr(import_module(f"sidecar.engine.handlers.{family}"), f"{family.title()}Handler")
                    self._handlers[family] = kind(self._parts)
        return self._handlers[family]
