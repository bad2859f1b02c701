"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sidecar.engine.engine_parts import EngineParts
from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
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
    """An engine's handlers, one for each family of methods, imported and made with its first request. Thread-safe."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts

    @made_once
    def candidates(self) -> CandidatesHandler:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self._parts)

    @made_once
    def context(self) -> ContextHandler:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self._parts)

    @made_once
    def events(self) -> EventsHandler:
        from sidecar.engine.handlers.events import EventsHandler

        return EventsHandler(self._parts)

    @made_once
    def exchange(self) -> ExchangeHandler:
        from sidecar.engine.handlers.exchange import ExchangeHandler

        return ExchangeHandler(self._parts)

    @made_once
    def files(self) -> FilesHandler:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self._parts)

    @made_once
    def hooks(self) -> HooksHandler:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self._parts)

    @made_once
    def links(self) -> LinksHandler:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self._parts)

    @made_once
    def maintenance(self) -> MaintenanceHandler:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self._parts)

    @made_once
    def memories(self) -> MemoriesHandler:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self._parts)

    @made_once
    def metrics(self) -> MetricsHandler:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self._parts)

    @made_once
    def reminders(self) -> RemindersHandler:
        from sidecar.engine.handlers.reminders import RemindersHandler

        return RemindersHandler(self._parts)

    @made_once
    def sessions(self) -> SessionsHandler:
        from sidecar.engine.handlers.sessions import SessionsHandler

        return SessionsHandler(self._parts)

    @made_once
    def stats(self) -> StatsHandler:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self._parts)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self._parts)

    @made_once
    def transcripts(self) -> TranscriptsHandler:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        return TranscriptsHandler(self._parts)


ANSWERS: dict[str, Callable[..., Any]] = {
    # Called with a request's parameters, its workspace, if it has one, and its call.
    "memory/record": lambda handlers, *request: handlers.memories.memory_record(*request),
    "memory/inject": lambda handlers, *request: handlers.memories.memory_inject(*request),
    "memory/explain": lambda handlers, *request: handlers.memories.memory_explain(*request),
    "memory/search": lambda handlers, *request: handlers.memories.memory_search(*request),
    "memory/get": lambda handlers, *request: handlers.memories.memory_get(*request),
    "memory/list": lambda handlers, *request: handlers.memories.memory_list(*request),
    "memory/update": lambda handlers, *request: handlers.memories.memory_update(*request),
    "memory/archive": lambda handlers, *request: handlers.memories.memory_archive(*request),
    "memory/rate": lambda handlers, *request: handlers.memories.memory_rate(*request),
    "memory/restore": lambda handlers, *request: handlers.memories.memory_restore(*request),
    "memory/delete": lambda handlers, *request: handlers.memories.memory_delete(*request),
    "memory/history": lambda handlers, *request: handlers.memories.memory_history(*request),
    "memory/undo": lambda handlers, *request: handlers.memories.memory_undo(*request),
    "memory/redo": lambda handlers, *request: handlers.memories.memory_redo(*request),
    "memory/candidates": lambda handlers, *request: handlers.candidates.memory_candidates(*request),
    "memory/confirm": lambda handlers, *request: handlers.candidates.memory_confirm(*request),
    "memory/reject": lambda handlers, *request: handlers.candidates.memory_reject(*request),
    "memory/file": lambda handlers, *request: handlers.status.memory_file(*request),
    "memory/link": lambda handlers, *request: handlers.links.memory_link(*request),
    "memory/links": lambda handlers, *request: handlers.links.memory_links(*request),
    "memory/verify": lambda handlers, *request: handlers.memories.memory_verify(*request),
    "memory/promote": lambda handlers, *request: handlers.maintenance.memory_promote(*request),
    "memory/resolve": lambda handlers, *request: handlers.memories.memory_resolve(*request),
    "memory/reopen": lambda handlers, *request: handlers.memories.memory_reopen(*request),
    "memory/maintain": lambda handlers, *request: handlers.maintenance.memory_maintain(*request),
    "memory/stats": lambda handlers, *request: handlers.stats.memory_stats(*request),
    "memory/export": lambda handlers, *request: handlers.exchange.memory_export(*request),
    "memory/import": lambda handlers, *request: handlers.exchange.memory_import(*request),
    "memory/bootstrap": lambda handlers, *request: handlers.exchange.memory_bootstrap(*request),
    "file/summary": lambda handlers, *request: handlers.files.file_summary(*request),
    "session/start": lambda handlers, *request: handlers.sessions.session_start(*request),
    "session/heartbeat": lambda handlers, *request: handlers.sessions.session_heartbeat(*request),
    "session/end": lambda handlers, *request: handlers.sessions.session_end(*request),
    "session/list": lambda handlers, *request: handlers.sessions.session_list(*request),
    "session/claim": lambda handlers, *request: handlers.sessions.session_claim(*request),
    "session/release": lambda handlers, *request: handlers.sessions.session_release(*request),
    "session/import": lambda handlers, *request: handlers.transcripts.session_import(*request),
    "reminder/set": lambda handlers, *request: handlers.reminders.reminder_set(*request),
    "reminder/clear": lambda handlers, *request: handlers.reminders.reminder_clear(*request),
    "reminder/advance": lambda handlers, *request: handlers.reminders.reminder_advance(*request),
    "reminder/list": lambda handlers, *request: handlers.reminders.reminder_list(*request),
    "context/boot": lambda handlers, *request: handlers.context.context_boot(*request),
    "context/entity": lambda handlers, *request: handlers.context.context_entity(*request),
    "context/close": lambda handlers, *request: handlers.context.context_close(*request),
    "event/toolCall": lambda handlers, *request: handlers.events.event_tool_call(*request),
    "event/toolResult": lambda handlers, *request: handlers.events.event_tool_result(*request),
    "event/userMessage": lambda handlers, *request: handlers.events.event_user_message(*request),
    "event/reasoning": lambda handlers, *request: handlers.events.event_reasoning(*request),
    "event/compaction": lambda handlers, *request: handlers.events.event_compaction(*request),
    "file/recordRead": lambda handlers, *request: handlers.files.file_record_read(*request),
    "file/observe": lambda handlers, *request: handlers.files.file_observe(*request),
    "file/handoff": lambda handlers, *request: handlers.files.file_handoff(*request),
    "file/search": lambda handlers, *request: handlers.files.file_search(*request),
    "workspace/repoMap": lambda handlers, *request: handlers.files.workspace_repo_map(*request),
    "sidecar/status": lambda handlers, *request: handlers.status.sidecar_status(*request),
    "sidecar/metrics": lambda handlers, *request: handlers.metrics.sidecar_metrics(*request),
    "hooks/verify": lambda handlers, *request: handlers.hooks.hooks_verify(*request),
    "hooks/run": lambda handlers, *request: handlers.hooks.hooks_run(*request),
}

BATCH_ANSWERS: dict[str, Callable[..., Any]] = {
    "memory/record": lambda handlers, *batch: handlers.memories.memory_record_together(*batch)
}
