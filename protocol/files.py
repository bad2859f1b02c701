"""Structs of `file/*`: what is known of a file's content."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from protocol.wire import Budget, Limit, Params, PathText, Result, Score


class SummaryParams(Params, frozen=True):
    """The briefing of a file. `intent: edit` means that the exact text is about to be needed."""

    path: PathText
    intent: Literal["explore", "edit"] = "explore"
    workspace_uri: str | None = None


class Symbol(Result, frozen=True):
    """A named part of a file. Lines count from 1, both ends included."""

    kind: str
    name: str
    start_line: int
    end_line: int
    signature: str
    doc: str | None = None
    public: bool = True
    children: list[Symbol] = []


class Facet(Result, frozen=True):
    """One durable, identifier-grounded fact about a file."""

    text: str
    symbols: list[str]


class SummaryResult(Result, frozen=True):
    """What stands for the file instead of its content, for the bytes that were on disk when it was asked.

    `tokens` is the size of `summary`, `fileTokens` that of the file; `advice`, when there is one, says why to
    read the file instead.
    """

    path: str
    hash: str
    origin: Literal["structural", "model", "aggregated"]
    fresh: bool
    partial: bool
    language: str
    summary: str
    facets: list[Facet]
    outline: list[Symbol]
    lines: int
    tokens: int
    file_tokens: int
    advice: str | None = None


class RepoMapParams(Params, frozen=True):
    """The repository's map, as seen from files and identifiers in play; from everywhere without them."""

    budget_tokens: Budget = 4096
    files: Annotated[list[PathText], Meta(max_length=1_000)] = []
    identifiers: Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=1_000)] = []
    workspace_uri: str | None = None


class RepoMapResult(Result, frozen=True):
    """Files with their key symbols, the most important first, each with its line; never above the budget.

    `files` are those in the text, in its order. `pending` files are still to be read: the map is without them.
    """

    text: str
    tokens: int
    files: list[str]
    pending: int = 0


FileKind = Literal["source", "test", "docs", "other"]


class FileSearchParams(Params, frozen=True):
    """The files that a text is about: an issue, a task, an error message. `kinds` leaves out files of other kinds."""

    query: Annotated[str, Meta(min_length=1, max_length=200_000)]
    limit: Limit = 10
    kinds: list[FileKind] | None = None
    workspace_uri: str | None = None


class FoundFile(Result, frozen=True):
    """One file. `score` compares within one answer; `coverage` is the share of the query that the file says, 0 to 1."""

    path: str
    score: Score
    coverage: Score
    reasons: list[str]


class FileSearchResult(Result, frozen=True):
    """Likeliest first. `pending` files are still to be read: the answer is without them."""

    items: list[FoundFile]
    pending: int = 0


class InvalidatedFile(Result, frozen=True):
    """A file whose remembered content is no longer what is on disk. `hash` is missing when it is gone."""

    path: str
    reason: Literal["changed", "deleted", "renamed"]
    old_hash: str
    hash: str | None = None
    new_path: str | None = None


class DidInvalidateFiles(Result, frozen=True):
    """`file/didInvalidate`: files of a workspace whose memory was invalidated."""

    workspace_uri: str
    files: list[InvalidatedFile]
