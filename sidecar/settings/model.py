"""The tree of settings: one struct per group, the single place where a key, its range and default are written.

Wire and TOML names are camelCase (`files.maxFileBytes`), environment names upper snake
(`MEMORY_SIDECAR_FILES_MAX_FILE_BYTES`); both are derived from the fields here. A field marked `_OWN` cannot be
set by a workspace's own file, because whoever wrote the repository wrote that file; the value of one marked
`_SECRET` is shown nowhere either.
"""

# Annotations are not put off here: reading them from text would take every start fifteen milliseconds.

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

_OWN = {"own": True}
_SECRET = {"own": True, "secret": True}


class Group(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of every group of settings."""


class MemorySettings(Group, frozen=True):
    """Remembering as a whole."""

    enabled: Annotated[
        bool, Meta(description="Off: nothing is kept and nothing is answered from memory.")
    ] = True
    learn: Annotated[
        Literal["propose", "confirm", "off"],
        Meta(
            description="What becomes of what a session teaches: `propose` keeps candidates for a person to confirm, "
            "`confirm` also makes memories of what is said as standing or said again, `off` learns nothing."
        ),
    ] = "confirm"
    ask: Annotated[
        Literal["start", "stop", "never"],
        Meta(
            description="When an agent is to ask the user about candidates: `start` names up to three at the start of "
            "a session, `stop` has an agent with hooks ask once a session about what was said in it, `never` neither."
        ),
    ] = "start"
    learn_buffer_seconds: Annotated[
        float, Meta(ge=0, le=3_600, description="How long what was learned waits to be stored together.")
    ] = 3.0
    inject_likely_files: Annotated[
        bool,
        Meta(description="Say a few lines of files that a prompt is surely about, also when none is named."),
    ] = True
    inject_about_files: Annotated[
        bool,
        Meta(description="Tell an agent with hooks once what is known of a file that it reads or changes."),
    ] = True
    inject_budget_tokens: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Size of an injected block when the request names none.")
    ] = 5000

    @property
    def learns(self) -> bool:
        """Whether what happens is to be learned from."""
        return self.enabled and self.learn != "off"


class FileSettings(Group, frozen=True):
    """Reading the workspace's files."""

    max_file_bytes: Annotated[
        int, Meta(ge=1_000, le=100_000_000, description="A larger file is not read.")
    ] = 1_000_000
    ignore: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=1_000)], ...],
        Meta(max_length=1_000, description="Patterns left alone besides those of .gitignore, in its syntax."),
    ] = ()
    warm_up: Annotated[bool, Meta(description="Read the workspace in the background when it is opened.")] = (
        True
    )
    warm_up_workers: Annotated[
        Annotated[int, Meta(ge=1, le=64)] | None,
        Meta(description="Worker processes of the warm-up; chosen by the number of cores when not set."),
    ] = None
    keep_per_path: Annotated[
        int, Meta(ge=1, le=1_000, description="Earlier contents kept for each path.")
    ] = 16
    history: Annotated[
        bool, Meta(description="Let the repository's past commits help to find the files a text is about.")
    ] = True
    history_commits: Annotated[
        int, Meta(ge=1, le=100_000, description="The newest commits that are looked at.")
    ] = 5_000


class MemoryFileSettings(Group, frozen=True):
    """MEMORY.md: project memories as text that people read and edit."""

    mode: Annotated[
        Literal["file", "directory", "off"],
        Meta(description="One file, one file per memory (which git merges without conflicts), or none."),
    ] = "file"
    path: Annotated[
        str,
        Meta(
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}\.md$",
            description="The single file, relative to the workspace.",
            extra=_OWN,
        ),
    ] = ".agents/MEMORY.md"
    folder: Annotated[
        str,
        Meta(
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}$",
            description="The folder of the directory form, relative to the workspace.",
            extra=_OWN,
        ),
    ] = ".agents/memory"
    max_lines: Annotated[
        int, Meta(ge=20, le=10_000, description="Lines of the single file; the least important memories go.")
    ] = 200


