"""Which class answers each family of the protocol's methods, with one method of its own for each (`Method.handler`).

A handler is imported with its family's first request: a hook or a command makes one or two requests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol.methods import Method
from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.agent_sessions import AgentSessions
    from sidecar.engine.handlers.status import StatusHandler
    from sidecar.engine.lesson_storer import LessonStorer
    from sidecar.engine.requests import RequestMetrics
    from sidecar.engine.server_journals import ServerJournals
    from sidecar.engine.services import Services
    from sidecar.engine.session_presence import SessionPresence
    from sidecar.engine.workspaces import Workspaces


class Handlers:
    """The handlers of one engine: one attribute for each family of methods. Thread-safe."""

    def __init__(
        self,
        services: Services,
        metrics: RequestMetrics,
        presence: SessionPresence,
        workspaces: Workspaces,
        lessons: LessonStorer,
        agent_sessions: AgentSessions,
        journals: ServerJournals | None,
    ) -> None:
        self._services = services
        self._request_metrics = metrics
        self._presence = presence
        self._workspaces = workspaces
        self._lessons = lessons
        self._agent_sessions = agent_sessions
        self._journals = journals

    def of(self, method: Method) -> Callable[..., Any]:
        """Return what answers the method's requests; of one that groups commits, a batch of them."""
        answer_with: Callable[..., Any] = getattr(getattr(self, method.family), method.handler)
        return answer_with

    # -- memories and the server -----------------------------------------------------------------------------

    @made_once
    def memories(self) -> object:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self._lessons, self._services.source)

    @made_once
    def candidates(self) -> object:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self._services.source)

    @made_once
    def links(self) -> object:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self._services.source)

    @made_once
    def maintenance(self) -> object:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self._services.clock)

    @made_once
    def stats(self) -> object:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self._services.clock)

    @made_once
    def interchange(self) -> object:
        from sidecar.engine.handlers.interchange import InterchangeHandler

        services = self._services
        return InterchangeHandler(self._lessons, services.clock, services.source)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self._services, self._workspaces)

    @made_once
    def metrics(self) -> object:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self._request_metrics, self._workspaces, self.status)

    # -- files, and what agents do ---------------------------------------------------------------------------

    @made_once
    def files(self) -> object:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self._agent_sessions)

    @made_once
    def context(self) -> object:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self._services.clock, self._lessons)

    @made_once
    def sessions(self) -> object:
        from sidecar.engine.handlers.sessions import SessionsHandler

        services = self._services
        process = services.options.process
        return SessionsHandler(
            services.clock, services.source, process, self._agent_sessions, self._presence, self._journals
        )

    @made_once
    def events(self) -> object:
        from sidecar.engine.handlers.events import EventsHandler

        clock = self._services.clock
        return EventsHandler(clock, self._workspaces, self._agent_sessions, self._presence, self._journals)

    @made_once
    def reminders(self) -> object:
        from sidecar.engine.handlers.reminders import RemindersHandler

        services = self._services
        return RemindersHandler(services.clock, services.new_id, services.source)

    @made_once
    def transcripts(self) -> object:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        return TranscriptsHandler(self._services.clock, self._agent_sessions, self._lessons)

    @made_once
    def hooks(self) -> object:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self._workspaces, self._services.clock)
