"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol import (
    candidates,
    context,
    events,
    exchange,
    files,
    hooks,
    links,
    maintenance,
    memories,
    metrics,
    reminders,
    sessions,
    stats,
    status,
    transcripts,
)
from sidecar.engine.handlers.answering import Answer, BatchAnswer, alone, in_enabled, in_workspace, together
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


ANSWERS: dict[str, Answer[Handlers]] = {
    "memory/inject": in_workspace(memories.InjectParams, lambda handlers: handlers.memories.memory_inject),
    "memory/explain": in_enabled(memories.ExplainParams, lambda handlers: handlers.memories.memory_explain),
    "memory/search": in_enabled(memories.SearchParams, lambda handlers: handlers.memories.memory_search),
    "memory/get": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_get),
    "memory/list": in_workspace(memories.ListParams, lambda handlers: handlers.memories.memory_list),
    "memory/update": in_enabled(memories.UpdateParams, lambda handlers: handlers.memories.memory_update),
    "memory/archive": in_workspace(memories.ArchiveParams, lambda handlers: handlers.memories.memory_archive),
    "memory/rate": in_enabled(memories.RateParams, lambda handlers: handlers.memories.memory_rate),
    "memory/restore": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_restore),
    "memory/delete": in_workspace(memories.DeleteParams, lambda handlers: handlers.memories.memory_delete),
    "memory/history": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_history),
    "memory/undo": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_undo),
    "memory/redo": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_redo),
    "memory/candidates": in_workspace(
        candidates.CandidatesParams, lambda handlers: handlers.candidates.memory_candidates
    ),
    "memory/confirm": in_enabled(candidates.ConfirmParams, lambda handlers: handlers.candidates.memory_confirm),
    "memory/reject": in_workspace(candidates.RejectParams, lambda handlers: handlers.candidates.memory_reject),
    "memory/file": in_enabled(status.MemoryFileParams, lambda handlers: handlers.status.memory_file),
    "memory/link": in_enabled(links.LinkParams, lambda handlers: handlers.links.memory_link),
    "memory/links": in_workspace(links.LinksParams, lambda handlers: handlers.links.memory_links),
    "memory/verify": in_enabled(memories.IdParams, lambda handlers: handlers.memories.memory_verify),
    "memory/promote": in_enabled(maintenance.PromoteParams, lambda handlers: handlers.maintenance.memory_promote),
    "memory/resolve": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_resolve),
    "memory/reopen": in_workspace(memories.IdParams, lambda handlers: handlers.memories.memory_reopen),
    "memory/maintain": in_enabled(maintenance.MaintainParams, lambda handlers: handlers.maintenance.memory_maintain),
    "memory/stats": in_workspace(stats.StatsParams, lambda handlers: handlers.stats.memory_stats),
    "memory/export": in_workspace(exchange.ExportParams, lambda handlers: handlers.exchange.memory_export),
    "memory/import": in_enabled(exchange.ImportParams, lambda handlers: handlers.exchange.memory_import),
    "memory/bootstrap": in_enabled(exchange.BootstrapParams, lambda handlers: handlers.exchange.memory_bootstrap),
    "file/summary": in_workspace(files.SummaryParams, lambda handlers: handlers.files.file_summary),
    "session/start": in_enabled(sessions.StartParams, lambda handlers: handlers.sessions.session_start),
    "session/heartbeat": in_enabled(sessions.HeartbeatParams, lambda handlers: handlers.sessions.session_heartbeat),
    "session/end": in_enabled(sessions.EndParams, lambda handlers: handlers.sessions.session_end),
    "session/list": in_enabled(sessions.ListSessionsParams, lambda handlers: handlers.sessions.session_list),
    "session/claim": in_enabled(sessions.ClaimParams, lambda handlers: handlers.sessions.session_claim),
    "session/release": in_enabled(sessions.ClaimParams, lambda handlers: handlers.sessions.session_release),
    "session/import": in_enabled(
        transcripts.ImportSessionsParams, lambda handlers: handlers.transcripts.session_import
    ),
    "reminder/set": in_enabled(reminders.SetReminderParams, lambda handlers: handlers.reminders.reminder_set),
    "reminder/clear": in_enabled(reminders.ReminderParams, lambda handlers: handlers.reminders.reminder_clear),
    "reminder/advance": in_enabled(reminders.ReminderParams, lambda handlers: handlers.reminders.reminder_advance),
    "reminder/list": in_enabled(reminders.ListRemindersParams, lambda handlers: handlers.reminders.reminder_list),
    "context/boot": in_workspace(context.BootParams, lambda handlers: handlers.context.context_boot),
    "context/entity": in_enabled(context.EntityParams, lambda handlers: handlers.context.context_entity),
    "context/close": in_enabled(context.CloseParams, lambda handlers: handlers.context.context_close),
    "event/toolCall": alone(events.ToolCallParams, lambda handlers: handlers.events.event_tool_call),
    "event/toolResult": alone(events.ToolResultParams, lambda handlers: handlers.events.event_tool_result),
    "event/userMessage": alone(events.UserMessageParams, lambda handlers: handlers.events.event_user_message),
    "event/reasoning": alone(events.ReasoningParams, lambda handlers: handlers.events.event_reasoning),
    "event/compaction": alone(events.CompactionParams, lambda handlers: handlers.events.event_compaction),
    "file/recordRead": in_workspace(files.RecordReadParams, lambda handlers: handlers.files.file_record_read),
    "file/observe": in_enabled(files.ObserveParams, lambda handlers: handlers.files.file_observe),
    "file/handoff": in_workspace(files.HandoffParams, lambda handlers: handlers.files.file_handoff),
    "file/search": in_enabled(files.FileSearchParams, lambda handlers: handlers.files.file_search),
    "workspace/repoMap": in_enabled(files.RepoMapParams, lambda handlers: handlers.files.workspace_repo_map),
    "sidecar/status": alone(status.StatusParams, lambda handlers: handlers.status.sidecar_status),
    "sidecar/metrics": alone(metrics.MetricsParams, lambda handlers: handlers.metrics.sidecar_metrics),
    "hooks/verify": alone(hooks.VerifyHooksParams, lambda handlers: handlers.hooks.hooks_verify),
    "hooks/run": alone(hooks.RunHooksParams, lambda handlers: handlers.hooks.hooks_run),
}

BATCH_ANSWERS: dict[str, BatchAnswer[Handlers]] = {
    "memory/record": together(memories.RecordParams, lambda handlers: handlers.memories.memory_record)
}
