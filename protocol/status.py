"""Structs of `sidecar/*`: the health of the process."""

from typing import Literal

from protocol.files import HistoryState
from protocol.wire import Millis, Result, WorkspaceParams


class StatusParams(WorkspaceParams, frozen=True):
    """Every open workspace, or the workspace that `workspaceUri` names."""


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

    `detail` also lists hand edits that were rejected. `held`: many entries disappeared at once, and nothing happens
    until `memory/file` says whether to archive them. `trusted`: the repository's entries count as the user's own.
    """

    path: str
    state: Literal["off", "absent", "current", "leftAlone", "held"]
    detail: str | None = None
    vanished: int = 0
    trusted: bool = False


class MemoryFileParams(WorkspaceParams, frozen=True):
    """Synchronise the memory file and the memories now.

    `trust`: whether the repository's text in the file counts as the user's word from now on; only a person can say yes.
    `vanished`: what to do if many entries were gone from the file at once: `archive` their memories, or `bringBack` the
    entries.
    """

    trust: bool | None = None
    vanished: Literal["archive", "bringBack"] | None = None


class EmbeddingStatus(Result, frozen=True):
    """The model that finds memories by meaning. Until it is `ready`, words decide alone; `reason` says why.

    `model` is the setting, `name` the exact model, `operation` the making of missing vectors, `bytes` the size of the
    stored vectors on disk.
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

    `limit`: this day's tokens are used up. `waiting` counts questions of this checkout; `detail` describes a problem.
    `sessions` says which model reads what users said, `sessionsToday` how many sessions it read today (UTC) in all
    workspaces.
    """

    state: Literal["off", "idle", "working", "limit", "failed"]
    name: str | None = None
    waiting: int = 0
    detail: str | None = None
    sessions: Literal["off", "endpoint", "command", "client"] = "off"
    sessions_today: int = 0


class CodeStatus(Result, frozen=True):
    """The index behind `file/search` and the repository map, which each such request updates.

    `waiting` counts changed files that are not read yet. `history`: `off` by a setting, `waiting` to be read,
    `unavailable` without a repository or git. `failed` counts files that met a defect of memory-sidecar: their
    definitions are unknown, and the log names them.
    """

    files: int
    waiting: int
    commits: int
    history: HistoryState
    failed: int = 0


class TrackerStatus(Result, frozen=True):
    """Requests to GitLab or GitHub about what memories name. `off`: not configured, and nothing is ever sent.

    `paused`: no request is sent until `pausedUntil`. `detail` says why, or describes another problem. `known` items
    were found there, `missing` ones not; `resolved` counts blockers of closed items.
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
    """Sharing memories through a database. `off`: no database or nothing to share; `idle`: not begun here.

    `notJoined`: this workspace is not shared, or the role is not a member. `elsewhere`: another process of this machine
    shares. `offline`: the sidecar tries again by itself; `refused`: a person must act. `detail` says what happened.
    `waiting` changes are not shared yet; at `syncedAt` both sides were last the same.
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
    """`hitRates` are in 0..1, keyed by what is looked up; `queues` are lengths, keyed by what waits."""

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
