"""`event/*`: what happens while an agent works."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from protocol import events as api
from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.journal_line import JournalLine, said_line
from sidecar.engine.session_effects import MIN_REASONING, extract_facets
from sidecar.engine.session_presence import SessionPresence
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.learning.session_event import SessionEvent
from sidecar.memories.injection.showing import store_compaction
from sidecar.memories.recording import checks
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock

if TYPE_CHECKING:
    from sidecar.engine.server_journals import ServerJournals

_MAX_CALLS = 1_000

AgentEvent = (
    api.ToolCallParams | api.ToolResultParams | api.UserMessageParams | api.ReasoningParams | api.CompactionParams
)


class EventsHandler:
    """Answers `event/*`. The first event of a session starts the session."""

    def __init__(
        self,
        clock: Clock,
        workspaces: Workspaces,
        agent_sessions: AgentSessions,
        presence: SessionPresence,
        journals: ServerJournals | None,
    ) -> None:
        self._clock, self._workspaces = clock, workspaces
        self._journals, self._agent_sessions, self._presence = journals, agent_sessions, presence
        self._lock = threading.Lock()
        self._inputs: OrderedDict[tuple[str, str], Any] = OrderedDict()  # inputs of calls that have no result yet

    def event_tool_call(self, params: api.ToolCallParams, context: Context) -> None:
        tool_input = _decoded(params.input)
        with self._lock:
            self._inputs[(params.session_id, params.call_id or params.tool)] = tool_input
            if len(self._inputs) > _MAX_CALLS:
                self._inputs.popitem(last=False)
        event = SessionEvent("call", id=params.call_id or "", tool=params.tool, input=tool_input)
        self._observe(params, event, lambda: None, context)

    def event_tool_result(self, params: api.ToolResultParams, context: Context) -> None:
        tool_input, metadata = _decoded(params.input), _decoded(params.metadata)
        output = _decoded(params.output, least='{"output"')
        status = params.exit_code if params.exit_code is not None else params.exit_code_snake_case
        with self._lock:
            called = self._inputs.pop((params.session_id, params.call_id or params.tool), None)

        def line() -> JournalLine | None:
            from sidecar.engine.server_journals import tool_result_line

            return tool_result_line(params, called if tool_input is None else tool_input, output, status)

        self._observe(
            params,
            SessionEvent(
                "tool",
                id=params.call_id or "",
                tool=params.tool,
                input=tool_input,
                output=output,
                status=status,
                metadata=metadata,
            ),
            line,
            context,
        )

    def event_user_message(self, params: api.UserMessageParams, context: Context) -> None:
        self._observe(params, SessionEvent("user", text=params.text), lambda: said_line("user", params.text), context)

    def event_reasoning(self, params: api.ReasoningParams, context: Context) -> None:
        handle = self._observe(
            params, SessionEvent("agent", text=params.text), lambda: said_line("assistant", params.text), context
        )
        if handle is not None:
            session_id = checks.check_session(params.session_id) or ""
            if len(params.text.strip()) >= MIN_REASONING and handle.settings.memory.learns:
                read = self._agent_sessions.pop_reads(handle.folder, session_id)
                extract_facets(handle, session_id, params.text, read)

    def event_compaction(self, params: api.CompactionParams, context: Context) -> None:
        event = SessionEvent("compaction", text=params.summary)
        handle = self._observe(params, event, lambda: said_line("compaction", params.summary), context)
        if handle is not None:
            store_compaction(handle.open().memory_store, checks.check_session(params.session_id) or "", self._clock())

    def _observe(
        self, params: AgentEvent, event: SessionEvent, line: Callable[[], JournalLine | None], context: Context
    ) -> WorkspaceHandle | None:
        """Pass an event to its session; return its workspace's handle, or None if memory is switched off.

        `line` makes the event's journal line, which is written first where the server keeps journals.
        """
        session_id = checks.check_session(params.session_id) or ""
        handle = self._handle_of(params.workspace_uri, session_id, event)
        if not handle.settings.memory.enabled:
            return None
        if self._journals is not None:
            self._journals.write(handle, session_id, line())
            if self._journals.stopped_learning:
                return None
        self._presence.record_heartbeat_if_due(handle, session_id, params.agent)
        self._agent_sessions.observe(handle, session_id, event, replaying=context.replaying)
        return handle

    def _handle_of(self, uri: str | None, session_id: str, event: SessionEvent) -> WorkspaceHandle:
        """Return an event's workspace: the named one, the only one, the one of its paths, or the session's last one."""
        open_ones = self._workspaces.all()
        if uri is not None or len(open_ones) < 2:
            return self._workspaces.find(uri)
        from sidecar.learning.tools import read_use

        use = read_use(event.tool, event.input) if event.tool else None
        if use is not None:
            for path in (*use.paths, *((use.folder,) if use.folder else ())):
                handle = self._workspaces.containing(path)
                if handle is not None:
                    return handle
        return self._workspaces.of_session(session_id) or self._workspaces.find(None)


def _decoded(value: Any, least: str = "{") -> Any:
    """Decode an input that an agent sends as JSON text; return anything else unchanged."""
    if isinstance(value, str) and value.startswith(least):
        try:
            decoded = msgspec.json.decode(value)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return value
        return decoded if isinstance(decoded, Mapping) else value
    return value
