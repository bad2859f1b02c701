"""Cursor: the MCP server, and hooks as its documentation has them (Cursor itself was not run with them)."""

from __future__ import annotations

from sidecar.cli.agents.agent import HOOK_SECONDS, NAME, Agent, Change, Place, hook_line, in_json, server
from sidecar.cli.edits import jsonc

# `postToolUse` tells of shell commands and edits too, so `afterShellExecution` and `afterFileEdit` are left out.
EVENTS = (
    "sessionStart",
    "beforeSubmitPrompt",
    "postToolUse",
    "postToolUseFailure",
    "afterAgentResponse",
    "preCompact",
    "stop",
    "subagentStop",
    "sessionEnd",
)


def _changes(place: Place, command: list[str]) -> list[Change]:
    folder = place.home / ".cursor"
    run = {"command": hook_line(command, "cursor"), "timeout": HOOK_SECONDS}
    hooks = in_json(folder / "hooks.json", hooks=dict.fromkeys(EVENTS, run))

    def edit(text: str) -> str:
        if "version" not in jsonc.read_value(text):
            text = jsonc.with_value(text, ["version"], 1)
        return hooks.edit(text)

    return [
        in_json(folder / "mcp.json", ["mcpServers", NAME], server(command)),
        Change(hooks.path, edit, hooks.undo, lambda text: set(jsonc.read_value(text)) <= {"version"}),
    ]


CURSOR = Agent(
    "cursor",
    "Cursor",
    "cursor",
    lambda place: [place.home / ".cursor"],
    _changes,
    told="Cursor keeps the rules of a user in its settings, not in a file: there, or in a project's AGENTS.md, tell "
    "the agent to call the tool `context` at the start of a task.",
)
