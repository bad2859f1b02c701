"""The families of handlers, each imported with its first request.

Most processes get few kinds of requests, and importing the other families would take half of a start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.engine.handlers.family import Family
    from sidecar.engine.services import Services


def make_family(module: str, services: Services) -> Family:
    """Return the family that handles the methods whose parameters a module of `protocol` defines."""
    match module.removeprefix("protocol."):
        case "candidates":
            from sidecar.engine.handlers.candidates import CandidatesHandler

            return CandidatesHandler(services)
        case "context":
            from sidecar.engine.handlers.context import ContextHandler

            return ContextHandler(services)
        case "events":
            from sidecar.engine.handlers.events import EventsHandler

            return EventsHandler(services)
        case "exchange":
            from sidecar.engine.handlers.exchange import ExchangeHandler

            return ExchangeHandler(services)
        case "files":
            from sidecar.engine.handlers.files import FilesHandler

            return FilesHandler(services)
        case "hooks":
            from sidecar.engine.handlers.hooks import HooksHandler

            return HooksHandler(services)
        case "links":
            from sidecar.engine.handlers.links import LinksHandler

            return LinksHandler(services)
        case "maintenance":
            from sidecar.engine.handlers.maintenance import MaintenanceHandler

            return MaintenanceHandler(services)
        case "memories":
            from sidecar.engine.handlers.memories import MemoriesHandler

            return MemoriesHandler(services)
        case "metrics":
            from sidecar.engine.handlers.metrics import MetricsHandler

            return MetricsHandler(services)
        case "reminders":
            from sidecar.engine.handlers.reminders import RemindersHandler

            return RemindersHandler(services)
        case "sessions":
            from sidecar.engine.handlers.sessions import SessionsHandler

            return SessionsHandler(services)
        case "stats":
            from sidecar.engine.handlers.stats import StatsHandler

            return StatsHandler(services)
        case "status":
            from sidecar.engine.handlers.status import StatusHandler

            return StatusHandler(services)
        case "transcripts":
            from sidecar.engine.handlers.transcripts import TranscriptsHandler

            return TranscriptsHandler(services)
    raise LookupError(f"No family handles {module}.")
