"""Structs of `session/import`: learn from the sessions that agents kept before."""

from typing import Annotated, Literal

import msgspec

from protocol.wire import Millis, Result, WorkDoneToken, WorkspaceParams

TranscriptAgent = Literal["claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "aider"]


class ImportSessionsParams(WorkspaceParams, frozen=True):
    """Learn from the transcripts of this workspace's sessions that agents keep on this machine, oldest first.

    Repeating it reads only what is new. With `agents`, only their sessions are read; transcripts in the repository
    itself are read only if their agent is named. With `since`, only sessions that began then or later are read. With
    `elsewhere`, the sessions of other folders are counted, too, without reading them.
    """

    agents: Annotated[list[TranscriptAgent], msgspec.Meta(max_length=20)] | None = None
    since: Millis | None = None
    dry_run: bool = False
    elsewhere: bool = False
    work_done_token: WorkDoneToken | None = None


class SessionsSkipped(Result, frozen=True):
    """Sessions that were not read, and why. `count` is 0 if their number is unknown."""

    agent: str
    reason: str
    count: int = 0


class SessionsRead(Result, frozen=True):
    """What was read of one agent's sessions."""

    agent: str
    sessions: int
    messages: int


class SessionsElsewhere(Result, frozen=True):
    """How many sessions worked in another folder; an empty `folder` stands for unknown folders."""

    folder: str
    sessions: int


class LearnedFromSession(Result, frozen=True):
    """Something that a session taught, without its secrets."""

    rule: str
    content: str
    session_id: str
    at: Millis


class ImportSessionsResult(Result, frozen=True):
    """What was learned from the sessions.

    `messages` counts the user's; `first` and `last` say when the sessions began that were read. `learned` counts
    lessons by their rule; `memories` counts the memories added (0 in a dry run). `items` has the first 200 of a dry
    run.
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
