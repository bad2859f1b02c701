"""Structs of `session/*`: who works here now, and on what."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from protocol.events import SessionId
from protocol.memories import Text
from protocol.wire import Limit, Millis, Params, Result

WorkingOn = Annotated[str, msgspec.Meta(max_length=1_000)]


class StartParams(Params, frozen=True):
    """A session begins, or goes on after it had ended or expired."""

    session_id: SessionId
    working_on: WorkingOn | None = None
    agent: Text | None = None
    workspace_uri: str | None = None


class HeartbeatParams(Params, frozen=True):
    """A session is still there; a session without one for 30 minutes has expired."""

    session_id: SessionId
    working_on: WorkingOn | None = None
    workspace_uri: str | None = None


class EndParams(Params, frozen=True):
    """A session is over; its summary is kept as a conversation memory."""

    session_id: SessionId
    summary: str | None = None
    workspace_uri: str | None = None


class ListSessionsParams(Params, frozen=True):
    """The active sessions, or with `all` those that ended or expired too; the latest heartbeat first."""

    all: bool = False
    limit: Limit = 50
    workspace_uri: str | None = None


class Session(Result, frozen=True):
    """One session of a workspace. `expired`: no heartbeat for 30 minutes, and no end."""

    session_id: str
    state: Literal["active", "expired", "ended"]
    started_at: Millis
    heartbeat_at: Millis
    agent: str | None = None
    working_on: str | None = None
    ended_at: Millis | None = None
    summary: str | None = None


class ListSessionsResult(Result, frozen=True):
    """Sessions, the latest heartbeat first."""

    items: list[Session]
