"""Tools about code: a file's summary, the repository map, and the files that a text is about."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from protocol import files as api
from protocol.wire import Params
from sidecar.mcp.answers import ToolAnswer, without_none
from sidecar.mcp.memory_tools import Budget, MaxItems, Text, Workspace
from sidecar.mcp.tool import tool
from sidecar.mcp.tool_call import ToolCall
from sidecar.text import fence

_REFUSALS: dict[str, str] = {
    "tooShort": "too short",
    "tooLong": "too long, say it in one sentence",
    "noIdentifier": "it names nothing of the file's code",
    "notInFile": "the file has none of the names",
    "definedElsewhere": "another file defines what it names",
    "noSuchFile": "file not found",
    "task": "it is about the task, not the file",
    "notDurable": "it will not hold for long",
    "question": "it is a question",
    "paraphrase": "it says what the code says",
    "alreadyInOutline": "the outline says it already",
    "saysLittle": "it adds too little to the outline",
    "code": "it is code",
    "noise": "it is not a statement",
    "secret": "it holds a secret",
    "full": "the file has too many facts already",
}


class FileSummaryArguments(Params, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="Absolute, or relative to the workspace.")]
    intent: Literal["explore", "edit"] = "explore"
    workspace: Workspace = None


class RepoMapArguments(Params, frozen=True):
    budget_tokens: Budget = 4096
    files: list[Text] | None = None
    identifiers: list[Text] | None = None
    workspace: Workspace = None


class FindFilesArguments(Params, frozen=True):
    query: Text
    limit: MaxItems = 10
    workspace: Workspace = None


class FileFactArguments(Params, frozen=True):
    text: Text
    paths: list[Text] | None = None
    workspace: Workspace = None


@tool("read", "file/summary", always_loaded=True)
def file_summary(call: ToolCall, args: FileSummaryArguments, now: int) -> ToolAnswer:
    """What a file is, its public API with signatures and line ranges, and facts learned about it, for its
    content on disk now. Much shorter than the file: try it before reading one.
    """
    summary = call.file_summary(api.SummaryParams(path=args.path, intent=args.intent))
    call.record_in_hand(summary.path)
    data = without_none(
        path=summary.path,
        hash=summary.hash,
        summary=summary.summary,
        lines=summary.lines,
        tokens=summary.tokens,
        fileTokens=summary.file_tokens,
        facets=[facet.text for facet in summary.facets] or None,
        advice=summary.advice,
    )
    return ToolAnswer(briefing_text(summary), data)


def briefing_text(summary: api.SummaryResult) -> str:
    head = f"{summary.lines} lines, about {summary.file_tokens} tokens; this summary {summary.tokens}."
    facets = [fence.item("", facet.text) for facet in summary.facets]
    parts = [head, *([summary.advice] if summary.advice else []), summary.summary]
    return fence.enclose_file_texts(*parts, *(["Learned about it:", *facets] if facets else []))


@tool("read", "workspace/repoMap")
def repo_map(call: ToolCall, args: RepoMapArguments, now: int) -> ToolAnswer:
    """The repository's most important files with their key symbols, as seen from the files and identifiers in
    play. For orientation in unknown code.
    """
    params = api.RepoMapParams(
        budget_tokens=args.budget_tokens, files=args.files or [], identifiers=args.identifiers or []
    )
    result = call.workspace_repo_map(params)
    text = fence.enclose_file_texts(result.text) if result.text else "No source files are known here.\n"
    text += _pending(result.pending)
    data = {"text": result.text, "tokens": result.tokens, "files": result.files, "pending": result.pending}
    return ToolAnswer(text, data)


@tool("read", "file/search")
def find_files(call: ToolCall, args: FindFilesArguments, now: int) -> ToolAnswer:
    """The files that a task, issue or error message is about, by their content and by similar past commits."""
    result = call.file_search(api.FileSearchParams(query=args.query, limit=args.limit))
    lines = [fence.item("", fence.one_line(f"{file.path} ({'; '.join(file.reasons)})")) for file in result.items]
    text = fence.enclose_file_texts(*lines) if lines else "No file says anything like that.\n"
    text += _pending(result.pending)
    if result.history == "waiting":
        text += "(Past commits are still being read; the files they speak for may come later.)"
    items = [{"path": file.path, "reasons": file.reasons} for file in result.items]
    return ToolAnswer(text, {"items": items, "pending": result.pending})


@tool("write", "file/observe")
def file_fact(call: ToolCall, args: FileFactArguments, now: int) -> ToolAnswer:
    """Keep what a file's code does not show: a trap, a rule of use, what must change together. One sentence that
    names what it is about.
    """
    params = api.ObserveParams(session_id=call.session_id, text=args.text, paths=args.paths)
    result = call.file_observe(params)
    lines = [f"Kept for {facet.path}: {facet.text}" for facet in result.facets]
    refused = {f"{refusal.path or 'any file'}: {_REFUSALS[refusal.reason]}" for refusal in result.refused}
    lines += [f"Not kept for {reason}." for reason in sorted(refused)]
    text = "\n".join(map(fence.one_line, lines)) or "Nothing is kept: name its file in paths."
    return ToolAnswer(text, {"kept": [facet.path for facet in result.facets], "refused": sorted(refused)})


def _pending(count: int) -> str:
    return f"({count} files are still being read; ask again later for all of them.)" if count else ""
