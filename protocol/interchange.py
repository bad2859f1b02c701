"""Structs of `memory/export`, `memory/import` and `memory/bootstrap`: memories in and out."""

from typing import Annotated, Literal

import msgspec

from protocol.memories import Category, MemoryType, Redaction, Scope, Text
from protocol.wire import Millis, Result, WorkDoneToken, WorkspaceParams

Format = Literal[
    "memory-sidecar", "semantic-memory", "claude", "serena", "mcp-memory", "opencode", "records", "markdown", "prism"
]
ImportPath = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


class ExportParams(WorkspaceParams, frozen=True):
    """Export the memories of these scopes (default: all) as lines of JSON that `memory/import` restores exactly.

    `history` adds every earlier version; `deleted` adds the deleted memories that can still be restored. Without
    `deleted`, only digests say that something was deleted.

    The project's memories come with the reminders and with what was learned about files. The memories of each scope
    come with its candidates, whatever their status. With `types`, `categories`, `tags` (any of them) or `since`, only
    the memories that fit are exported, and nothing else.

    The answer is a page. Ask again with its `cursor` until there is none.
    """

    scopes: list[Scope] | None = None
    history: bool = True
    deleted: bool = False
    types: list[MemoryType] | None = None
    categories: list[Category] | None = None
    tags: list[Text] | None = None
    since: Millis | None = None
    cursor: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    work_done_token: WorkDoneToken | None = None


class ExportResult(Result, frozen=True):
    """Lines of an export, in order. Each is a JSON object without its line break.

    `memories` counts those of the page.
    """

    lines: list[str]
    memories: int
    cursor: str | None = None


class ImportParams(WorkspaceParams, frozen=True):
    """Import the memories of another tool's files, or of an export: all of them, or none.

    Only Prism's facts about files are imported one by one; each is judged against the file as it is now.

    `path` is a file or folder of the workspace (the command line takes any). `text` is the content of a file instead,
    and `name` what the answer calls it. Without `format`, the format is detected. `scope` applies to formats that name
    none. `directives` keeps the category of standing instructions; by default, only our own exports keep it. With
    `forgotten`, an export of ours also brings back what was deleted here since. `workDoneToken` asks for progress, as
    in LSP.
    """

    path: ImportPath | None = None
    text: Annotated[str, msgspec.Meta(max_length=64_000_000)] | None = None
    name: ImportPath | None = None
    format: Format | None = None
    scope: Scope | None = None
    dry_run: bool = False
    directives: bool | None = None
    forgotten: bool = False
    work_done_token: WorkDoneToken | None = None


Outcome = Literal["created", "merged", "duplicate", "forgotten", "skipped", "refused"]


class ImportedItem(Result, frozen=True):
    """What became of one item, or would become of it.

    `id` is the memory that has the item's text now, and `where` the item's place in the source. The outcome `forgotten`
    means that the item was deleted here before; `skipped`, that it is not a memory, or is here already in another way;
    `refused`, that it cannot be a memory, for the `reason` given.
    """

    outcome: Outcome
    name: str
    where: str
    id: str | None = None
    scope: Scope | None = None
    reason: str | None = None
    redactions: list[Redaction] = []


class ImportResult(Result, frozen=True):
    """The outcomes of an import.

    `counts` has every outcome. `items` lists at most 1,000, those that need a look first; `more` counts the others.
    `links`, `tombstones`, `reminders`, `facets` (facts about files) and `candidates` count what else was added.
    """

    format: Format | Literal["bootstrap"]
    dry_run: bool
    counts: dict[str, int]
    items: list[ImportedItem]
    links: int = 0
    tombstones: int = 0
    reminders: int = 0
    facets: int = 0
    candidates: int = 0
    more: int = 0


class BootstrapParams(WorkspaceParams, frozen=True):
    """Record first facts of the project, from its README, package manifests and CI files; repeating it adds nothing.

    A fact whose files have changed is updated, unless somebody has changed its memory here. `names` selects facts by
    the names that a dry run gives.
    """

    dry_run: bool = False
    names: list[Text] | None = None
    work_done_token: WorkDoneToken | None = None


class BootstrapFact(Result, frozen=True):
    """One fact, the files that state it, and what became of it."""

    outcome: Outcome
    name: str
    content: str
    files: list[str]
    id: str | None = None
    reason: str | None = None


class BootstrapResult(Result, frozen=True):
    """The facts found, in the order of their use."""

    dry_run: bool
    facts: list[BootstrapFact]
