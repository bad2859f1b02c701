"""Which class answers each family of the protocol's methods, with one method of its own for each (`Method.handler`).

A handler is imported with its family's first request: a hook or a command makes one or two requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from protocol.methods import Method
from sidecar.engine.engine_parts import EngineParts

HANDLERS: Final = {
    "memories": "MemoriesHandler",
    "candidates": "CandidatesHandler",
    "status": "StatusHandler",
    "links": "LinksHandler",
    "maintenance": "MaintenanceHandler",
    "stats": "StatsHandler",
    "interchange": "InterchangeHandler",
    "files": "FilesHandler",
    "sessions": "SessionsHandler",
    "transcripts": "TranscriptsHandler",
    "reminders": "RemindersHandler",
    "context": "ContextHandler",
    "events": "EventsHandler",
    "metrics": "MetricsHandler",
    "hooks": "HooksHandler",
}
"""The class of each family, in the module of `sidecar.engine.handlers` that has the family's name."""


class Handlers:
    """One handler for each family of methods, made with the family's first request. Thread-safe."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._made: dict[str, object] = {}

    def of(self, method: Method) -> Callable[..., Any]:
        """Return what answers the method's requests; of one that shares commits, a batch of them."""
        family = method.family
        if family not in self._made:  # looked up without the lock, which is held during an import
            with self._lock:
                if family not in self._made:
                    module = import_module(f"sidecar.engine.handlers.{family}")
                    self._made[family] = getattr(module, HANDLERS[family])(self._parts)
        answer_with: Callable[..., Any] = getattr(self._made[family], method.handler)
        return answer_with
