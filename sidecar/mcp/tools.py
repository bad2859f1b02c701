"""The tools: few, short to describe, and each one request of the engine.

Names are stable. A description is what makes an agent use a tool at the right moment, and every agent pays for it in
every session, so a test holds the whole list to a budget of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from protocol.methods import METHODS, Lane
from protocol.wire import Params
from sidecar.mcp import code_tools, memory_tools
from sidecar.mcp.answers import ToolAnswer
from sidecar.mcp.schemas import arguments_schema, output_schema
from sidecar.mcp.tool_call import ToolCall

Kind = Literal["read", "write", "change", "delete"]

__all__ = ["TOOLS", "Tool", "described"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. It is offered only if the engine has all methods in `needs`; the first gives its lane."""

    name: str
    description: str
    kind: Kind
    arguments: type[Params]
    output: type[msgspec.Struct]
    run: Callable[[ToolCall, Any, int], ToolAnswer]
    needs: tuple[str, ...]

    @property
    def lane(self) -> Lane:
        return METHODS[self.needs[0]].lane


_ALL = (
    Tool(
        "recall",
        "Search what was learned in earlier sessions: preferences, decisions, errors and their fixes, how things "
        "are done here. Use it before you ask the user, and when a command fails. Without query: the newest.",
        "read",
        memory_tools.RecallArguments,
        memory_tools.RecallResult,
        memory_tools.recall,
        ("memory/search", "memory/list"),
    ),
    Tool(
        "remember",
        "Store one fact for later sessions: above all what the user states as standing (a preference, correction, "
        "rule), in the user's words; a decision with its reason, a fix, how something is done here. One statement, "
        "understandable on its own. Not the current task, no secrets.",
        "write",
        memory_tools.RememberArguments,
        memory_tools.RememberResult,
        memory_tools.remember,
        ("memory/record",),
    ),
    Tool(
        "context",
        "The memories that matter for a task, due reminders, open blockers, who else works here and the files in hand, "
        "within a token budget. Call it at the start of a session, task or sub-agent.",
        "read",
        memory_tools.ContextArguments,
        memory_tools.ContextResult,
        memory_tools.context,
        ("memory/inject", "context/boot"),
    ),
    Tool(
        "update_memory",
        "Correct a memory, or say that it still holds (verify), was of use (useful, notUseful), blocks no more "
        "(resolve), is wanted no more (archive), belongs to the whole project (promote), take the last change back "
        "(undo; redo), or bring back what was forgotten (restore). On the user's word only: make a memory of a "
        "candidate (confirm), as it is or with new content.",
        "change",
        memory_tools.UpdateArguments,
        memory_tools.UpdateResult,
        memory_tools.update,
        ("memory/update", "memory/verify", "memory/confirm", "memory/rate"),
    ),
    Tool(
        "forget",
        "Delete a memory that is wrong or that the user wants gone, or a candidate that the user says does not hold. "
        "It is not learned again.",
        "delete",
        memory_tools.ForgetArguments,
        memory_tools.ForgetResult,
        memory_tools.forget,
        ("memory/delete", "memory/reject"),
    ),
    Tool(
        "file_summary",
        "What a file is, its public API with signatures and line ranges, and facts learned about it, for its "
        "content on disk now. Much shorter than the file: try it before reading one.",
        "read",
        code_tools.FileSummaryArguments,
        code_tools.FileSummaryResult,
        code_tools.file_summary,
        ("file/summary",),
    ),
    Tool(
        "repo_map",
        "The repository's most important files with their key symbols, as seen from the files and identifiers in "
        "play. For orientation in unknown code.",
        "read",
        code_tools.RepoMapArguments,
        code_tools.RepoMapResult,
        code_tools.repo_map,
        ("workspace/repoMap",),
    ),
    Tool(
        "find_files",
        "The files that a task, issue or error message is about, by their content and by similar past commits.",
        "read",
        code_tools.FindFilesArguments,
        code_tools.FindFilesResult,
        code_tools.find_files,
        ("file/search",),
    ),
    Tool(
        "session",
        "Who else works here now and on what; say what you work on (start); claim an item so that no other agent "
        "takes it up, and release it; end with a summary for the next session.",
        "change",
        memory_tools.SessionArguments,
        memory_tools.SessionResult,
        memory_tools.session,
        ("session/start", "session/claim", "session/release"),
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL if all(need in METHODS for need in tool.needs)}
"""The tools this engine can serve, in the order they are listed."""

for _tool in _ALL:  # so that no two threads are the first to read one, see `sidecar.engine.decoder_warmup`
    msgspec.json.Decoder(_tool.arguments)


def described(tool: Tool, *, annotations: bool = True, structured: bool = True) -> dict[str, Any]:
    """Return a tool as `tools/list` shows it."""
    found: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": arguments_schema(tool.arguments),
    }
    if structured:
        found["outputSchema"] = output_schema(tool.output)
    if annotations:
        found["annotations"] = _annotations(tool)
    return found


def _annotations(tool: Tool) -> dict[str, bool]:
    if tool.kind == "read":
        return {"readOnlyHint": True, "openWorldHint": False}
    return {
        "readOnlyHint": False,
        "destructiveHint": tool.kind == "delete",
        "idempotentHint": tool.kind in ("write", "delete"),
        "openWorldHint": False,
    }
