"""Structs of `session/*`: who works here now, and on what."""

from typing import Annotated, Literal

import msgspec

from protocol.events import SessionId
from protocol.memories import Text
from protocol.wire import Limit, Millis, Result, WorkspaceParams

WorkingOn = Annotated[str, msgspec.Meta(max_length=1_000)]


class SessionParams(WorkspaceParams, frozen=True):
    """Parameters of a request that a session makes. Unless it names a workspace, it is about the session's own."""

    session_id: SessionId


class StartParams(SessionParams, frozen=True):
    """Start a session, or resume an ended or expired one."""

    working_on: WorkingOn | None = None
    agent: Text | None = None


class HeartbeatParams(SessionParams, frozen=True):
    """Report that a session is still running. Without a heartbeat for 30 minutes, it expires."""

    working_on: WorkingOn | None = None


class EndParams(SessionParams, frozen=True):
    """End a session. Its summary is stored as a conversation memory."""

    summary: str | None = None


class ListSessionsParams(WorkspaceParams, frozen=True):
    """List the active sessions, the latest heartbeat first. With `all`, also those that ended or expired."""

    all: bool = False
    limit: Limit = 50


Item = Annotated[
    str, msgspec.Meta(min_length=1, max_length=4_096, description="What is worked on: a path, a number, any text.")
]


class ClaimParams(SessionParams, frozen=True):
    """Claim an item for a session, or release it. Both count as a heartbeat.

    White space is normalised, and a path inside the workspace is kept relative to it.
    """

    item: Item


class Claim(Result, frozen=True):
    """An item that a session has claimed."""

    item: str
    claimed_at: Millis


class ClaimResult(Result, frozen=True):
    """Whether the item could be claimed.

    If it is `claimed`, the session has it now. Otherwise `owner` has had it for `age` milliseconds; `agent` and
    `workingOn` are what the owner reported, and `elsewhere` is the owner's machine, if it is another one.
    """

    item: str
    claimed: bool
    owner: str | None = None
    age: Millis | None = None
    claimed_at: Millis | None = None
    agent: str | None = None
    working_on: str | None = None
    elsewhere: str | None = None


class ReleaseResult(Result, frozen=True):
    """Whether the item was released.

    If it was not, the session did not have it; `owner`, if there is one, has had it for `age` milliseconds.
    """

    item: str
    released: bool
    owner: str | None = None
    age: Millis | None = None


class Session(Result, frozen=True):
    """One session of a workspace.

    An `expired` session did not end, but its process is gone or sent no heartbeat for 30 minutes. Lists show the
    `claims`; a session that is not active has none. `elsewhere` is the session's machine, if it is another one.
    """

    session_id: str
    state: Literal["active", "expired", "ended"]
    started_at: Millis
    heartbeat_at: Millis
    agent: str | None = None
    working_on: str | None = None
    ended_at: Millis | None = None
    summary: str | None = None
    claims: list[Claim] = []
    elsewhere: str | None = None


class ListSessionsResult(Result, frozen=True):
    """Sessions, the latest heartbeat first."""

    items: list[Session]
