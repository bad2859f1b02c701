"""Structs of `sidecar/*`: the health of the process."""

from typing import Literal

from protocol.files import HistoryState
from protocol.wire import Millis, Result, WorkspaceParams


class StatusParams(WorkspaceParams, frozen=True):
    """Ask about every open workspace, or about the one that `workspaceUri` names."""


class WatcherStatus(Result, frozen=True):
    """Who tells the sidecar of file changes. If the system refused a watch, it is `polling`; `detail` says why."""

    state: Literal["client", "own", "polling", "off"]
    detail: str | None = None


class StoreStatus(Result, frozen=True):
    """One store on disk. `notice` says what was migrated, salvaged or set aside when it was opened."""

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
    """The state of MEMORY.md or its directory form.

    If it is `leftAlone`, it is not read or written for now. If it is `held`, many entries disappeared at once, and
    nothing happens until `memory/file` says whether to archive them. `detail` gives the reason, and lists hand edits
    that were rejected. If the repository is `trusted`, its entries count as the user's own.
    """

    path: str
    state: Literal["off", "absent", "current", "leftAlone", "held"]
    detail: str | None = None
    vanished: int = 0
    trusted: bool = False


class MemoryFileParams(WorkspaceParams, frozen=True):
    """Synchronise the memory file and the memories now.

    `trust` says whether the repository's text in the file counts as the user's word from now on; only a person can say
    yes. `vanished` says what to do if many entries were gone from the file at once: `archive` their memories, or
    `bringBack` the entries.
    """

    trust: bool | None = None
    vanished: Literal["archive", "bringBack"] | None = None


class EmbeddingStatus(Result, frozen=True):
    """The model that finds memories by meaning. Until it is `ready`, words decide alone; `reason` says why.

    `model` is the setting, `name` the exact model. `operation` is the making of missing vectors, `bytes` the size of
    the stored vectors on disk.
    """

    model: Literal["static", "minilm", "multilingual", "endpoint", "off"]
    state: Literal["off", "loading", "ready", "failed"]
    operation: Literal["idle", "running", "done", "cancelled", "failed"]
    bytes: int
    name: str | None = None
    reason: str | None = None
    hint: str | None = None


class ModelStatus(Result, frozen=True):
    """The chat model that writes about files and reads sessions.

    While it is `off`, none is configured and nothing is ever sent. At the `limit`, this day's tokens are used up.
    `waiting` counts questions of this checkout; `detail` describes a problem. `sessions` says which model reads what
    users said, `sessionsToday` how many sessions it read today (UTC) in all workspaces.
    """

    state: Literal["off", "idle", "working", "limit", "failed"]
    name: str | None = None
    waiting: int = 0
    detail: str | None = None
    sessions: Literal["off", "endpoint", "command", "client"] = "off"
    sessions_today: int = 0


class CodeStatus(Result, frozen=True):
    """The index behind `file/search` and the repository map. Each request for one of these updates it.

    `waiting` counts changed files that are not read yet. `history` is `off` by a setting, `waiting` to be read, or
    `unavailable` without a repository or git. `failed` counts files that met a defect of memory-sidecar: their
    definitions are unknown, and the log names them.
    """

    files: int
    waiting: int
    commits: int
    history: HistoryState
    failed: int = 0


class TrackerStatus(Result, frozen=True):
    """Requests to GitLab or GitHub about what memories name.

    While this is `off`, it is not configured and nothing is ever sent. While it is `paused`, no request is sent until
    `pausedUntil`. `detail` gives the reason, or describes another problem. `known` items were found there, `missing`
    ones not. `resolved` counts blockers of closed items.
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
    """Sharing memories through a database.

    It is `off` without a database or anything to share, and `idle` before it has begun here. `notJoined` means that
    this workspace is not shared, or that the role is not a member; `elsewhere`, that another process of this machine
    shares. When `offline`, the sidecar tries again by itself; when `refused`, a person must act. `detail` says what
    happened. `waiting` changes are not shared yet. At `syncedAt`, both sides were last the same.
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
    """One open workspace.

    `memories` counts by scope, `candidates` those that wait, `files` remembered contents. `tokensSaved` counts, since
    the workspace was first opened, the tokens of files on which sessions were briefed and that they did not read
    afterwards, less those of the briefings. `enabled` is false if memory is switched off for the workspace. `alone`
    says why it does not share the memory of a folder of which it claims to be a clone, and what to do if it is one.
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
    """The state of the process.

    `hitRates` (0 to 1) are keyed by what is looked up, `queues` (lengths) by what waits.
    """

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
