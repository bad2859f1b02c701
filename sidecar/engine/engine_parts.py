"""The parts of an engine, of which its handlers are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.options import EngineOptions
from sidecar.engine.requests import RequestFigures
from sidecar.engine.services import Services
from sidecar.engine.session_presence import SessionPresence
from sidecar.engine.workspace_lifecycle import WorkspaceLifecycle
from sidecar.engine.workspaces import Workspaces
from sidecar.settings import Settings

if TYPE_CHECKING:
    from sidecar.engine.server_journals import ServerJournals


class EngineParts:
    """The objects that an engine has once; each knows only those made before it. Thread-safe."""

    def __init__(self, settings: Settings, options: EngineOptions) -> None:
        self.services = Services(settings, options)
        self.requests = RequestFigures(options.clock, self.services.priority)
        self.presence = SessionPresence(options)
        self.workspaces = Workspaces(self.presence)
        self.lessons = LessonStorer(self.workspaces, options.clock)
        self.agent_sessions = AgentSessions(self.workspaces, self.lessons, options.clock)
        running = self.requests.running
        self.lifecycle = WorkspaceLifecycle(self.services, running, self.workspaces, self.agent_sessions)
        self.journals: ServerJournals | None = None
        if options.keeps_journals and options.process is not None:
            from sidecar.engine.server_journals import ServerJournals  # it imports what sessions are learned from

            self.journals = ServerJournals(self.lessons, options.process)
