"""Requests to this room, as plain values."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.store.records import ReferenceRecord

ANY_AGENT = "*"
Format = Literal["markdown", "xml"]
FORMATS: tuple[Format, ...] = ("markdown", "xml")


class Draft(msgspec.Struct, frozen=True):
    """A memory to record."""

    content: str
    name: str | None = None
    description: str | None = None
    type: str = "project"
    scope: str | None = None  # None means `personal` for type `user`, otherwise `project`
    category: str | None = None
    agent: str | None = None
    session_id: str | None = None
    files: tuple[str, ...] = ()  # relative POSIX paths
    tags: tuple[str, ...] = ()
    expires_at: int | None = None  # epoch milliseconds
    pinned: bool = False
    source: str = "agent"  # `user`, `agent`, `extractor:<rule>` or `import:<format>`
    references: tuple[ReferenceRecord, ...] = ()
    entities: tuple[str, ...] = ()


class Filters(msgspec.Struct, frozen=True):
    """Which memories may be returned; a filter that is None excludes nothing."""

    scopes: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    agent: str | None = None  # None: memories for no agent; a name: also that agent's; `ANY_AGENT`: all
    files: tuple[str, ...] | None = None  # files or folders
    since: int | None = None  # the earliest `updated_at`
    include: tuple[str, ...] = ()  # hidden memories that may pass, too: `archived`, `resolved`, `expired`
    status: tuple[str, ...] | None = None  # only memories with one of these statuses pass


class InjectRequest(msgspec.Struct, frozen=True):
    """A request for a block."""

    prompt: str | None = None
    files: tuple[str, ...] = ()  # relative paths in play
    agent: str | None = None
    session_id: str | None = None
    budget_tokens: int = 5000
    max_lines: int | None = None
    format: Format = "markdown"
    exclude_shown: bool = False
    frozen: bool = False
    brief: bool = False  # return only few items


class Briefing(msgspec.Struct, frozen=True):
    """What a block contains about a file in play."""

    path: str
    text: str = ""
    tokens: int = 0
    hash: str = ""  # of the content described
    unavailable: str | None = None  # why the text is missing
    likely: str | None = None  # why a file that the request does not name may be in play
