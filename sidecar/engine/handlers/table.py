"""Which method of which handler answers each method of the protocol.

A handler is imported with its family's first request: a hook or a command makes one or two requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from protocol.methods import Method
from sidecar.engine.engine_parts import EngineParts

Answers = dict[str, Callable[..., Any]]
"""The handlers' methods by the protocol's; one that shares commits takes a batch of requests."""


def _memories(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.memories import MemoriesHandler

    handler = MemoriesHandler(parts)
    return {
        "memory/record": handler.memory_record,
        "memory/inject": handler.memory_inject,
        "memory/explain": handler.memory_explain,
        "memory/search": handler.memory_search,
        "memory/get": handler.memory_get,
        "memory/list": handler.memory_list,
        "memory/update": handler.memory_update,
        "memory/archive": handler.memory_archive,
        "memory/rate": handler.memory_rate,
        "memory/restore": handler.memory_restore,
        "memory/delete": handler.memory_delete,
        "memory/history": handler.memory_history,
        "memory/undo": handler.memory_undo,
        "memory/redo": handler.memory_redo,
        "memory/verify": handler.memory_verify,
        "memory/resolve": handler.memory_resolve,
        "memory/reopen": handler.memory_reopen,
    }


def _candidates(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.candidates import CandidatesHandler

    handler = CandidatesHandler(parts)
    return {
        "memory/candidates": handler.memory_candidates,
        "memory/confirm": handler.memory_confirm,
        "memory/reject": handler.memory_reject,
    }


def _status(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.status import StatusHandler

    handler = StatusHandler(parts)
    return {"memory/file": handler.memory_file, "sidecar/status": handler.sidecar_status}


def _links(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.links import LinksHandler

    handler = LinksHandler(parts)
    return {"memory/link": handler.memory_link, "memory/links": handler.memory_links}


def _maintenance(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.maintenance import MaintenanceHandler

    handler = MaintenanceHandler(parts)
    return {"memory/promote": handler.memory_promote, "memory/maintain": handler.memory_maintain}


def _stats(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.stats import StatsHandler

    handler = StatsHandler(parts)
    return {"memory/stats": handler.memory_stats}


def _interchange(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.interchange import InterchangeHandler

    handler = InterchangeHandler(parts)
    return {
        "memory/export": handler.memory_export,
        "memory/import": handler.memory_import,
        "memory/bootstrap": handler.memory_bootstrap,
    }


def _files(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.files import FilesHandler

    handler = FilesHandler(parts)
    return {
        "file/summary": handler.file_summary,
        "file/recordRead": handler.file_record_read,
        "file/observe": handler.file_observe,
        "file/handoff": handler.file_handoff,
        "file/search": handler.file_search,
        "workspace/repoMap": handler.workspace_repo_map,
    }


def _sessions(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.sessions import SessionsHandler

    handler = SessionsHandler(parts)
    return {
        "session/start": handler.session_start,
        "session/heartbeat": handler.session_heartbeat,
        "session/end": handler.session_end,
        "session/list": handler.session_list,
        "session/claim": handler.session_claim,
        "session/release": handler.session_release,
    }


def _transcripts(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.transcripts import TranscriptsHandler

    handler = TranscriptsHandler(parts)
    return {"session/import": handler.session_import}


def _reminders(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.reminders import RemindersHandler

    handler = RemindersHandler(parts)
    return {
        "reminder/set": handler.reminder_set,
        "reminder/clear": handler.reminder_clear,
        "reminder/advance": handler.reminder_advance,
        "reminder/list": handler.reminder_list,
    }


def _context(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.context import ContextHandler

    handler = ContextHandler(parts)
    return {
        "context/boot": handler.context_boot,
        "context/entity": handler.context_entity,
        "context/close": handler.context_close,
    }


def _events(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.events import EventsHandler

    handler = EventsHandler(parts)
    return {
        "event/toolCall": handler.event_tool_call,
        "event/toolResult": handler.event_tool_result,
        "event/userMessage": handler.event_user_message,
        "event/reasoning": handler.event_reasoning,
        "event/compaction": handler.event_compaction,
    }


def _metrics(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.metrics import MetricsHandler

    handler = MetricsHandler(parts)
    return {"sidecar/metrics": handler.sidecar_metrics}


def _hooks(parts: EngineParts) -> Answers:
    from sidecar.engine.handlers.hooks import HooksHandler

    handler = HooksHandler(parts)
    return {"hooks/verify": handler.hooks_verify, "hooks/run": handler.hooks_run}


FAMILIES: dict[str, Callable[[EngineParts], Answers]] = {
    "memories": _memories,
    "candidates": _candidates,
    "status": _status,
    "links": _links,
    "maintenance": _maintenance,
    "stats": _stats,
    "interchange": _interchange,
    "files": _files,
    "sessions": _sessions,
    "transcripts": _transcripts,
    "reminders": _reminders,
    "context": _context,
    "events": _events,
    "metrics": _metrics,
    "hooks": _hooks,
}


class Handlers:
    """One handler for each family of methods, made with the family's first request. Thread-safe."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._answers: Answers = {}

    def of(self, method: Method) -> Callable[..., Any]:
        found = self._answers.get(method.name)
        if found is None:
            with self._lock:
                if method.name not in self._answers:
                    self._answers |= FAMILIES[method.family](self._parts)
                found = self._answers[method.name]
        return found
