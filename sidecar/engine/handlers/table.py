"""Which method of which handler answers each method of the protocol.

A handler is imported with the first request that it answers: a hook or a command makes one or two requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.agent_sessions import AgentSessions
    from sidecar.engine.handlers.candidates import CandidatesHandler
    from sidecar.engine.handlers.context import ContextHandler
    from sidecar.engine.handlers.events import EventsHandler
    from sidecar.engine.handlers.files import FilesHandler
    from sidecar.engine.handlers.hooks import HooksHandler
    from sidecar.engine.handlers.interchange import InterchangeHandler
    from sidecar.engine.handlers.links import LinksHandler
    from sidecar.engine.handlers.maintenance import MaintenanceHandler
    from sidecar.engine.handlers.memories import MemoriesHandler
    from sidecar.engine.handlers.metrics import MetricsHandler
    from sidecar.engine.handlers.reminders import RemindersHandler
    from sidecar.engine.handlers.sessions import SessionsHandler
    from sidecar.engine.handlers.stats import StatsHandler
    from sidecar.engine.handlers.status import StatusHandler
    from sidecar.engine.handlers.transcripts import TranscriptsHandler
    from sidecar.engine.lesson_storer import LessonStorer
    from sidecar.engine.open_workspace import OpenWorkspace
    from sidecar.engine.requests import ActiveRequests, Batch
    from sidecar.engine.server_journals import ServerJournals
    from sidecar.engine.services import Services
    from sidecar.engine.session_presence import SessionPresence
    from sidecar.engine.workspaces import Workspaces
    from sidecar.runtime.cancellation import Context


InWorkspace = Callable[[Any, "OpenWorkspace", "Context"], msgspec.Struct | None]
"""Answers a request, given its parameters and the workspace that it is about."""

OverAll = Callable[[Any, "Context"], msgspec.Struct | None]
"""Answers a request that is about no single workspace, or takes in a notification."""

Together = Callable[["Batch[Any]", "OpenWorkspace"], Sequence[msgspec.Struct | BaseException]]
"""Answers requests about one workspace that share a commit: a result or an error for each, in order."""


class Handlers:
    """The handlers of one engine, each made on first access. Thread-safe."""

    def __init__(
        self,
        services: Services,
        requests: ActiveRequests,
        presence: SessionPresence,
        workspaces: Workspaces,
        lessons: LessonStorer,
        agent_sessions: AgentSessions,
        journals: ServerJournals | None,
    ) -> None:
        self._services = services
        self._requests = requests
        self._presence = presence
        self._workspaces = workspaces
        self._lessons = lessons
        self._agent_sessions = agent_sessions
        self._journals = journals

    # -- memories and the server -----------------------------------------------------------------------------

    @made_once
    def memories(self) -> MemoriesHandler:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self._lessons, self._services.source)

    @made_once
    def candidates(self) -> CandidatesHandler:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self._services.source)

    @made_once
    def links(self) -> LinksHandler:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self._services.source)

    @made_once
    def maintenance(self) -> MaintenanceHandler:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self._services.clock)

    @made_once
    def stats(self) -> StatsHandler:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self._services.clock)

    @made_once
    def interchange(self) -> InterchangeHandler:
        from sidecar.engine.handlers.interchange import InterchangeHandler

        services = self._services
        return InterchangeHandler(self._lessons, services.clock, services.source)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self._services, self._workspaces)

    @made_once
    def metrics(self) -> MetricsHandler:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self._requests, self._workspaces, self.status)

    # -- files, and what agents do ---------------------------------------------------------------------------

    @made_once
    def files(self) -> FilesHandler:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self._agent_sessions)

    @made_once
    def context(self) -> ContextHandler:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self._services.clock, self._lessons)

    @made_once
    def sessions(self) -> SessionsHandler:
        from sidecar.engine.handlers.sessions import SessionsHandler

        services = self._services
        process = services.options.process
        return SessionsHandler(
            services.clock, services.source, process, self._agent_sessions, self._presence, self._journals
        )

    @made_once
    def events(self) -> EventsHandler:
        from sidecar.engine.handlers.events import EventsHandler

        clock = self._services.clock
        return EventsHandler(clock, self._workspaces, self._agent_sessions, self._presence, self._journals)

    @made_once
    def reminders(self) -> RemindersHandler:
        from sidecar.engine.handlers.reminders import RemindersHandler

        services = self._services
        return RemindersHandler(services.clock, services.new_id, services.source)

    @made_once
    def transcripts(self) -> TranscriptsHandler:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        return TranscriptsHandler(self._services.clock, self._agent_sessions, self._lessons)

    @made_once
    def hooks(self) -> HooksHandler:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self._workspaces, self._services.clock)


IN_WORKSPACE: Final[dict[str, Callable[[Handlers], InWorkspace]]] = {
    "memory/inject": lambda handlers: handlers.memories.memory_inject,
    "memory/explain": lambda handlers: handlers.memories.memory_explain,
    "memory/search": lambda handlers: handlers.memories.memory_search,
    "memory/get": lambda handlers: handlers.memories.memory_get,
    "memory/list": lambda handlers: handlers.memories.memory_list,
    "memory/update": lambda handlers: handlers.memories.memory_update,
    "memory/archive": lambda handlers: handlers.memories.memory_archive,
    "memory/rate": lambda handlers: handlers.memories.memory_rate,
    "memory/restore": lambda handlers: handlers.memories.memory_restore,
    "memory/delete": lambda handlers: handlers.memories.memory_delete,
    "memory/history": lambda handlers: handlers.memories.memory_history,
    "memory/undo": lambda handlers: handlers.memories.memory_undo,
    "memory/redo": lambda handlers: handlers.memories.memory_redo,
    "memory/candidates": lambda handlers: handlers.candidates.memory_candidates,
    "memory/confirm": lambda handlers: handlers.candidates.memory_confirm,
    "memory/reject": lambda handlers: handlers.candidates.memory_reject,
    "memory/file": lambda handlers: handlers.status.memory_file,
    "memory/link": lambda handlers: handlers.links.memory_link,
    "memory/links": lambda handlers: handlers.links.memory_links,
    "memory/verify": lambda handlers: handlers.memories.memory_verify,
    "memory/promote": lambda handlers: handlers.maintenance.memory_promote,
    "memory/resolve": lambda handlers: handlers.memories.memory_resolve,
    "memory/reopen": lambda handlers: handlers.memories.memory_reopen,
    "memory/maintain": lambda handlers: handlers.maintenance.memory_maintain,
    "memory/stats": lambda handlers: handlers.stats.memory_stats,
    "memory/export": lambda handlers: handlers.interchange.memory_export,
    "memory/import": lambda handlers: handlers.interchange.memory_import,
    "memory/bootstrap": lambda handlers: handlers.interchange.memory_bootstrap,
    "file/summary": lambda handlers: handlers.files.file_summary,
    "session/start": lambda handlers: handlers.sessions.session_start,
    "session/heartbeat": lambda handlers: handlers.sessions.session_heartbeat,
    "session/end": lambda handlers: handlers.sessions.session_end,
    "session/list": lambda handlers: handlers.sessions.session_list,
    "session/claim": lambda handlers: handlers.sessions.session_claim,
    "session/release": lambda handlers: handlers.sessions.session_release,
    "session/import": lambda handlers: handlers.transcripts.session_import,
    "reminder/set": lambda handlers: handlers.reminders.reminder_set,
    "reminder/clear": lambda handlers: handlers.reminders.reminder_clear,
    "reminder/advance": lambda handlers: handlers.reminders.reminder_advance,
    "reminder/list": lambda handlers: handlers.reminders.reminder_list,
    "context/boot": lambda handlers: handlers.context.context_boot,
    "context/entity": lambda handlers: handlers.context.context_entity,
    "context/close": lambda handlers: handlers.context.context_close,
    "file/recordRead": lambda handlers: handlers.files.file_record_read,
    "file/observe": lambda handlers: handlers.files.file_observe,
    "file/handoff": lambda handlers: handlers.files.file_handoff,
    "file/search": lambda handlers: handlers.files.file_search,
    "workspace/repoMap": lambda handlers: handlers.files.workspace_repo_map,
}

OVER_ALL: Final[dict[str, Callable[[Handlers], OverAll]]] = {
    "event/toolCall": lambda handlers: handlers.events.event_tool_call,
    "event/toolResult": lambda handlers: handlers.events.event_tool_result,
    "event/userMessage": lambda handlers: handlers.events.event_user_message,
    "event/reasoning": lambda handlers: handlers.events.event_reasoning,
    "event/compaction": lambda handlers: handlers.events.event_compaction,
    "sidecar/status": lambda handlers: handlers.status.sidecar_status,
    "sidecar/metrics": lambda handlers: handlers.metrics.sidecar_metrics,
    "hooks/verify": lambda handlers: handlers.hooks.hooks_verify,
    "hooks/run": lambda handlers: handlers.hooks.hooks_run,
}

TOGETHER: Final[dict[str, Callable[[Handlers], Together]]] = {
    "memory/record": lambda handlers: handlers.memories.memory_record
}