class MaintenanceSettings(Group, frozen=True):
    """Keeping memories true and few, in the background while nobody asks for anything, and by `memory/maintain`."""

    enabled: Annotated[
        bool, Meta(description="Maintain in the background, once a day. Off: only when asked.")
    ] = True
    duplicates: Annotated[bool, Meta(description="Merge memories that say exactly the same.")] = True
    relevance: Annotated[
        bool,
        Meta(description="Let memories fade while they are not used; directives and hand-written never do."),
    ] = True
    archive: Annotated[bool, Meta(description="Archive what has faded below 0.1.")] = True
    references: Annotated[bool, Meta(description="Lower what names files that are gone.")] = True
    promotion: Annotated[
        bool, Meta(description="Give personal memories shown in more than 5 sessions to the project.")
    ] = True
    age: Annotated[
        bool, Meta(description="Archive blockers resolved 90 days ago and conversations of 180 days ago.")
    ] = True
    memory_file: Annotated[bool, Meta(description="Bring MEMORY.md up to date at the end of a run.")] = True
    consolidation: Annotated[
        bool, Meta(description="Look for similar memories and propose what to do; nothing is done unasked.")
    ] = True
    idle_minutes: Annotated[
        float, Meta(ge=0, le=1_440, description="Minutes without a request before it starts unasked.")
    ] = 5.0
    after_open_minutes: Annotated[
        float, Meta(ge=0, le=1_440, description="Minutes after opening a workspace before it starts unasked.")
    ] = 10.0


class EmbeddingSettings(Group, frozen=True):
    """Finding memories by what they mean, besides by their words."""

    model: Annotated[
        Literal["static", "minilm", "multilingual", "endpoint", "off"],
        Meta(
            description="The table in the package; MiniLM (extra `minilm`); a model of fifteen languages "
            "(extra `multilingual`); the endpoint, when one is set; none.",
            extra=_OWN,
        ),
    ] = "static"
    endpoint: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^\s@?#]+$", min_length=8, max_length=500)] | None,
        Meta(
            description="Base URL of an OpenAI-compatible API; redacted memories and queries are sent to it.",
            extra=_OWN,
        ),
    ] = None
    endpoint_model: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="The model that the endpoint is asked for.", extra=_OWN),
    ] = None
    endpoint_dimensions: Annotated[
        Annotated[int, Meta(ge=8, le=8_192)] | None,
        Meta(description="Dimensions to ask the endpoint for; the model's own when not set.", extra=_OWN),
    ] = None
    key: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1_000)] | None,
        Meta(description="Key for the endpoint; never shown.", extra=_SECRET),
    ] = None
    timeout_seconds: Annotated[
        float, Meta(ge=0.1, le=600, description="How long the endpoint may take to answer.", extra=_OWN)
    ] = 30.0


class ModelSettings(Group, frozen=True):
    """A chat model that writes about files and reads sessions. Off, and nothing is sent, unless one is named."""

    endpoint: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^\s@?#]+$", min_length=8, max_length=500)] | None,
        Meta(description="Base URL of an OpenAI-compatible API; texts of files are sent to it.", extra=_OWN),
    ] = None
    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="The model that the endpoint is asked for.", extra=_OWN),
    ] = None
    key: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1_000)] | None,
        Meta(description="Key for the endpoint; never shown.", extra=_SECRET),
    ] = None
    summaries: Annotated[bool, Meta(description="Have files that an agent read summarised.", extra=_OWN)] = (
        True
    )
    facets: Annotated[
        bool, Meta(description="Have facts about files taken from an agent's reasoning.", extra=_OWN)
    ] = True
    aggregates: Annotated[
        bool, Meta(description="Have summary and facets of a file made into one text.", extra=_OWN)
    ] = True
    long: Annotated[
        bool, Meta(description="Longer summaries of more of the file, in place of facets.", extra=_OWN)
    ] = False
    sessions: Annotated[
        Literal["off", "endpoint", "command", "client"],
        Meta(
            description="Who reads what the user said, at the end of a session, for what to remember: the endpoint, a "
            "command, or the model of an MCP client. The user's messages and the ends of the agent's go there.",
            extra=_OWN,
        ),
    ] = "off"
    command: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1_000)] | None,
        Meta(
            description="A program that reads a question on stdin and writes the answer: `claude`, `codex`, `gemini`, "
            "`qwen`, `opencode`, `llm`, or a command line of your own.",
            extra=_OWN,
        ),
    ] = None
    daily_tokens: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000, description="Tokens a day (UTC) over all workspaces.", extra=_OWN),
    ] = 200_000
    concurrency: Annotated[int, Meta(ge=1, le=16, description="Questions at a time.", extra=_OWN)] = 2
    timeout_seconds: Annotated[
        float, Meta(ge=0.1, le=600, description="How long the endpoint may take to answer.", extra=_OWN)
    ] = 60.0


