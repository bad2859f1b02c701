"""Requests to this room, as plain values, with relative paths."""

from __future__ import annotations

import msgspec

from sidecar.store.records import ReferenceRecord

ANY_AGENT = "*"


class Draft(msgspec.Struct, frozen=True):
    """A memory to record.

    `expires_at` is epoch milliseconds, `files` are relative POSIX paths; `source` is `user`, `agent`,
    `extractor:<rule>` or `import:<format>`. `scope` None means `personal` for type `user`, else `project`.
    """

    content: str
    name: str | None = None
    description: str | None = None
    type: str = "project"
    scope: str | None = None
    category: str | None = None
    agent: str | None = None
    session_id: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    expires_at: int | None = None
    pinned: bool = False
    source: str = "agent"
    references: tuple[ReferenceRecord, ...] = ()
    entities: tuple[str, ...] = ()


class Filters(msgspec.Struct, frozen=True):
    """Which memories may be returned; None means any.

    With `agent` None, only memories for no agent pass; with a name, also that agent's; with `ANY_AGENT`, all. `files`
    may name folders; `since` is compared with `updated_at`. `include` lets hidden memories pass (`archived`,
    `resolved`, `expired`); with `status`, only memories of these statuses pass.
    """

    scopes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    agent: str | None = None
    files: tuple[str, ...] | None = None
    since: int | None = None
    include: tuple[str, ...] = ()
    status: tuple[str, ...] | None = None


class InjectRequest(msgspec.Struct, frozen=True):
    """A request for a block; `files` are the relative paths in play, `brief` asks for few items."""

    prompt: str | None = None
    files: tuple[str, ...] = ()
    agent: str | None = None
    session_id: str | None = None
    budget_tokens: int = 5000
    max_lines: int | None = None
    format: str = "markdown"
    exclude_shown: bool = False
    frozen: bool = False
    brief: bool = False


class Briefing(msgspec.Struct, frozen=True):
    """The text that stands for a file in play, or why there is no text (`unavailable`).

    `hash` identifies the content described; `likely` says why a file that nobody named may be in play.
    """

    path: str
    text: str = ""
    tokens: int = 0
    hash: str = ""
    unavailable: str | None = None
    likely: str | None = None
