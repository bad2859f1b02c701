"""Structs of `context/*`: what a session should know at its start, and what is known about one entity."""

from typing import Annotated, Literal

import msgspec

from protocol.candidates import Candidate
from protocol.events import SessionId
from protocol.links import LinkedMemory
from protocol.memories import AgentName, Memory
from protocol.reminders import Reminder
from protocol.sessions import Session
from protocol.wire import Budget, Limit, MaxLines, MemoryId, Millis, Result, WorkspaceParams

Part = Literal[
    "identity",
    "directives",
    "blockers",
    "reminders",
    "candidates",
    "sessions",
    "plans",
    "recentSessions",
    "decisions",
    "procedures",
    "reviews",
    "hotEntities",
]
EntityText = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=4_096,
        description="`#12`, `!3`, `&4`, `group/project!12`, `@user`, a URL, a path, a symbol (`C.m`, `a.py::C.m`).",
    ),
]


class BootParams(WorkspaceParams, frozen=True):
    """Ask what to know at the start of a session.

    `include` names the wanted parts; by default, all. `sessionId` is the session that asks; the result leaves it out.
    `exclude` are memories that the agent already sees, which `text` does not repeat.
    """

    budget_tokens: Budget | None = None
    max_lines: MaxLines | None = None
    agent: AgentName | None = None
    session_id: SessionId | None = None
    include: list[Part] | None = None
    exclude: Annotated[list[MemoryId], msgspec.Meta(max_length=1_000)] = []


class Person(Result, frozen=True):
    """The person who commits here, according to git."""

    name: str | None = None
    email: str | None = None


class TrackedEntity(Result, frozen=True):
    """What GitLab or GitHub says about an issue, a merge or pull request, or an epic, if the settings allow asking.

    Other people wrote all the texts, so show them as quotations. `resolved` are the blockers that were resolved when
    the entity was found closed or merged; `memory/reopen` or `memory/undo` opens them again.
    """

    kind: Literal["issue", "mergeRequest", "epic"]
    title: str
    state: Literal["open", "closed", "merged"]
    labels: list[str]
    checked_at: Millis
    author: str | None = None
    url: str | None = None
    updated_at: Millis | None = None
    closed_at: Millis | None = None
    resolved: list[MemoryId] = []


class HotEntity(Result, frozen=True):
    """An entity that many recent memories name: how many, when the last one changed, and the forge's answer."""

    entity: str
    memories: int
    last_at: Millis
    tracked: TrackedEntity | None = None


class BootResult(Result, frozen=True, omit_defaults=False):
    """The parts, and `text`: as many lines of the parts as the budget (2,000 tokens) holds, as notes inside a fence.

    The same state and parameters give the same bytes and the same `etag`. `omitted` counts the lines that had no room.
    `candidates` are at most three about which to ask the user, the same during the whole session (setting
    `memory.ask`). `waiting` counts all waiting candidates.
    """

    text: str
    tokens: int
    etag: str
    omitted: int
    identity: Person | None = None
    directives: list[Memory] = []
    blockers: list[Memory] = []
    reminders: list[Reminder] = []
    candidates: list[Candidate] = []
    waiting: int = 0
    sessions: list[Session] = []
    plans: list[Memory] = []
    recent_sessions: list[Session] = []
    decisions: list[Memory] = []
    procedures: list[Memory] = []
    reviews: list[Memory] = []
    hot_entities: list[HotEntity] = []


class EntityParams(WorkspaceParams, frozen=True):
    """Find the memories that name exactly this entity.

    `#12` is not `#123`, but means `group/project#12` here.
    """

    entity: EntityText
    agent: AgentName | None = None
    limit: Limit = 20


class EntityMemory(Result, frozen=True):
    """A memory that names the entity, and up to 10 of its links."""

    memory: Memory
    links: list[LinkedMemory]


class EntityResult(Result, frozen=True):
    """Memories, open and resolved, the latest update first. `total` also counts those beyond the limit."""

    entity: str
    kind: Literal["mark", "user", "url", "file", "symbol"]
    items: list[EntityMemory]
    total: int
    tracked: TrackedEntity | None = None


class CloseParams(WorkspaceParams, frozen=True):
    """Report that an entity was closed or merged, or is done in another way."""

    entity: EntityText


class StillBlocked(Result, frozen=True):
    """An open blocker that stays open, because it also names other issues, merge requests or epics."""

    id: MemoryId
    others: list[str]


class CloseResult(Result, frozen=True):
    """The blockers about this entity. `resolved` named only this one; `left` name others, too."""

    entity: str
    resolved: list[Memory]
    left: list[StillBlocked]
