"""GitHub Copilot CLI: the MCP server in a file of its own, hooks in its settings."""

from __future__ import annotations

from sidecar.cli.agents.agent import HOOK_SECONDS, NAME, Agent, Change, Place, hook_line, in_json, server

# In this spelling the events carry their own name and Claude Code's fields.
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
)


def _changes(place: Place, command: list[str]) -> list[Change]:
    folder = place.named("COPILOT_HOME", ".copilot")
    run = {"type": "command", "bash": hook_line(command, "copilot"), "timeoutSec": HOOK_SECONDS}
    entry = {"type": "local", **server(command), "tools": ["*"]}
    return [
        in_json(folder / "mcp-config.json", ["mcpServers", NAME], entry),
        in_json(folder / "settings.json", hooks=dict.fromkeys(EVENTS, run)),
    ]


COPILOT = Agent(
    "copilot",
    "GitHub Copilot CLI",
    "copilot",
    lambda place: [place.named("COPILOT_HOME", ".copilot")],
    _changes,
    lambda place: place.named("COPILOT_HOME", ".copilot") / "copilot-instructions.md",
)
