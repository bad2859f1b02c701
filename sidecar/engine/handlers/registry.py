"""Which handler answers which method of the table.

A family of handlers, and what it imports, is made when its first request comes: most processes are asked a few kinds
of questions only, and importing what answers the others is half of a start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.handlers.boot import ContextRequests
    from sidecar.engine.handlers.candidates import CandidateRequests
    from sidecar.engine.handlers.code import CodeRequests
    from sidecar.engine.handlers.events import EventRequests
    from sidecar.engine.handlers.files import FileRequests
    from sidecar.engine.handlers.hooks import HookRequests
    from sidecar.engine.handlers.interchange import ExchangeRequests
    from sidecar.engine.handlers.links import LinkRequests
    from sidecar.engine.handlers.maintenance import MaintenanceRequests
    from sidecar.engine.handlers.memories import MemoryRequests
    from sidecar.engine.handlers.metrics import MetricsRequests
    from sidecar.engine.handlers.reminders import ReminderRequests
    from sidecar.engine.handlers.sessions import SessionRequests
    from sidecar.engine.handlers.status import StatusRequests
    from sidecar.engine.handlers.transcripts import TranscriptRequests
    from sidecar.engine.services import Services
    from sidecar.engine.together import Steps
    from sidecar.store.memory_store import SharedCommit

Handler: TypeAlias = Callable[[Any], Any]
"""Takes the parameters of its method, answers its result; None for a notification. Raises `SidecarError`."""


class Handlers:
    """The families of one engine. Methods may be called from any thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}
        self._found: dict[str, Handler] = {}

    def in_steps(self, method: str) -> Callable[[Any, SharedCommit], Steps]:
        """What answers a method of `IN_STEPS`, one step at a time."""
        return IN_STEPS[method](self)

    def of(self, method: str) -> Handler:
        """What answers a method, such as `memory/record`."""
        found = self._found.get(method)
        if found is None:
            found = self._found[method] = HANDLERS[method](self)
        return found

    @made_once
    def memories(self) -> MemoryRequests:
        from sidecar.engine.handlers.memories import MemoryRequests

        return MemoryRequests(self._services)

    @made_once
    def maintenance(self) -> MaintenanceRequests:
        from sidecar.engine.handlers.maintenance import MaintenanceRequests

        return MaintenanceRequests(self._services)

    @made_once
    def links(self) -> LinkRequests:
        from sidecar.engine.handlers.links import LinkRequests

        return LinkRequests(self._services)

    @made_once
    def candidates(self) -> CandidateRequests:
        from sidecar.engine.handlers.candidates import CandidateRequests

        return CandidateRequests(self._services)

    @made_once
    def reminders(self) -> ReminderRequests:
        from sidecar.engine.handlers.reminders import ReminderRequests

        return ReminderRequests(self._services)

    @made_once
    def context(self) -> ContextRequests:
        from sidecar.engine.handlers.boot import ContextRequests

        return ContextRequests(self._services)

    @made_once
    def hooks(self) -> HookRequests:
        from sidecar.engine.handlers.hooks import HookRequests

        return HookRequests(self._services)

    @made_once
    def interchange(self) -> ExchangeRequests:
        from sidecar.engine.handlers.interchange import ExchangeRequests

        return ExchangeRequests(self._services)

    @made_once
    def files(self) -> FileRequests:
        from sidecar.engine.handlers.files import FileRequests

        return FileRequests(self._services)

    @made_once
    def code(self) -> CodeRequests:
        from sidecar.engine.handlers.code import CodeRequests

        return CodeRequests(self._services)

    @made_once
    def events(self) -> EventRequests:
        from sidecar.engine.handlers.events import EventRequests

        return EventRequests(self._services, self.files)

    @made_once
    def sessions(self) -> SessionRequests:
        from sidecar.engine.handlers.sessions import SessionRequests

        return SessionRequests(self._services, self.events, self.files)

    @made_once
    def transcripts(self) -> TranscriptRequests:
        from sidecar.engine.handlers.transcripts import TranscriptRequests

        return TranscriptRequests(self._services)

    @made_once
    def status(self) -> StatusRequests:
        from sidecar.engine.handlers.status import StatusRequests

        return StatusRequests(self._services)

    @made_once
    def metrics(self) -> MetricsRequests:
        from sidecar.engine.handlers.metrics import MetricsRequests

        return MetricsRequests(self._services, self.status)


