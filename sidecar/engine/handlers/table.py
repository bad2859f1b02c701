"""Which class answers each family of the protocol's methods, with one method of its own for each (`Method.handler`).

A handler is imported with its family's first request: a hook or a command makes one or two requests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol.methods import Method
from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.engine.handlers.status import StatusHandler


class Handlers:
    """The handlers of one engine: one attribute for each family of methods. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, method: Method) -> Callable[..., Any]:
        """Return what answers the method's requests; of one that groups commits, a batch of them."""
        answer_with: Callable[..., Any] = getattr(getattr(self, method.family), method.handler)
        return answer_with

    # -- memories and the server -----------------------------------------------------------------------------

    @made_once
    def memories(self) -> object:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self._engine.lessons, self._engine.services.source)

    @made_once
    def candidates(self) -> object:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self._engine.services.source)

    @made_once
    def links(self) -> object:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self._engine.services.source)

    @made_once
    def maintenance(self) -> object:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self._engine.services.clock)

    @made_once
    def stats(self) -> object:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self._engine.services.clock)

    @made_once
    def interchange(self) -> object:
        from sidecar.engine.handlers.interchange import InterchangeHandler

        services = self._engine.services
        return InterchangeHandler(self._engine.lessons, services.clock, services.source)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self._engine.services, self._engine.workspaces)

    @made_once
    def metrics(self) -> object:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self._engine.figures, self._engine.workspaces, self.status)

    # -- files, and what agents do ---------------------------------------------------------------------------

    @made_once
    def files(self) -> object:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self._engine.agent_sessions)

    @made_once
    def context(self) -> object:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self._engine.services.clock, self._engine.lessons)

    @made_once
    def sessions(self) -> object:
        from sidecar.engine.handlers.sessions import SessionsHandler

        engine, services = self._engine, self._engine.services
        return SessionsHandler(
            services.clock,
            services.source,
            services.options.process,
            engine.agent_sessions,
            engine.presence,
            engine.journals,
        )

    @made_once
    def events(self) -> object:
        from sidecar.engine.handlers.events import EventsHandler

        engine, clock = self._engine, self._engine.services.clock
        return EventsHandler(clock, engine.workspaces, engine.agent_sessions, engine.presence, engine.journals)

    @made_once
    def reminders(self) -> object:
        from sidecar.engine.handlers.reminders import RemindersHandler

        services = self._engine.services
        return RemindersHandler(services.clock, services.new_id, services.source)

    @made_once
    def transcripts(self) -> object:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        engine = self._engine
        return TranscriptsHandler(engine.services.clock, engine.agent_sessions, engine.lessons)

    @made_once
    def hooks(self) -> object:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self._engine.workspaces, self._engine.services.clock)
