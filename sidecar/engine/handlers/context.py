"""`context/*`: what a session should know at its start, and about one entity."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from protocol import context as api
from protocol.candidates import Candidate
from protocol.memories import Memory
from sidecar.checkout.repository import read_user
from sidecar.coordination import registry
from sidecar.engine import mapping
from sidecar.engine.handlers.boot_text import BootParts, render
from sidecar.engine.handlers.reminders import due_reminders, reminder_struct
from sidecar.engine.handlers.sessions import session_structs, sessions_elsewhere
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.memories.index.entities import Entity, entity
from sidecar.memories.recording import checks
from sidecar.memories.results import FoundMemory
from sidecar.memories.retrieval.overview import FrequentEntity
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, OutsideWorkspace
from sidecar.settings.model import MemorySettings
from sidecar.trackers.forge import project_of

DEFAULT_BUDGET = 2_000
"""Tokens of the text for a session's start if the request names no budget."""

MAX_SESSIONS_SHOWN = 20
MAX_PAST_SESSIONS = 3
MAX_REMINDERS = 10
MAX_LINKS = 10  # of each memory


class ContextHandler:
    def __init__(self, clock: Clock, lessons: LessonStorer) -> None:
        self._clock, self._lessons = clock, lessons

    def context_boot(self, params: api.BootParams, workspace: OpenWorkspace, context: Context) -> api.BootResult:
        """Return what to know at the start of a session; empty if memory is switched off."""
        settings = workspace.settings.memory
        if not workspace.is_enabled:
            return api.BootResult(text="", tokens=0, etag="", omitted=0)
        parts = self._parts(workspace, params)
        shown_parts = parts.without(params.exclude) if params.exclude else parts
        budget = params.budget_tokens or DEFAULT_BUDGET
        lines = params.max_lines or settings.inject_max_lines
        boot = render(shown_parts, budget, lines)
        # The user may confirm a candidate in its exact words: those are a lesson, not a repetition.
        without_candidates = (
            render(replace(shown_parts, candidates=[]), budget, lines) if shown_parts.candidates else boot
        )
        self._lessons.remember_block(workspace, without_candidates.text)
        return mapping.to_wire(
            api.BootResult,
            parts,
            text=boot.text,
            tokens=boot.tokens,
            etag=boot.etag,
            omitted=boot.omitted,
            waiting=workspace.memory_store.candidates.count_waiting(),
            directives=_structs(parts.directives),
            blockers=_structs(parts.blockers),
            plans=_structs(parts.plans),
            decisions=_structs(parts.decisions),
            procedures=_structs(parts.procedures),
            reviews=_structs(parts.reviews),
        )

    def context_entity(self, params: api.EntityParams, workspace: OpenWorkspace, context: Context) -> api.EntityResult:
        subject = self._entity(workspace, params.entity)
        memories, total = workspace.book.overview.naming(
            subject, checks.check_agent(params.agent), self._clock(), params.limit
        )
        if (
            subject.kind == "symbol" and not total and len(subject.text.split()) > 1
        ):  # some languages' names have spaces
            raise InvalidField(
                f"{subject.text[:100]!r} is not an issue, user, URL, file or symbol.",
                path="$.entity",
                hint="Give #12, !3, &4, group/project!12, @user, a URL, a path or a symbol; memory/search finds words.",
            )
        return api.EntityResult(
            entity=subject.text,
            kind=subject.kind,
            items=[
                api.EntityMemory(
                    memory=mapping.as_memory(memory),
                    links=[
                        mapping.linked(link) for link in workspace.book.links.links_of(memory.record.id)[:MAX_LINKS]
                    ],
                )
                for memory in memories
            ],
            total=total,
            tracked=_tracked(workspace, [subject.text]).get(subject.text),
        )

    def context_close(self, params: api.CloseParams, workspace: OpenWorkspace, context: Context) -> api.CloseResult:
        """Resolve the blockers that name only this entity."""
        subject = self._entity(workspace, params.entity)
        closing = workspace.book.overview.blockers_naming(
            subject, project_of(workspace.place.identity.origin), self._clock()
        )
        return api.CloseResult(
            entity=subject.text,
            resolved=[mapping.as_memory(workspace.book.editing.resolve(id)) for id in closing.only],
            left=[api.StillBlocked(id=id, others=list(others)) for id, others in closing.shared],
        )

    def _parts(self, workspace: OpenWorkspace, params: api.BootParams) -> BootParts:
        now, settings = self._clock(), workspace.settings.memory
        agent = checks.check_agent(params.agent)
        project = project_of(workspace.place.identity.origin)
        digest = workspace.book.overview.digest(agent, project, now, settings.review_days)
        user = read_user(workspace.place.identity.folder, os.environ)
        sessions = [
            session
            for session in registry.list_sessions(workspace.memory_store, now, all=True)
            if session.id != params.session_id
        ]
        active = sorted(
            (session for session in sessions if registry.state_of(session, now) == "active"),
            key=lambda session: (session.started_at, session.id),
        )
        ended = [session for session in sessions if session.ended_at is not None and session.summary]
        ended.sort(key=lambda session: (-(session.ended_at or 0), session.id))
        due = due_reminders(workspace, now) if params.include is None or "reminders" in params.include else []
        parts = BootParts(
            identity=api.Person(name=user.name, email=user.email) if any(user) else None,
            reminders=[reminder_struct(reminder, now) for reminder in due[:MAX_REMINDERS]],
            candidates=_to_ask(workspace, settings, params.session_id, now),
            sessions=[
                *session_structs(workspace.memory_store, active[:MAX_SESSIONS_SHOWN], now),
                *sessions_elsewhere(workspace, now),
            ],
            recent_sessions=session_structs(workspace.memory_store, ended[:MAX_PAST_SESSIONS], now),
            hot_entities=_hot(workspace, digest.hot),
            directives=digest.directives,
            blockers=digest.blockers,
            plans=digest.plans,
            decisions=digest.decisions,
            procedures=digest.procedures,
            reviews=digest.reviews,
        )
        return parts if params.include is None else parts.only(params.include)

    def _entity(self, workspace: OpenWorkspace, text: str) -> Entity:
        path = None
        if "://" not in text or text.startswith("file://"):
            try:
                path = workspace.tree.relative(text.strip())
            except OutsideWorkspace:
                path = None
        name = path if path is not None and text.startswith("file://") else text
        return entity(name, project_of(workspace.place.identity.origin), path)


