"""The tree of settings: one struct per group, the only place that defines a key, its range and its default.

Wire and TOML names are camelCase (`files.maxFileBytes`), environment names upper snake
(`MEMORY_SIDECAR_FILES_MAX_FILE_BYTES`); both are derived from the fields here.

The author of a repository wrote the workspace's own file, so each field says how far that file may go: `_never`, or
relative to the user's value: `_less` or `_more` than it, `_add` to it, or an earlier choice in `_order`. A switch with
`_less` may be switched off. A `secret` value is never shown.
"""

# Annotations are evaluated here: reading them from text would add fifteen milliseconds to every start.

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta


def _field(file: object, description: str, *, secret: bool = False, **bounds: Any) -> Meta:
    return Meta(description=description, extra={"file": file, "secret": secret}, **bounds)


_never = partial(_field, "never")
_less = partial(_field, "less")
_more = partial(_field, "more")
_add = partial(_field, "add")


def _order(*choices: str) -> Meta:
    """Take the choices, strictest first, with equally strict ones in one text; then their meaning."""
    return _field(tuple(choice.split() for choice in choices[:-1]), choices[-1])


Url = Annotated[str, Meta(pattern=r"^https?://[^\s@?#]+$", min_length=8, max_length=500)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Line = Annotated[str, Meta(min_length=1, max_length=1_000)]
Variable = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", min_length=1, max_length=100)]
Seconds = Annotated[float, Meta(ge=0.1, le=600)]


class Group(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of every group of settings."""


class MemorySettings(Group, frozen=True):
    """Remembering as a whole."""

    enabled: Annotated[bool, _less("Off: nothing is kept and nothing is answered from memory.")] = True
    learn: Annotated[
        Literal["propose", "confirm", "off"],
        _order(
            "off",
            "propose",
            "confirm",
            "What becomes of what a session teaches: `propose` keeps candidates for a person to confirm, "
            "`confirm` also makes memories of what is said as standing or said again, `off` learns nothing.",
        ),
    ] = "confirm"
    ask: Annotated[
        Literal["start", "stop", "never"],
        _order(
            "never",
            "start",
            "stop",
            "When an agent is to ask the user about candidates: `start` names up to three at the start of "
            "a session, `stop` has an agent with hooks ask once a session about what was said in it, `never` neither.",
        ),
    ] = "start"
    learn_buffer_seconds: Annotated[
        float, _never("How long what was learned waits to be stored together.", ge=0, le=3_600)
    ] = 3.0
    inject_likely_files: Annotated[
        bool, _less("Say a few lines of files that a prompt is surely about, also when none is named.")
    ] = True
    inject_about_files: Annotated[
        bool, _less("Tell an agent with hooks once what is known of a file that it reads or changes.")
    ] = True
    inject_budget_tokens: Annotated[
        int, _less("Size of an injected block when the request names none.", ge=1, le=1_000_000)
    ] = 5000

    @property
    def learns(self) -> bool:
        return self.enabled and self.learn != "off"


class FileSettings(Group, frozen=True):
    """Reading the workspace's files."""

    max_file_bytes: Annotated[int, _less("A larger file is not read.", ge=1_000, le=100_000_000)] = 1_000_000
    ignore: Annotated[
        tuple[Line, ...], _add("Patterns left alone besides those of .gitignore, in its syntax.", max_length=1_000)
    ] = ()
    warm_up: Annotated[bool, _less("Read the workspace in the background when it is opened.")] = True
    warm_up_workers: Annotated[
        Annotated[int, Meta(ge=1, le=64)] | None,
        _less("Worker processes of the warm-up; chosen by the number of cores when not set."),
    ] = None
    keep_per_path: Annotated[int, _less("Earlier contents kept for each path.", ge=1, le=1_000)] = 16
    history: Annotated[bool, _less("Let the repository's past commits help to find the files a text is about.")] = True
    history_commits: Annotated[int, _less("The newest commits that are looked at.", ge=1, le=100_000)] = 5_000


class MemoryFileSettings(Group, frozen=True):
    """MEMORY.md: project memories as text that people read and edit."""

    mode: Annotated[
        Literal["file", "directory", "off"],
        _order("off", "file directory", "One file, one file per memory (which git merges without conflicts), or none."),
    ] = "file"
    path: Annotated[
        str,
        _never(
            "The single file, relative to the workspace.",
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}\.md$",
        ),
    ] = ".agents/MEMORY.md"
    folder: Annotated[
        str,
        _never(
            "The folder of the directory form, relative to the workspace.",
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}$",
        ),
    ] = ".agents/memory"
    max_lines: Annotated[int, _less("Lines of the single file; the least important memories go.", ge=20, le=10_000)] = (
        200
    )


