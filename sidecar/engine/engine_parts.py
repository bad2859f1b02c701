"""The parts of an engine that its handlers are made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.requests import Requests
from sidecar.engine.services import Services
from sidecar.engine.session_presence import SessionPresence
from sidecar.engine.workspaces import Workspaces

if TYPE_CHECKING:
    from sidecar.engine.server_journals import ServerJournals


@dataclass(frozen=True)
class EngineParts:
    """The objects that an engine has once; each knows only those listed before it. Thread-safe."""

    services: Services
    requests: Requests
    presence: SessionPresence
    workspaces: Workspaces
    lessons: LessonStorer
    agent_sessions: AgentSessions
    journals: ServerJournals | None

    @classmethod
    def create(cls, services: Services) -> Self:
        options = services.options
        presence = SessionPresence(options)
        workspaces = Workspaces(presence)
        lessons = LessonStorer(workspaces, options.clock)
        agent_sessions = AgentSessions(workspaces, lessons, options.clock)
        journals = None
        if options.keeps_journals and options.process is not None:
            from sidecar.engine.server_journals import ServerJournals  # it imports what sessions are learned from

            journals = ServerJournals(lessons, options.process)
        requests = Requests(options.clock, services.priority)
        return cls(services, requests, presence, workspaces, lessons, agent_sessions, journals)
