"""Tools about code: a file's summary, the repository map, and the files that a text is about."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol import files as wire
from protocol.wire import Budget, Params
from sidecar.mcp.answers import Answer
from sidecar.mcp.home import Desk
from sidecar.mcp.memory_tools import Few, Text, Workspace
from sidecar.text import fence


class FileSummary(Params, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="Absolute, or relative to the workspace.")]
    intent: Literal["explore", "edit"] = "explore"
    workspace: Workspace = None


class Briefing(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    path: str
    hash: str
    summary: str
    lines: int
    tokens: int
    file_tokens: int
    facets: list[str] = []
    advice: str | None = None


class RepoMap(Params, frozen=True):
    budget_tokens: Budget = 4096
    files: list[Text] | None = None
    identifiers: list[Text] | None = None
    workspace: Workspace = None


class Map(msgspec.Struct, frozen=True):
    text: str
    tokens: int
    files: list[str]
    pending: int


class FindFiles(Params, frozen=True):
    query: Text
    limit: Few = 10
    workspace: Workspace = None


class FoundFile(msgspec.Struct, frozen=True):
    path: str
    reasons: list[str]


class Files(msgspec.Struct, frozen=True):
    items: list[FoundFile]
    pending: int


def file_summary(desk: Desk, given: FileSummary, now: int) -> Answer:
    asked = {"path": given.path, "intent": given.intent}
    found: wire.SummaryResult = desk.call("file/summary", asked)
    desk.asked_of(found.path)
    data = Briefing(
        found.path,
        found.hash,
        found.summary,
        found.lines,
        found.tokens,
        found.file_tokens,
        [facet.text for facet in found.facets],
        found.advice,
    )
    return Answer(briefing_text(found), data)


def briefing_text(found: wire.SummaryResult) -> str:
    """Return a briefing in the fence, as a model reads it."""
    head = f"{found.lines} lines, about {found.file_tokens} tokens; this summary {found.tokens}."
    facets = [fence.item("", facet.text) for facet in found.facets]
    parts = [head, *([found.advice] if found.advice else []), found.summary]
    return fence.of_files(*parts, *(["Learned about it:", *facets] if facets else []))


def repo_map(desk: Desk, given: RepoMap, now: int) -> Answer:
    asked = {"budgetTokens": given.budget_tokens, "files": given.files, "identifiers": given.identifiers}
    found: wire.RepoMapResult = desk.call("workspace/repoMap", asked)
    text = fence.of_files(found.text) if found.text else "No source files are known here.\n"
    text += _pending(found.pending)
    return Answer(text, Map(found.text, found.tokens, found.files, found.pending))


def find_files(desk: Desk, given: FindFiles, now: int) -> Answer:
    found: wire.FileSearchResult = desk.call("file/search", {"query": given.query, "limit": given.limit})
    lines = [fence.item("", fence.one_line(f"{each.path} ({'; '.join(each.reasons)})")) for each in found.items]
    text = fence.of_files(*lines) if lines else "No file says anything like that.\n"
    text += _pending(found.pending)
    if found.history == "waiting":
        text += "(Past commits are still being read; the files they speak for may come later.)"
    return Answer(text, Files([FoundFile(e.path, e.reasons) for e in found.items], found.pending))


def _pending(count: int) -> str:
    return f"({count} files are still being read; ask again later for all of them.)" if count else ""
