"""Which desk serves which method. A desk, and what it imports, is made when the first such request comes.

Most processes are asked a few kinds of questions only, and importing what answers the others is half of a start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.engine.handlers.host import Host
    from sidecar.engine.handlers.request_counts import Tally
    from sidecar.engine.learner import Learner

DESKS: Mapping[str, tuple[str, str]] = {
    "memories.MemoryRequests": (
        "memory_record memory_search memory_list memory_inject memory_explain memory_get memory_update memory_archive"
        " memory_restore memory_undo memory_redo memory_delete memory_history",
        "host",
    ),
    "maintenance.MaintenanceRequests": (
        "memory_maintain memory_promote memory_resolve memory_reopen",
        "host",
    ),
    "links.LinkRequests": ("memory_link memory_links memory_verify", "host"),
    "candidates.CandidateRequests": ("memory_candidates memory_confirm memory_reject", "host"),
    "reminders.ReminderRequests": ("reminder_set reminder_clear reminder_advance reminder_list", "host"),
    "context.ContextRequests": ("context_boot context_entity context_close", "host"),
    "hooks.HookRequests": ("hooks_verify hooks_run", "host"),
    "exchange.ExchangeRequests": ("memory_export memory_import memory_bootstrap", "host"),
    "files.FileRequests": ("file_summary file_record_read file_observe file_handoff", "host learner"),
    "code.CodeRequests": ("workspace_repo_map file_search", "host"),
    "events.EventRequests": (
        "event_tool_call event_tool_result event_user_message event_reasoning event_compaction",
        "host learner files.FileRequests",
    ),
    "sessions.SessionRequests": (
        "session_start session_heartbeat session_end session_list session_claim session_release",
        "host learner events.EventRequests files.FileRequests",
    ),
    "transcripts.TranscriptRequests": ("session_import", "host learner"),
    "status.StatusRequests": ("sidecar_status memory_file", "host"),
    "metrics.MetricsRequests": ("sidecar_metrics", "host status.StatusRequests tally"),
}
"""By the desk's place in this package: the handlers it has, and what it is made of; a test compares them."""

_SERVED_BY = {handler: desk for desk, (handlers, _) in DESKS.items() for handler in handlers.split()}


class Desks:
    """The desks of one engine. Methods may be called from any thread."""

    def __init__(self, host: Host, learner: Learner, tally: Tally) -> None:
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {"host": host, "learner": learner, "tally": tally}
        self._handlers: dict[str, Callable[[Any], Any]] = {}

    def handler(self, name: str) -> Callable[[Any], Any]:
        """What answers a method, by its name in the table's `handler`."""
        found = self._handlers.get(name)
        if found is None:
            found = self._handlers[name] = getattr(self.desk(_SERVED_BY[name]), name)
        return found

    def desk(self, name: str) -> Any:
        """The desk of this name, or what desks are made of."""
        with self._lock:
            if name not in self._made:
                module, _, kind = name.partition(".")
                parts = [self.desk(part) for part in DESKS[name][1].split()]
                self._made[name] = getattr(import_module(f"sidecar.engine.handlers.{module}"), kind)(*parts)
            return self._made[name]