class MaintenanceSettings(Group, frozen=True):
    """Keeping memories true and few, in the background while idle and by `memory/maintain`."""

    enabled: Annotated[bool, _less("Maintain in the background, once a day. Off: only when asked.")] = True
    duplicates: Annotated[bool, _less("Merge memories that say exactly the same.")] = True
    relevance: Annotated[
        bool, _less("Let memories fade while they are not used; directives and hand-written never do.")
    ] = True
    archive: Annotated[bool, _less("Archive what has faded below 0.1.")] = True
    references: Annotated[bool, _less("Lower what names files that are gone.")] = True
    promotion: Annotated[bool, _less("Give personal memories shown in more than 5 sessions to the project.")] = True
    age: Annotated[bool, _less("Archive blockers resolved 90 days ago and conversations of 180 days ago.")] = True
    memory_file: Annotated[bool, _less("Bring MEMORY.md up to date at the end of a run.")] = True
    consolidation: Annotated[
        bool, _less("Look for similar memories and propose what to do; nothing is done unasked.")
    ] = True
    idle_minutes: Annotated[float, _more("Minutes without a request before it starts unasked.", ge=0, le=1_440)] = 5.0
    after_open_minutes: Annotated[
        float, _more("Minutes after opening a workspace before it starts unasked.", ge=0, le=1_440)
    ] = 10.0


class EmbeddingSettings(Group, frozen=True):
    """Finding memories by meaning as well as by words."""

    model: Annotated[
        Literal["static", "minilm", "multilingual", "endpoint", "off"],
        _never(
            "The table in the package; MiniLM (extra `minilm`); a model of fifteen languages "
            "(extra `multilingual`); the endpoint, when one is set; none."
        ),
    ] = "static"
    endpoint: Annotated[
        Url | None, _never("Base URL of an OpenAI-compatible API; redacted memories and queries are sent to it.")
    ] = None
    endpoint_model: Annotated[Name | None, _never("The model that the endpoint is asked for.")] = None
    endpoint_dimensions: Annotated[
        Annotated[int, Meta(ge=8, le=8_192)] | None,
        _never("Dimensions to ask the endpoint for; the model's own when not set."),
    ] = None
    key: Annotated[Line | None, _never("Key for the endpoint; never shown.", secret=True)] = None
    timeout_seconds: Annotated[Seconds, _never("How long the endpoint may take to answer.")] = 30.0


class ModelSettings(Group, frozen=True):
    """A chat model that writes about files and reads sessions; off, and nothing is sent, unless one is named."""

    endpoint: Annotated[Url | None, _never("Base URL of an OpenAI-compatible API; texts of files are sent to it.")] = (
        None
    )
    name: Annotated[Name | None, _never("The model that the endpoint is asked for.")] = None
    key: Annotated[Line | None, _never("Key for the endpoint; never shown.", secret=True)] = None
    summaries: Annotated[bool, _never("Have files that an agent read summarised.")] = True
    facets: Annotated[bool, _never("Have facts about files taken from an agent's reasoning.")] = True
    aggregates: Annotated[bool, _never("Have summary and facets of a file made into one text.")] = True
    long: Annotated[bool, _never("Longer summaries of more of the file, in place of facets.")] = False
    sessions: Annotated[
        Literal["off", "endpoint", "command", "client"],
        _never(
            "Who reads what the user said, at the end of a session, for what to remember: the endpoint, a "
            "command, or the model of an MCP client. The user's messages and the ends of the agent's go there."
        ),
    ] = "off"
    command: Annotated[
        Line | None,
        _never(
            "A program that reads a question on stdin and writes the answer: `claude`, `codex`, `gemini`, "
            "`qwen`, `opencode`, `llm`, or a command line of your own."
        ),
    ] = None
    daily_tokens: Annotated[int, _never("Tokens a day (UTC) over all workspaces.", ge=0, le=1_000_000_000)] = 200_000
    concurrency: Annotated[int, _never("Questions at a time.", ge=1, le=16)] = 2
    timeout_seconds: Annotated[Seconds, _never("How long the endpoint may take to answer.")] = 60.0


