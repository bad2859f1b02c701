"""Notifications about what happens while an agent works."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from protocol import events as wire
from sidecar.coordination import registry
from sidecar.engine.handlers.files import FileRequests
from sidecar.engine.learner import Observation
from sidecar.engine.services import Services
from sidecar.engine.session_journal import Line, said_line
from sidecar.engine.workspace import Workspace
from sidecar.memories import limits
from sidecar.memories.showing import note_compaction
from sidecar.runtime.errors import SidecarError

log = logging.getLogger(__name__)

TOUCH_MS = 60_000
"""How often the events of a session are noted as its heartbeat."""

_TOUCHED_MOST = 1_000


class EventRequests:
    """Answers `event/*`. An event starts its session when nothing else did."""

    def __init__(self, services: Services, files: FileRequests) -> None:
        self._services = services
        self._learner = services.learner
        self._files = files
        self._lock = threading.Lock()
        self._touched: OrderedDict[tuple[Path, str], int] = OrderedDict()
        self._given: OrderedDict[tuple[str, str], Any] = OrderedDict()  # to calls whose result has not come

    def event_tool_call(self, params: wire.ToolCallParams) -> None:
        """A tool is about to be used."""
        given = _decoded(params.input)
        with self._lock:
            self._given[(params.session_id, params.call_id or params.tool)] = given
            if len(self._given) > _TOUCHED_MOST:
                self._given.popitem(last=False)
        self._take(
            params,
            lambda session, now: session.tool_call(params.tool, given, params.call_id, now),
            lambda: None,
            params.tool,
            given,
        )

    def event_tool_result(self, params: wire.ToolResultParams) -> None:
        """A tool was used."""
        given, metadata = _decoded(params.input), _decoded(params.metadata)
        output = _decoded(params.output, least='{"output"')
        status = params.exit_code if params.exit_code is not None else params.exit_code_spelt_so
        with self._lock:
            called = self._given.pop((params.session_id, params.call_id or params.tool), None)

        def line() -> Line | None:
            from sidecar.engine.session_notes import used

            return used(params, called if given is None else given, output, status)

        self._take(
            params,
            lambda session, now: session.tool_result(params.tool, given, output, status, metadata, params.call_id, now),
            line,
            params.tool,
            given,
        )

    def event_user_message(self, params: wire.UserMessageParams) -> None:
        """The user said something."""
        self._take(
            params, lambda session, now: session.user_message(params.text, now), lambda: said_line("user", params.text)
        )

    def event_reasoning(self, params: wire.ReasoningParams) -> None:
        """The agent thought or said something."""
        workspace = self._take(
            params,
            lambda session, now: session.reasoning(params.text, now),
            lambda: said_line("assistant", params.text),
        )
        if workspace is not None:
            self._files.reasoned(workspace, limits.session(params.session_id) or "", params.text)

    def event_compaction(self, params: wire.CompactionParams) -> None:
        """The agent summed up its context."""
        workspace = self._take(
            params,
            lambda session, now: session.compaction(params.summary, now),
            lambda: said_line("compaction", params.summary),
        )
        if workspace is not None:
            note_compaction(workspace.open().memories, limits.session(params.session_id) or "", self._services.clock())

    def noted(self, workspace: Workspace, session_id: str) -> None:
        """A session was started or gave a heartbeat: its events need not say so again for a while."""
        with self._lock:
            self._note((workspace.folder, session_id), self._services.clock())

    def forget(self, workspace: Workspace, session_id: str) -> None:
        """A session was ended: its next event, should there be one, takes it up again."""
        with self._lock:
            self._touched.pop((workspace.folder, session_id), None)
        if self._services.notes is not None:
            self._services.notes.drop(workspace, session_id)

    def workspace_of(self, session_id: str) -> Workspace | None:
        """The open workspace that a session was last seen in."""
        with self._lock:
            folders = [folder for folder, id in reversed(self._touched) if id == session_id]
        return next((found for folder in folders if (found := self._services.workspaces.at(folder))), None)

    def _take(
        self, params: Any, event: Observation, line: Callable[[], Line | None], tool: str = "", given: object = None
    ) -> Workspace | None:
        """Let the session take an event; the workspace that it happened in, None where memory is switched off.

        `line` makes the line that it is where events are noted first.
        """
        session_id = limits.session(params.session_id) or ""
        workspace = self._workspace(params.workspace_uri, session_id, tool, given)
        if not workspace.settings.memory.enabled:
            return None
        if self._services.notes is not None:
            self._services.notes.take(workspace, session_id, line())
            if self._services.notes.only:
                return None
        self._touch(workspace, session_id, params.agent)
        self._learner.take(workspace, session_id, event)
        return workspace

    def _workspace(self, uri: str | None, session_id: str, tool: str, given: object) -> Workspace:
        """The workspace of an event: named, the only one, where its paths lie, or where its session was before."""
        open_ones = self._services.workspaces.all()
        if uri is not None or len(open_ones) < 2:
            return self._services.workspaces.find(uri)
        from sidecar.learning.tools import read_use

        use = read_use(tool, given) if tool else None
        if use is not None:
            for path in (*use.paths, *((use.folder,) if use.folder else ())):
                found = self._services.workspaces.containing(path)
                if found is not None:
                    return found
        return self.workspace_of(session_id) or self._services.workspaces.find(None)

    def _touch(self, workspace: Workspace, session_id: str, agent: str | None) -> None:
        if not self._services.starts_sessions:
            return
        now, key = self._services.clock(), (workspace.folder, session_id)
        with self._lock:
            last = self._touched.get(key)
            if last is not None and 0 <= now - last < TOUCH_MS:
                return
            self._note(key, now)
        try:
            registry.start(
                workspace.open().memories, session_id, now, agent=limits.agent(agent), process=self._services.process
            )
        except SidecarError as error:
            log.warning("A session could not be noted: %s", error.message)
            with self._lock:
                self._touched.pop(key, None)

    def _note(self, key: tuple[Path, str], now: int) -> None:
        self._touched[key] = now
        self._touched.move_to_end(key)
        if len(self._touched) > _TOUCHED_MOST:
            self._touched.popitem(last=False)


def _decoded(given: Any, least: str = "{") -> Any:
    """An input that an agent sends as JSON text, decoded; anything else as it is."""
    if isinstance(given, str) and given.startswith(least):
        try:
            found = msgspec.json.decode(given)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return given
        return found if isinstance(found, Mapping) else given
    return given
