"""The requests to the domain, as plain values decoded by the engine, with paths made relative."""

from __future__ import annotations

import msgspec

from sidecar.store.records import ReferenceRecord

ANY_AGENT = "*"


class Draft(msgspec.Struct, frozen=True):
    """A memory to be recorded.

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

    `agent` None sees those without an agent, a name also that agent's, `ANY_AGENT` all. `files` may name folders;
    `since` compares with `updated_at`. `include` shows what is hidden otherwise (`archived`, `resolved`, `expired`);
    `status` keeps exactly those statuses.
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
    """A request for a block; `files` are the relative paths in play, and `brief` asks for little."""

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
    """The text that stands for a file in play, or why there is none (`unavailable`).

    `hash` is that of the content it describes; `likely` says why a file that nobody named is thought to be in play.
    """

    path: str
    text: str = ""
    tokens: int = 0
    hash: str = ""
    unavailable: str | None = None
    likely: str | None = None
