"""Structs of `memory/candidates`, `memory/confirm` and `memory/reject`: what may become a memory, and on whose word."""

from typing import Literal

from protocol.events import SessionId
from protocol.memories import Category, MemoryType, Scope, Text
from protocol.wire import Limit, MemoryId, Millis, Result, WorkspaceParams

CandidateStatus = Literal["waiting", "confirmed", "rejected"]


class Evidence(Result, frozen=True):
    """What supports a candidate.

    `before` is the end of what the agent had said. Words from `repository` are in the repository's own memory file.
    """

    at: Millis
    speaker: Literal["user", "agent", "tool", "model", "repository"]
    words: str
    before: str | None = None
    session_id: str | None = None


class Candidate(Result, frozen=True):
    """Something that may become a memory, shown only to reviewers.

    `rule` names the rule that found the candidate; `sessions` counts the sessions in which it was said. It is dropped
    at `expiresAt` unless somebody confirms it or says it again. `memoryId` is the memory that it became; while it
    waits, the memory that it would change.
    """

    id: str
    status: CandidateStatus
    rule: str
    content: str
    type: MemoryType
    scope: Scope
    files: list[str]
    evidence: list[Evidence]
    sessions: int
    created_at: Millis
    updated_at: Millis
    name: str | None = None
    category: Category | None = None
    agent: str | None = None
    expires_at: Millis | None = None
    memory_id: str | None = None


class CandidatesParams(WorkspaceParams, frozen=True):
    """List candidates, those with the most support first.

    By default, only the waiting ones; with `status`, those of that status. With `memoryId`, those from which one memory
    came, whatever their status. With `sessionId`, those that were said in one session.
    """

    status: list[CandidateStatus] = []
    memory_id: MemoryId | None = None
    session_id: SessionId | None = None
    limit: Limit = 50


class CandidatesResult(Result, frozen=True):
    """At most `limit` candidates. `waiting` counts all that wait."""

    items: list[Candidate]
    waiting: int


class ConfirmParams(WorkspaceParams, frozen=True):
    """Turn a candidate into a memory, unchanged or with other words, type, scope or category.

    Works on a rejected candidate, too.
    """

    id: MemoryId
    content: Text | None = None
    name: Text | None = None
    type: MemoryType | None = None
    scope: Scope | None = None
    category: Category | None = None


class RejectParams(WorkspaceParams, frozen=True):
    """Reject a candidate. Nobody is asked about it again, whatever its words."""

    id: MemoryId
