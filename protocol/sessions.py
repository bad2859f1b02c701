"""Structs of `session/*`: who works here now, and on what."""

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


Item = Annotated[
    str, msgspec.Meta(min_length=1, max_length=4_096, description="What is worked on: a path, a number, any text.")
]


class ClaimParams(Params, frozen=True):
    """A session takes an item for itself, or gives it back. Both count as a heartbeat.

    White space is normalised, and a path inside the workspace is kept relative to it.
    """

    session_id: SessionId
    item: Item
    workspace_uri: str | None = None


class Claim(Result, frozen=True):
    """An item that a session has claimed."""

    item: str
    claimed_at: Millis


class ClaimResult(Result, frozen=True):
    """`claimed`: the session has the item now, or had it already. Else `owner` is the session that has it.

    `age` is how long that has had it, in milliseconds; `agent` and `workingOn` are what it said of itself, and
    `elsewhere` whose it is on another machine.
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
    """`released`: the session had the item. Else `owner` is who has it, for `age` milliseconds; nobody without one."""

    item: str
    released: bool
    owner: str | None = None
    age: Millis | None = None


class Session(Result, frozen=True):
    """One session of a workspace. `expired`: its process is gone or gave no heartbeat for 30 minutes, and no end.

    `claims` are shown in lists; a session that is not active has none. `elsewhere`: whose it is on another machine.
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
