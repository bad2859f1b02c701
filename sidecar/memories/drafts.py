"""What the domain is asked: plain values, already decoded and with paths made relative by the facade."""

from __future__ import annotations

import msgspec

from sidecar.store.records import ReferenceRecord

ANY_AGENT = "*"


class Draft(msgspec.Struct, frozen=True):
    """A memory to be recorded. `scope` None means `personal` for type `user`, else `project`.

    `expires_at` is epoch milliseconds, `files` relative POSIX paths, `source` one of `user`, `agent`,
    `extractor:<rule>`, `import:<format>`.
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
    """Which memories may be answered. None means "any".

    `agent` None sees memories without an agent only; a name sees those and that agent's; `ANY_AGENT` sees all.
    `files` keeps memories about one of these files, or about a file below one of them when it names a folder.
    `since` compares with `updated_at`. `include` shows what is hidden otherwise: `archived`, `resolved`, `expired`.
    `status`, when given, keeps exactly those statuses and so includes them.
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
    """What should stand in front of an agent now. `files` are the relative paths in play; `brief` asks for little."""

    prompt: str | None = None
    files: tuple[str, ...] = ()
    agent: str | None = None
    session_id: str | None = None
    budget_tokens: int = 5000
    format: str = "markdown"
    exclude_shown: bool = False
    frozen: bool = False
    brief: bool = False


class Briefing(msgspec.Struct, frozen=True):
    """The text that stands for a file in play, or, when `unavailable` is set, why there is none.

    `tokens` is the size of `text`, `hash` the content it describes. `likely`: nobody named the file; this is why it is
    thought to be in play.
    """

    path: str
    text: str = ""
    tokens: int = 0
    hash: str = ""
    unavailable: str | None = None
    likely: str | None = None