class TrackerSettings(Group, frozen=True):
    """What GitLab or GitHub says of the issues and merge requests that memories name. Off, and nothing is sent, unless
    it is switched on and a token is there; the names of projects and numbers are sent, and never a memory.
    """

    enabled: Annotated[
        bool,
        Meta(description="Ask the forge of `origin` for title and state of what memories name.", extra=_OWN),
    ] = False
    gitlab_url: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^\s@?#]+$",
            min_length=8,
            max_length=500,
            description="The GitLab whose token this is; a repository from another host is not asked about.",
            extra=_OWN,
        ),
    ] = "https://gitlab.com"
    gitlab_token_variable: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
            min_length=1,
            max_length=100,
            description="The environment variable that holds the token for GitLab (scope read_api).",
            extra=_OWN,
        ),
    ] = "GITLAB_TOKEN"  # noqa: S105
    gitlab_token: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1_000)] | None,
        Meta(description="The token itself, in place of the variable; never shown.", extra=_SECRET),
    ] = None
    github_url: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^\s@?#]+$",
            min_length=8,
            max_length=500,
            description="The GitHub (or GitHub Enterprise) whose token this is.",
            extra=_OWN,
        ),
    ] = "https://github.com"
    github_token_variable: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
            min_length=1,
            max_length=100,
            description="The environment variable that holds the token for GitHub (read access to issues).",
            extra=_OWN,
        ),
    ] = "GITHUB_TOKEN"  # noqa: S105
    github_token: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1_000)] | None,
        Meta(description="The token itself, in place of the variable; never shown.", extra=_SECRET),
    ] = None
    timeout_seconds: Annotated[
        float, Meta(ge=0.1, le=600, description="How long a forge may take to answer.", extra=_OWN)
    ] = 10.0


class HookSettings(Group, frozen=True):
    """Hooks of agents: our own (`memory-sidecar hook`), and running others' for clients that ask (`hooks/run`)."""

    answer_seconds: Annotated[
        float,
        Meta(
            ge=0.5,
            le=60.0,
            description="How long an agent is kept waiting for the answer to one of its events. Then it is told "
            "nothing; what happened is learned from later.",
            extra=_OWN,
        ),
    ] = 4.0
    run: Annotated[
        Literal["never", "user", "all"],
        Meta(
            description="Whose hooks may be run: nobody's, the user's own, or the workspace's as well.",
            extra=_OWN,
        ),
    ] = "never"


class WatchSettings(Group, frozen=True):
    """Hearing of changed files."""

    mode: Annotated[
        Literal["auto", "own", "client", "off"],
        Meta(description="Who watches: the client where it can, else the sidecar (auto), or always one."),
    ] = "auto"
    reconcile_seconds: Annotated[
        float,
        Meta(ge=0.1, le=86_400, description="How often the tree is compared with what is known of it."),
    ] = 300.0
    poll_seconds: Annotated[
        float, Meta(ge=0.1, le=86_400, description="The same, while the system refuses a watch.")
    ] = 5.0


class StoreSettings(Group, frozen=True):
    """Where memory is kept."""

    folder: Annotated[
        Path | None,
        Meta(
            description="Absolute folder of all stores; the platform's user data folder when not set.",
            extra=_OWN,
        ),
    ] = None


class WorkspaceSettings(Group, frozen=True):
    """Which memory a folder belongs to."""

    id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="Identity used instead of the one found from git or the path.", extra=_OWN),
    ] = None


class LogSettings(Group, frozen=True):
    """What the process says about itself; never the content of a memory."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least serious message that is kept."),
    ] = "info"
    file: Annotated[
        Path | None,
        Meta(description="Absolute path of the log file; in the user's log folder when not set.", extra=_OWN),
    ] = None


class Settings(Group, frozen=True):
    """Every choice there is, with its value."""

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