def _structs(memories: Sequence[FoundMemory]) -> list[Memory]:
    return [mapping.as_memory(memory) for memory in memories]


def _to_ask(workspace: OpenWorkspace, settings: MemorySettings, session_id: str | None, now: int) -> list[Candidate]:
    if settings.ask != "start" or settings.learn == "off" or not workspace.memory_store.candidates.count_waiting():
        return []
    from sidecar.engine.handlers import candidates

    session = workspace.memory_store.session(session_id) if session_id is not None else None
    began = now if session is None else session.started_at
    return [
        candidates.candidate_struct(candidate) for candidate in workspace.book.candidacy.to_ask(settings.learn, began)
    ]


def _hot(workspace: OpenWorkspace, entities: Sequence[FrequentEntity]) -> list[api.HotEntity]:
    tracked = _tracked(workspace, [hot.text for hot in entities])
    return [
        api.HotEntity(entity=hot.text, memories=hot.memories, last_at=hot.last, tracked=tracked.get(hot.text))
        for hot in entities
    ]


def _tracked(workspace: OpenWorkspace, texts: Sequence[str]) -> dict[str, api.TrackedEntity]:
    """Return the forge's earlier answers about the items in these texts; send no request."""
    states = workspace.enrichment.known_records(texts) if texts and workspace.settings.trackers.enabled else {}
    return {text: mapping.to_wire(api.TrackedEntity, record) for text, record in states.items()}
