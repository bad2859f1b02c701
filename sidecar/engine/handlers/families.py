"""The table of handlers' families, each imported with its first request.

Most processes get few kinds of requests, and importing the other families would take half of a start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sidecar.engine.handlers.family import Family


def _candidates() -> type[Family]:
    from sidecar.engine.handlers.candidates import CandidatesHandler

    return CandidatesHandler


def _context() -> type[Family]:
    from sidecar.engine.handlers.context import ContextHandler

    return ContextHandler


def _events() -> type[Family]:
    from sidecar.engine.handlers.events import EventsHandler

    return EventsHandler


def _exchange() -> type[Family]:
    from sidecar.engine.handlers.exchange import ExchangeHandler

    return ExchangeHandler


def _files() -> type[Family]:
    from sidecar.engine.handlers.files import FilesHandler

    return FilesHandler


def _hooks() -> type[Family]:
    from sidecar.engine.handlers.hooks import HooksHandler

    return HooksHandler


def _links() -> type[Family]:
    from sidecar.engine.handlers.links import LinksHandler

    return LinksHandler


def _maintenance() -> type[Family]:
    from sidecar.engine.handlers.maintenance import MaintenanceHandler

    return MaintenanceHandler


def _memories() -> type[Family]:
    from sidecar.engine.handlers.memories import MemoriesHandler

    return MemoriesHandler


def _metrics() -> type[Family]:
    from sidecar.engine.handlers.metrics import MetricsHandler

    return MetricsHandler


def _reminders() -> type[Family]:
    from sidecar.engine.handlers.reminders import RemindersHandler

    return RemindersHandler


def _sessions() -> type[Family]:
    from sidecar.engine.handlers.sessions import SessionsHandler

    return SessionsHandler


def _stats() -> type[Family]:
    from sidecar.engine.handlers.stats import StatsHandler

    return StatsHandler


def _status() -> type[Family]:
    from sidecar.engine.handlers.status import StatusHandler

    return StatusHandler


def _transcripts() -> type[Family]:
    from sidecar.engine.handlers.transcripts import TranscriptsHandler

    return TranscriptsHandler


FAMILIES: Final[dict[str, Callable[[], type[Family]]]] = {
    "protocol.candidates": _candidates,
    "protocol.context": _context,
    "protocol.events": _events,
    "protocol.exchange": _exchange,
    "protocol.files": _files,
    "protocol.hooks": _hooks,
    "protocol.links": _links,
    "protocol.maintenance": _maintenance,
    "protocol.memories": _memories,
    "protocol.metrics": _metrics,
    "protocol.reminders": _reminders,
    "protocol.sessions": _sessions,
    "protocol.stats": _stats,
    "protocol.status": _status,
    "protocol.transcripts": _transcripts,
}
"""By the module that defines the parameters of the family's methods."""
