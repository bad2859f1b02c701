"""Cursor: the MCP server. Its hooks cannot put a text in front of the agent in every version, so none are written."""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, in_json, server

CURSOR = Agent(
    "cursor",
    "Cursor",
    "cursor",
    lambda place: [place.home / ".cursor"],
    lambda place, command: [
        in_json(place.home / ".cursor" / "mcp.json", ["mcpServers", NAME], server(command))
    ],
    told="Cursor keeps the rules of a user in its settings, not in a file: there, or in a project's AGENTS.md, tell "
    "the agent to call the tool `context` at the start of a task.",
)