class TrackerSettings(Group, frozen=True):
    """What GitLab or GitHub says about issues and merge requests that memories name.

    Off, and nothing is sent, unless it is switched on and has a token; then project names and numbers are sent, never a
    memory.
    """

    enabled: Annotated[bool, _never("Ask the forge of `origin` for title and state of what memories name.")] = False
    gitlab_url: Annotated[
        Url, _never("The GitLab whose token this is; a repository from another host is not asked about.")
    ] = "https://gitlab.com"
    gitlab_token_variable: Annotated[
        Variable, _never("The environment variable that holds the token for GitLab (scope read_api).")
    ] = "GITLAB_TOKEN"  # noqa: S105
    gitlab_token: Annotated[
        Line | None, _never("The token itself, in place of the variable; never shown.", secret=True)
    ] = None
    github_url: Annotated[Url, _never("The GitHub (or GitHub Enterprise) whose token this is.")] = "https://github.com"
    github_token_variable: Annotated[
        Variable, _never("The environment variable that holds the token for GitHub (read access to issues).")
    ] = "GITHUB_TOKEN"  # noqa: S105
    github_token: Annotated[
        Line | None, _never("The token itself, in place of the variable; never shown.", secret=True)
    ] = None
    timeout_seconds: Annotated[Seconds, _never("How long a forge may take to answer.")] = 10.0


class HookSettings(Group, frozen=True):
    """Hooks of agents: our own (`memory-sidecar hook`), and running others' for clients that ask (`hooks/run`)."""

    answer_seconds: Annotated[
        float,
        _never(
            "How long an agent is kept waiting for the answer to one of its events. Then it is told "
            "nothing; what happened is learned from later.",
            ge=0.5,
            le=60.0,
        ),
    ] = 4.0
    run: Annotated[
        Literal["never", "user", "all"],
        _never("Whose hooks may be run: nobody's, the user's own, or the workspace's as well."),
    ] = "never"


class WatchSettings(Group, frozen=True):
    """Noticing changed files."""

    mode: Annotated[
        Literal["auto", "own", "client", "off"],
        _order(
            "off",
            "client",
            "auto",
            "own",
            "Who watches: the client where it can, else the sidecar (auto), or always one.",
        ),
    ] = "auto"
    reconcile_seconds: Annotated[
        float, _more("How often the tree is compared with what is known of it.", ge=0.1, le=86_400)
    ] = 300.0
    poll_seconds: Annotated[float, _more("The same, while the system refuses a watch.", ge=0.1, le=86_400)] = 5.0


class StoreSettings(Group, frozen=True):
    """Where memory is kept."""

    folder: Annotated[
        Path | None, _never("Absolute folder of all stores; the platform's user data folder when not set.")
    ] = None


class WorkspaceSettings(Group, frozen=True):
    """Which memory a folder belongs to."""

    id: Annotated[Name | None, _never("Identity used instead of the one found from git or the path.")] = None


class LogSettings(Group, frozen=True):
    """The process's log, which never holds the content of a memory."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], _never("The least serious message that is kept.")
    ] = "info"
    file: Annotated[Path | None, _never("Absolute path of the log file; in the user's log folder when not set.")] = None


class Settings(Group, frozen=True):
    """The values of all settings."""

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
