"""Structs of `file/*`: what is known of a file's content."""

from __future__ import annotations

from typing import Literal

from protocol.wire import Params, PathText, Result


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
