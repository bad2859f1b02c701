"""The tree of settings: each group is a struct, which alone defines the keys, their ranges and defaults.

`descriptions.toml` describes each setting. The names on the wire and in TOML (`files.maxFileBytes`) and in the
environment (`MEMORY_SIDECAR_FILES_MAX_FILE_BYTES`) are derived from the fields.

The author of a repository may have written the workspace's own file, so each field says what that file may do:

- `_never`: it cannot set the value;
- `_less`, `_more`: it may lower or raise the user's value; `_less` also lets it switch a switch off;
- `_add`: it may add items to the user's list;
- `_order`: it may set a choice that is as strict as the user's, or stricter.

A `secret` value is never shown.
"""

# Without `from __future__ import annotations`, because evaluating them from text would take 15 ms of every start.

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta


def _field(repository_may: object, *, secret: bool = False, **bounds: Any) -> Meta:
    return Meta(extra={"repository_may": repository_may, "secret": secret}, **bounds)


_never = partial(_field, "never")
_less = partial(_field, "less")
_more = partial(_field, "more")
_add = partial(_field, "add")


def _order(*choices: str) -> Meta:
    """Order the choices, the strictest first; choices in one text are equally strict."""
    return _field(tuple(choice.split() for choice in choices))


Url = Annotated[str, Meta(pattern=r"^https?://[^\s@?#]+$", min_length=8, max_length=500)]
DatabaseUrl = Annotated[
    str,
    Meta(
        title="a URL such as postgresql://ann@db.example.org/memory", pattern=r"^postgres(ql)?://\S+$", max_length=1_000
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Line = Annotated[str, Meta(min_length=1, max_length=1_000)]
Variable = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", min_length=1, max_length=100)]
Seconds = Annotated[float, Meta(ge=0.1, le=600)]


class Group(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of every group of settings."""


class MemorySettings(Group, frozen=True):
    enabled: Annotated[bool, _less()] = True
    learn: Annotated[Literal["propose", "confirm", "off"], _order("off", "propose", "confirm")] = "confirm"
    ask: Annotated[Literal["start", "stop", "never"], _order("never", "start", "stop")] = "start"
    learn_buffer_seconds: Annotated[float, _never(ge=0, le=3_600)] = 3.0
    inject_likely_files: Annotated[bool, _less()] = True
    inject_about_files: Annotated[bool, _less()] = True
    inject_budget_tokens: Annotated[int, _less(ge=1, le=1_000_000)] = 5_000
    inject_max_lines: Annotated[Annotated[int, Meta(ge=5, le=100_000)] | None, _less()] = None
    review_days: Annotated[int, _more(ge=1, le=3_650)] = 90

    @property
    def learns(self) -> bool:
        return self.enabled and self.learn != "off"


class FileSettings(Group, frozen=True):
    max_file_bytes: Annotated[int, _less(ge=1_000, le=100_000_000)] = 1_000_000
    ignore: Annotated[tuple[Line, ...], _add(max_length=1_000)] = ()
    warm_up: Annotated[bool, _less()] = True
    warm_up_workers: Annotated[Annotated[int, Meta(ge=1, le=64)] | None, _less()] = None
    keep_per_path: Annotated[int, _less(ge=1, le=1_000)] = 16
    history: Annotated[bool, _less()] = True
    history_commits: Annotated[int, _less(ge=1, le=100_000)] = 5_000


class MemoryFileSettings(Group, frozen=True):
    """MEMORY.md, the project's memories as text that people read and edit."""

    mode: Annotated[Literal["file", "directory", "off"], _order("off", "file directory")] = "file"
    path: Annotated[str, _never(pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}\.md$")] = (
        ".agents/MEMORY.md"
    )
    folder: Annotated[str, _never(pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}$")] = ".agents/memory"
    max_lines: Annotated[int, _less(ge=20, le=10_000)] = 200


class MaintenanceSettings(Group, frozen=True):
    """Maintenance of memories, in the background while the process is idle, and by `memory/maintain`."""

    enabled: Annotated[bool, _less()] = True
    duplicates: Annotated[bool, _less()] = True
    relevance: Annotated[bool, _less()] = True
    archive: Annotated[bool, _less()] = True
    references: Annotated[bool, _less()] = True
    promotion: Annotated[bool, _less()] = True
    age: Annotated[bool, _less()] = True
    memory_file: Annotated[bool, _less()] = True
    consolidation: Annotated[bool, _less()] = True
    idle_minutes: Annotated[float, _more(ge=0, le=1_440)] = 5.0
    after_open_minutes: Annotated[float, _more(ge=0, le=1_440)] = 10.0


class EmbeddingSettings(Group, frozen=True):
    model: Annotated[Literal["static", "minilm", "multilingual", "endpoint", "off"], _never()] = "static"
    endpoint: Annotated[Url | None, _never()] = None
    endpoint_model: Annotated[Name | None, _never()] = None
    endpoint_dimensions: Annotated[Annotated[int, Meta(ge=8, le=8_192)] | None, _never()] = None
    key: Annotated[Line | None, _never(secret=True)] = None
    timeout_seconds: Annotated[Seconds, _never()] = 30.0


class ModelSettings(Group, frozen=True):
    """A chat model that writes about files and reads sessions. Nothing is sent unless a model is named."""

    endpoint: Annotated[Url | None, _never()] = None
    name: Annotated[Name | None, _never()] = None
    key: Annotated[Line | None, _never(secret=True)] = None
    summaries: Annotated[bool, _never()] = True
    facets: Annotated[bool, _never()] = True
    aggregates: Annotated[bool, _never()] = True
    long: Annotated[bool, _never()] = False
    sessions: Annotated[Literal["off", "endpoint", "command", "client"], _never()] = "off"
    command: Annotated[Line | None, _never()] = None
    daily_tokens: Annotated[int, _never(ge=0, le=1_000_000_000)] = 200_000
    concurrency: Annotated[int, _never(ge=1, le=16)] = 2
    timeout_seconds: Annotated[Seconds, _never()] = 60.0


class TrackerSettings(Group, frozen=True):
    """Queries to GitLab or GitHub about issues and merge requests that memories name.

    Nothing is sent unless this is switched on and has a token. What is sent then: project names and numbers, never
    memories.
    """

    enabled: Annotated[bool, _never()] = False
    gitlab_url: Annotated[Url, _never()] = "https://gitlab.com"
    gitlab_token_variable: Annotated[Variable, _never()] = "GITLAB_TOKEN"  # noqa: S105
    gitlab_token: Annotated[Line | None, _never(secret=True)] = None
    github_url: Annotated[Url, _never()] = "https://github.com"
    github_token_variable: Annotated[Variable, _never()] = "GITHUB_TOKEN"  # noqa: S105
    github_token: Annotated[Line | None, _never(secret=True)] = None
    timeout_seconds: Annotated[Seconds, _never()] = 10.0


class HookSettings(Group, frozen=True):
    """Our own hooks (`memory-sidecar hook`), and whether other people's hooks may be run (`hooks/run`)."""

    answer_seconds: Annotated[float, _never(ge=0.5, le=60.0)] = 4.0
    run: Annotated[Literal["never", "user", "all"], _never()] = "never"


class WatchSettings(Group, frozen=True):
    mode: Annotated[Literal["auto", "own", "client", "off"], _order("off", "client", "auto", "own")] = "auto"
    reconcile_seconds: Annotated[float, _more(ge=0.1, le=86_400)] = 300.0
    poll_seconds: Annotated[float, _more(ge=0.1, le=86_400)] = 5.0


class StoreSettings(Group, frozen=True):
    folder: Annotated[Path | None, _never()] = None
    url: Annotated[DatabaseUrl | None, _never(secret=True)] = None
    shared: Annotated[tuple[Literal["project", "personal", "global"], ...], _never(max_length=3)] = ("project",)
    shared_answers: Annotated[bool, _never()] = True
    directives_from: Annotated[tuple[Name, ...], _never(max_length=1_000)] = ()


class WorkspaceSettings(Group, frozen=True):
    id: Annotated[Name | None, _never()] = None


class LogSettings(Group, frozen=True):
    """The process's log, which never contains memories."""

    level: Annotated[Literal["debug", "info", "warning", "error"], _never()] = "info"
    format: Annotated[Literal["text", "json"], _never()] = "text"
    file: Annotated[Path | None, _never()] = None


class Settings(Group, frozen=True):
    memory: MemorySettings = MemorySettings()
    memory_file: MemoryFileSettings = MemoryFileSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    files: FileSettings = FileSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    models: ModelSettings = ModelSettings()
    trackers: TrackerSettings = TrackerSettings()
    hooks: HookSettings = HookSettings()
    watch: WatchSettings = WatchSettings()
    store: StoreSettings = StoreSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    log: LogSettings = LogSettings()
