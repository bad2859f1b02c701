"""Structs of `session/import`: learning from the sessions that agents kept before."""

from typing import Annotated, Literal

import msgspec

from protocol.wire import Millis, Params, Result, WorkDoneToken

TranscriptAgent = Literal["claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider", "specstory"]


class ImportSessionsParams(Params, frozen=True):
    """Learn from the transcripts of this workspace's sessions that agents keep on this machine, oldest first.

    Again reads only what is new. `agents`: only theirs; what lies in the repository itself is read only where its agent
    is named. `since`: only sessions that began then or later. `elsewhere` also counts the sessions of other folders,
    of which nothing is read.
    """

    agents: Annotated[list[TranscriptAgent], msgspec.Meta(max_length=20)] | None = None
    since: Millis | None = None
    dry_run: bool = False
    elsewhere: bool = False
    work_done_token: WorkDoneToken | None = None


class SessionsSkipped(Result, frozen=True):
    """Sessions that were not read, and why; `count` is 0 where it is not known how many."""

    agent: str
    reason: str
    count: int = 0


class SessionsRead(Result, frozen=True):
    """What was read of one agent."""

    agent: str
    sessions: int
    messages: int


class SessionsElsewhere(Result, frozen=True):
    """How many sessions worked in another folder; an empty one is not known."""

    folder: str
    sessions: int


class LearnedFromSession(Result, frozen=True):
    """Something that a session taught, without its secrets."""

    rule: str
    content: str
    session_id: str
    at: Millis


class ImportSessionsResult(Result, frozen=True):
    """`messages` are the user's, `first` and `last` when the sessions read began.

    `learned` counts by rule what the sessions taught, `memories` how many there are more than before (of a dry run 0).
    `items` has the first 200 of a dry run.
    """

    dry_run: bool
    sessions: int
    messages: int
    first: Millis | None = None
    last: Millis | None = None
    agents: list[SessionsRead] = []
    learned: dict[str, int] = {}
    memories: int = 0
    skipped: list[SessionsSkipped] = []
    items: list[LearnedFromSession] = []
    elsewhere: list[SessionsElsewhere] = []
