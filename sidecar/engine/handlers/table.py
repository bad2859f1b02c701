"""Which class answers each family of the protocol's methods, with one method of its own for each (`Method.handler`).

A handler is imported with its family's first request: a hook or a command makes one or two requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from protocol.methods import Method
from sidecar.engine.engine_parts import EngineParts


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
                    parts = self._parts
                    self._made[family] = _of_memories(family, parts) or _of_work(family, parts)
        answer_with: Callable[..., Any] = getattr(self._made[family], method.handler)
        return answer_with


def _of_memories(family: str, parts: EngineParts) -> object | None:
    """Return the handler of a family of methods about memories or the server, else None."""
    services = parts.services
    match family:
        case "memories":
            from sidecar.engine.handlers.memories import MemoriesHandler

            return MemoriesHandler(parts.lessons, services.source)
        case "candidates":
            from sidecar.engine.handlers.candidates import CandidatesHandler

            return CandidatesHandler(services.source)
        case "links":
            from sidecar.engine.handlers.links import LinksHandler

            return LinksHandler(services.source)
        case "maintenance":
            from sidecar.engine.handlers.maintenance import MaintenanceHandler

            return MaintenanceHandler(services.clock)
        case "stats":
            from sidecar.engine.handlers.stats import StatsHandler

            return StatsHandler(services.clock)
        case "interchange":
            from sidecar.engine.handlers.interchange import InterchangeHandler

            return InterchangeHandler(parts.lessons, services.clock, services.source)
        case "status":
            from sidecar.engine.handlers.status import StatusHandler

            return StatusHandler(services, parts.workspaces)
        case "metrics":
            from sidecar.engine.handlers.metrics import MetricsHandler
            from sidecar.engine.handlers.status import StatusHandler

            return MetricsHandler(parts.requests, parts.workspaces, StatusHandler(services, parts.workspaces))
    return None


def _of_work(family: str, parts: EngineParts) -> object:
    """Return the handler of a family of methods about files, or about what agents do."""
    services = parts.services
    match family:
        case "files":
            from sidecar.engine.handlers.files import FilesHandler

            return FilesHandler(parts.agent_sessions)
        case "context":
            from sidecar.engine.handlers.context import ContextHandler

            return ContextHandler(services.clock, parts.lessons)
        case "sessions":
            from sidecar.engine.handlers.sessions import SessionsHandler

            return SessionsHandler(services, parts.agent_sessions, parts.presence, parts.journals)
        case "events":
            from sidecar.engine.handlers.events import EventsHandler

            return EventsHandler(services.clock, parts.workspaces, parts.agent_sessions, parts.presence, parts.journals)
        case "reminders":
            from sidecar.engine.handlers.reminders import RemindersHandler

            return RemindersHandler(services.clock, services.new_id, services.source)
        case "transcripts":
            from sidecar.engine.handlers.transcripts import TranscriptsHandler

            return TranscriptsHandler(services.clock, parts.agent_sessions, parts.lessons)
        case "hooks":
            from sidecar.engine.handlers.hooks import HooksHandler

            return HooksHandler(parts.workspaces, services.clock)
    raise LookupError(f"No handler answers the family {family}.")
