"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.engine_parts import EngineParts
    from sidecar.engine.handlers.candidates import CandidatesHandler
    from sidecar.engine.handlers.context import ContextHandler
    from sidecar.engine.handlers.events import EventsHandler
    from sidecar.engine.handlers.exchange import ExchangeHandler
    from sidecar.engine.handlers.files import FilesHandler
    from sidecar.engine.handlers.hooks import HooksHandler
    from sidecar.engine.handlers.links import LinksHandler
    from sidecar.engine.handlers.maintenance import MaintenanceHandler
    from sidecar.engine.handlers.memories import MemoriesHandler
    from sidecar.engine.handlers.metrics import MetricsHandler
    from sidecar.engine.handlers.reminders import RemindersHandler
    from sidecar.engine.handlers.sessions import SessionsHandler
    from sidecar.engine.handlers.stats import StatsHandler
    from sidecar.engine.handlers.status import StatusHandler
    from sidecar.engine.handlers.transcripts import TranscriptsHandler


class Handlers:
    """The handlers of an engine, each imported and made with its first request. Thread-safe."""

    def __init__(self, engine: EngineParts) -> None:
        self._engine = engine

    @made_once
    def candidates(self) -> CandidatesHandler:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self._engine)

    @made_once
    def context(self) -> ContextHandler:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self._engine)

    @made_once
    def events(self) -> EventsHandler:
        from sidecar.engine.handlers.events import EventsHandler

        return EventsHandler(self._engine)

    @made_once
    def exchange(self) -> ExchangeHandler:
        from sidecar.engine.handlers.exchange import ExchangeHandler

        return ExchangeHandler(self._engine)

    @made_once
    def files(self) -> FilesHandler:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self._engine)

    @made_once
    def hooks(self) -> HooksHandler:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self._engine)

    @made_once
    def links(self) -> LinksHandler:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self._engine)

    @made_once
    def maintenance(self) -> MaintenanceHandler:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self._engine)

    @made_once
    def memories(self) -> MemoriesHandler:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self._engine)

    @made_once
    def metrics(self) -> MetricsHandler:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self._engine)

    @made_once
    def reminders(self) -> RemindersHandler:
        from sidecar.engine.handlers.reminders import RemindersHandler

        return RemindersHandler(self._engine)

    @made_once
    def sessions(self) -> SessionsHandler:
        from sidecar.engine.handlers.sessions import SessionsHandler

        return SessionsHandler(self._engine)

    @made_once
    def stats(self) -> StatsHandler:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self._engine)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self._engine)

    @made_once
    def transcripts(self) -> TranscriptsHandler:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        return TranscriptsHandler(self._engine)


ANSWERS: dict[str, Callable[[Handlers], Callable[..., Any]]] = {
    "memory/record": lambda handlers: handlers.memories.memory_record,
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
    "memory/export": lambda handlers: handlers.exchange.memory_export,
    "memory/import": lambda handlers: handlers.exchange.memory_import,
    "memory/bootstrap": lambda handlers: handlers.exchange.memory_bootstrap,
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
    "event/toolCall": lambda handlers: handlers.events.event_tool_call,
    "event/toolResult": lambda handlers: handlers.events.event_tool_result,
    "event/userMessage": lambda handlers: handlers.events.event_user_message,
    "event/reasoning": lambda handlers: handlers.events.event_reasoning,
    "event/compaction": lambda handlers: handlers.events.event_compaction,
    "file/recordRead": lambda handlers: handlers.files.file_record_read,
    "file/observe": lambda handlers: handlers.files.file_observe,
    "file/handoff": lambda handlers: handlers.files.file_handoff,
    "file/search": lambda handlers: handlers.files.file_search,
    "workspace/repoMap": lambda handlers: handlers.files.workspace_repo_map,
    "sidecar/status": lambda handlers: handlers.status.sidecar_status,
    "sidecar/metrics": lambda handlers: handlers.metrics.sidecar_metrics,
    "hooks/verify": lambda handlers: handlers.hooks.hooks_verify,
    "hooks/run": lambda handlers: handlers.hooks.hooks_run,
}
