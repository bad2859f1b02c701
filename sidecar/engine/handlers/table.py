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
from sidecar.engine.engine_parts import EngineParts
from sidecar.engine.handlers.answering import Answer, anywhere, in_enabled, in_workspace
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


class EngineHandlers(EngineParts):
    """The parts of an engine, with its handlers, each imported and made with its first request. Thread-safe."""

    @made_once
    def candidates(self) -> CandidatesHandler:
        from sidecar.engine.handlers.candidates import CandidatesHandler

        return CandidatesHandler(self)

    @made_once
    def context(self) -> ContextHandler:
        from sidecar.engine.handlers.context import ContextHandler

        return ContextHandler(self)

    @made_once
    def events(self) -> EventsHandler:
        from sidecar.engine.handlers.events import EventsHandler

        return EventsHandler(self)

    @made_once
    def exchange(self) -> ExchangeHandler:
        from sidecar.engine.handlers.exchange import ExchangeHandler

        return ExchangeHandler(self)

    @made_once
    def files(self) -> FilesHandler:
        from sidecar.engine.handlers.files import FilesHandler

        return FilesHandler(self)

    @made_once
    def hooks(self) -> HooksHandler:
        from sidecar.engine.handlers.hooks import HooksHandler

        return HooksHandler(self)

    @made_once
    def links(self) -> LinksHandler:
        from sidecar.engine.handlers.links import LinksHandler

        return LinksHandler(self)

    @made_once
    def maintenance(self) -> MaintenanceHandler:
        from sidecar.engine.handlers.maintenance import MaintenanceHandler

        return MaintenanceHandler(self)

    @made_once
    def memories(self) -> MemoriesHandler:
        from sidecar.engine.handlers.memories import MemoriesHandler

        return MemoriesHandler(self)

    @made_once
    def metrics(self) -> MetricsHandler:
        from sidecar.engine.handlers.metrics import MetricsHandler

        return MetricsHandler(self)

    @made_once
    def reminders(self) -> RemindersHandler:
        from sidecar.engine.handlers.reminders import RemindersHandler

        return RemindersHandler(self)

    @made_once
    def sessions(self) -> SessionsHandler:
        from sidecar.engine.handlers.sessions import SessionsHandler

        return SessionsHandler(self)

    @made_once
    def stats(self) -> StatsHandler:
        from sidecar.engine.handlers.stats import StatsHandler

        return StatsHandler(self)

    @made_once
    def status(self) -> StatusHandler:
        from sidecar.engine.handlers.status import StatusHandler

        return StatusHandler(self)

    @made_once
    def transcripts(self) -> TranscriptsHandler:
        from sidecar.engine.handlers.transcripts import TranscriptsHandler

        return TranscriptsHandler(self)


