"""Structs of `sidecar/*`: the health of the process."""

from typing import Literal

from protocol.files import HistoryState
from protocol.wire import Millis, Params, Result


class StatusParams(Params, frozen=True):
    """Every open workspace, or with `workspaceUri` that one alone."""


class WatcherStatus(Result, frozen=True):
    """Who tells the sidecar of file changes; `polling` when the system refused a watch, `detail` says why."""

    state: Literal["client", "own", "polling", "off"]
    detail: str | None = None


class StoreStatus(Result, frozen=True):
    """One store on disk. `notice` tells what was migrated, salvaged or set aside when it was opened."""

    path: str
    bytes: int
    schema_version: int
    notice: str | None = None


class WarmupStatus(Result, frozen=True):
    """Background reading of the workspace's files."""

    state: Literal["idle", "running", "done", "cancelled", "failed"]
    done: int
    total: int
    cause: str | None = None


class MemoryFileStatus(Result, frozen=True):
    """The state of MEMORY.md or its directory form. `leftAlone`: not read or written for now; `detail` says why.

    `detail` also lists hand edits that were rejected. `held`: so many entries disappeared at once that nothing happens
    until `memory/file` says whether to archive them. `trusted`: the repository's entries count as the user's own.
    """

    path: str
    state: Literal["off", "absent", "current", "leftAlone", "held"]
    detail: str | None = None
    vanished: int = 0
    trusted: bool = False


class MemoryFileParams(Params, frozen=True):
    """Bring file and memories in step now. `trust`: whether what the repository says in its file counts as the user's
    word from now on; only a person can say that it does. `vanished`: what is to become of entries that are gone from
    the file at once: `archive` them, or `bringBack` and write them into the file again.
    """

    trust: bool | None = None
    vanished: Literal["archive", "bringBack"] | None = None


class EmbeddingStatus(Result, frozen=True):
    """The model that finds memories by meaning. While it is not `ready`, words decide alone; `reason` says why.

    `model` is the setting, `name` the exact model, `operation` the making of vectors that are missing, `bytes` what
    the kept vectors take on disk.
    """

    model: Literal["static", "minilm", "multilingual", "endpoint", "off"]
    state: Literal["off", "loading", "ready", "failed"]
    operation: Literal["idle", "running", "done", "cancelled", "failed"]
    bytes: int
    name: str | None = None
    reason: str | None = None
    hint: str | None = None


class ModelStatus(Result, frozen=True):
    """The chat model that writes about files and reads sessions. `off`: none is configured, and nothing is ever sent.

    `limit`: the tokens of this day are used. `waiting` counts questions of this checkout; `detail` says what is amiss.
    `sessions` says who reads what users said, `sessionsToday` how many sessions were read today (UTC), everywhere.
    """

    state: Literal["off", "idle", "working", "limit", "failed"]
    name: str | None = None
    waiting: int = 0
    detail: str | None = None
    sessions: Literal["off", "endpoint", "command", "client"] = "off"
    sessions_today: int = 0


class CodeStatus(Result, frozen=True):
    """What `file/search` and the repository map are made from; brought up to date when either is asked.

    `waiting` files have changed and are to be read. `history`: `off` by a setting, `waiting` to be read,
    `unavailable` without a repository or git. `failed` files met a defect of memory-sidecar, are known without their
    definitions, and are named in the log.
    """

    files: int
    waiting: int
    commits: int
    history: HistoryState
    failed: int = 0


class TrackerStatus(Result, frozen=True):
    """Asking GitLab or GitHub about what memories name. `off`: not configured, and nothing is ever sent.

    `paused`: the forge is left alone until `pausedUntil`; `detail` says why, and what is amiss otherwise. `known`
    things were found there, `missing` ones not; `resolved` counts blockers of what was closed.
    """

    state: Literal["off", "idle", "working", "paused", "failed"]
    host: str | None = None
    project: str | None = None
    known: int = 0
    missing: int = 0
    resolved: int = 0
    checked_at: Millis | None = None
    paused_until: Millis | None = None
    detail: str | None = None


class TeamStatus(Result, frozen=True):
    """Sharing memories through a database. `off`: none is named, or nothing is to be shared; `idle`: not begun here.

    `notJoined`: this workspace is not shared, or the role is no member. `elsewhere`: another process of this machine
    does it. `offline`: tried again by itself; `refused`: something must be put right. `detail` says what. `waiting`
    changes are not shared yet; `syncedAt` is when both sides last said the same.
    """

    state: Literal["off", "idle", "connecting", "notJoined", "shared", "readOnly", "elsewhere", "offline", "refused"]
    server: str | None = None
    waiting: int = 0
    pulled: int = 0
    pushed: int = 0
    merged: int = 0
    synced_at: Millis | None = None
    detail: str | None = None


class WorkspaceStatus(Result, frozen=True):
    """One open workspace. `memories` counts by scope, `candidates` those that wait, `files` remembered contents.

    `tokensSaved` are the tokens of files that sessions were briefed on and did not read afterwards, less those of the
    briefings, since the workspace was first opened. `enabled` is false where memory is switched off for it. `alone`
    says why it does not share the memory of a folder that it claims to be a clone of, and what to do if it is one.
    """

    uri: str
    id: str
    memories: dict[str, int]
    files: int
    facets: int
    watcher: WatcherStatus
    warmup: WarmupStatus
    stores: list[StoreStatus]
    memory_file: MemoryFileStatus | None = None
    model: ModelStatus | None = None
    code: CodeStatus | None = None
    embedding: EmbeddingStatus | None = None
    tokens_saved: int = 0
    trackers: TrackerStatus | None = None
    team: TeamStatus | None = None
    candidates: int = 0
    enabled: bool = True
    alone: str | None = None


class StatusResult(Result, frozen=True):
    """`hitRates` are in 0..1, keyed by what is looked up; `queues` are lengths, keyed by lane."""

    version: str
    pid: int
    uptime_ms: int
    enabled: bool
    workspaces: list[WorkspaceStatus]
    queues: dict[str, int]
    hit_rates: dict[str, float]
    tokens_saved: int
    settings_problems: list[str]
    model_tokens_today: int = 0