IN_STEPS: Final[Mapping[str, Callable[[Handlers], Callable[[Any, SharedCommit], Steps]]]] = {
    "memory/record": lambda of: of.memories.record_in_steps
}
"""Methods of which requests in a row can share a commit: no step but the second depends on what one of them wrote."""

HANDLERS: Final[Mapping[str, Callable[[Handlers], Handler]]] = {
    "memory/record": lambda of: of.memories.memory_record,
    "memory/search": lambda of: of.memories.memory_search,
    "memory/list": lambda of: of.memories.memory_list,
    "memory/inject": lambda of: of.memories.memory_inject,
    "memory/explain": lambda of: of.memories.memory_explain,
    "memory/get": lambda of: of.memories.memory_get,
    "memory/update": lambda of: of.memories.memory_update,
    "memory/archive": lambda of: of.memories.memory_archive,
    "memory/restore": lambda of: of.memories.memory_restore,
    "memory/undo": lambda of: of.memories.memory_undo,
    "memory/redo": lambda of: of.memories.memory_redo,
    "memory/delete": lambda of: of.memories.memory_delete,
    "memory/history": lambda of: of.memories.memory_history,
    "memory/maintain": lambda of: of.maintenance.memory_maintain,
    "memory/promote": lambda of: of.maintenance.memory_promote,
    "memory/resolve": lambda of: of.maintenance.memory_resolve,
    "memory/reopen": lambda of: of.maintenance.memory_reopen,
    "memory/link": lambda of: of.links.memory_link,
    "memory/links": lambda of: of.links.memory_links,
    "memory/verify": lambda of: of.links.memory_verify,
    "memory/candidates": lambda of: of.candidates.memory_candidates,
    "memory/confirm": lambda of: of.candidates.memory_confirm,
    "memory/reject": lambda of: of.candidates.memory_reject,
    "reminder/set": lambda of: of.reminders.reminder_set,
    "reminder/clear": lambda of: of.reminders.reminder_clear,
    "reminder/advance": lambda of: of.reminders.reminder_advance,
    "reminder/list": lambda of: of.reminders.reminder_list,
    "context/boot": lambda of: of.context.context_boot,
    "context/entity": lambda of: of.context.context_entity,
    "context/close": lambda of: of.context.context_close,
    "hooks/verify": lambda of: of.hooks.hooks_verify,
    "hooks/run": lambda of: of.hooks.hooks_run,
    "memory/export": lambda of: of.interchange.memory_export,
    "memory/import": lambda of: of.interchange.memory_import,
    "memory/bootstrap": lambda of: of.interchange.memory_bootstrap,
    "file/summary": lambda of: of.files.file_summary,
    "file/recordRead": lambda of: of.files.file_record_read,
    "file/observe": lambda of: of.files.file_observe,
    "file/handoff": lambda of: of.files.file_handoff,
    "workspace/repoMap": lambda of: of.code.workspace_repo_map,
    "file/search": lambda of: of.code.file_search,
    "event/toolCall": lambda of: of.events.event_tool_call,
    "event/toolResult": lambda of: of.events.event_tool_result,
    "event/userMessage": lambda of: of.events.event_user_message,
    "event/reasoning": lambda of: of.events.event_reasoning,
    "event/compaction": lambda of: of.events.event_compaction,
    "session/start": lambda of: of.sessions.session_start,
    "session/heartbeat": lambda of: of.sessions.session_heartbeat,
    "session/end": lambda of: of.sessions.session_end,
    "session/list": lambda of: of.sessions.session_list,
    "session/claim": lambda of: of.sessions.session_claim,
    "session/release": lambda of: of.sessions.session_release,
    "session/import": lambda of: of.transcripts.session_import,
    "sidecar/status": lambda of: of.status.sidecar_status,
    "memory/file": lambda of: of.status.memory_file,
    "sidecar/metrics": lambda of: of.metrics.sidecar_metrics,
}
"""By method: where its handler is found, which makes its family."""