ANSWERS: dict[str, Answer[EngineHandlers]] = {
    "memory/record": in_enabled(
        memories.RecordParams,
        lambda engine: engine.memories.memory_record,
        lambda engine: engine.memories.memory_record_together,
    ),
    "memory/inject": in_workspace(memories.InjectParams, lambda engine: engine.memories.memory_inject),
    "memory/explain": in_enabled(memories.ExplainParams, lambda engine: engine.memories.memory_explain),
    "memory/search": in_enabled(memories.SearchParams, lambda engine: engine.memories.memory_search),
    "memory/get": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_get),
    "memory/list": in_workspace(memories.ListParams, lambda engine: engine.memories.memory_list),
    "memory/update": in_enabled(memories.UpdateParams, lambda engine: engine.memories.memory_update),
    "memory/archive": in_workspace(memories.ArchiveParams, lambda engine: engine.memories.memory_archive),
    "memory/rate": in_enabled(memories.RateParams, lambda engine: engine.memories.memory_rate),
    "memory/restore": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_restore),
    "memory/delete": in_workspace(memories.DeleteParams, lambda engine: engine.memories.memory_delete),
    "memory/history": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_history),
    "memory/undo": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_undo),
    "memory/redo": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_redo),
    "memory/candidates": in_workspace(candidates.CandidatesParams, lambda engine: engine.candidates.memory_candidates),
    "memory/confirm": in_enabled(candidates.ConfirmParams, lambda engine: engine.candidates.memory_confirm),
    "memory/reject": in_workspace(candidates.RejectParams, lambda engine: engine.candidates.memory_reject),
    "memory/file": in_enabled(status.MemoryFileParams, lambda engine: engine.status.memory_file),
    "memory/link": in_enabled(links.LinkParams, lambda engine: engine.links.memory_link),
    "memory/links": in_workspace(links.LinksParams, lambda engine: engine.links.memory_links),
    "memory/verify": in_enabled(memories.IdParams, lambda engine: engine.memories.memory_verify),
    "memory/promote": in_enabled(maintenance.PromoteParams, lambda engine: engine.maintenance.memory_promote),
    "memory/resolve": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_resolve),
    "memory/reopen": in_workspace(memories.IdParams, lambda engine: engine.memories.memory_reopen),
    "memory/maintain": in_enabled(maintenance.MaintainParams, lambda engine: engine.maintenance.memory_maintain),
    "memory/stats": in_workspace(stats.StatsParams, lambda engine: engine.stats.memory_stats),
    "memory/export": in_workspace(exchange.ExportParams, lambda engine: engine.exchange.memory_export),
    "memory/import": in_enabled(exchange.ImportParams, lambda engine: engine.exchange.memory_import),
    "memory/bootstrap": in_enabled(exchange.BootstrapParams, lambda engine: engine.exchange.memory_bootstrap),
    "file/summary": in_workspace(files.SummaryParams, lambda engine: engine.files.file_summary),
    "session/start": in_enabled(sessions.StartParams, lambda engine: engine.sessions.session_start),
    "session/heartbeat": in_enabled(sessions.HeartbeatParams, lambda engine: engine.sessions.session_heartbeat),
    "session/end": in_enabled(sessions.EndParams, lambda engine: engine.sessions.session_end),
    "session/list": in_enabled(sessions.ListSessionsParams, lambda engine: engine.sessions.session_list),
    "session/claim": in_enabled(sessions.ClaimParams, lambda engine: engine.sessions.session_claim),
    "session/release": in_enabled(sessions.ClaimParams, lambda engine: engine.sessions.session_release),
    "session/import": in_enabled(transcripts.ImportSessionsParams, lambda engine: engine.transcripts.session_import),
    "reminder/set": in_enabled(reminders.SetReminderParams, lambda engine: engine.reminders.reminder_set),
    "reminder/clear": in_enabled(reminders.ReminderParams, lambda engine: engine.reminders.reminder_clear),
    "reminder/advance": in_enabled(reminders.ReminderParams, lambda engine: engine.reminders.reminder_advance),
    "reminder/list": in_enabled(reminders.ListRemindersParams, lambda engine: engine.reminders.reminder_list),
    "context/boot": in_workspace(context.BootParams, lambda engine: engine.context.context_boot),
    "context/entity": in_enabled(context.EntityParams, lambda engine: engine.context.context_entity),
    "context/close": in_enabled(context.CloseParams, lambda engine: engine.context.context_close),
    "event/toolCall": anywhere(events.ToolCallParams, lambda engine: engine.events.event_tool_call),
    "event/toolResult": anywhere(events.ToolResultParams, lambda engine: engine.events.event_tool_result),
    "event/userMessage": anywhere(events.UserMessageParams, lambda engine: engine.events.event_user_message),
    "event/reasoning": anywhere(events.ReasoningParams, lambda engine: engine.events.event_reasoning),
    "event/compaction": anywhere(events.CompactionParams, lambda engine: engine.events.event_compaction),
    "file/recordRead": in_workspace(files.RecordReadParams, lambda engine: engine.files.file_record_read),
    "file/observe": in_enabled(files.ObserveParams, lambda engine: engine.files.file_observe),
    "file/handoff": in_workspace(files.HandoffParams, lambda engine: engine.files.file_handoff),
    "file/search": in_enabled(files.FileSearchParams, lambda engine: engine.files.file_search),
    "workspace/repoMap": in_enabled(files.RepoMapParams, lambda engine: engine.files.workspace_repo_map),
    "sidecar/status": anywhere(status.StatusParams, lambda engine: engine.status.sidecar_status),
    "sidecar/metrics": anywhere(metrics.MetricsParams, lambda engine: engine.metrics.sidecar_metrics),
    "hooks/verify": anywhere(hooks.VerifyHooksParams, lambda engine: engine.hooks.hooks_verify),
    "hooks/run": anywhere(hooks.RunHooksParams, lambda engine: engine.hooks.hooks_run),
}
