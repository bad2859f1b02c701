"""Windsurf: the MCP server for Cascade."""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, in_json, server

WINDSURF = Agent(
    "windsurf",
    "Windsurf",
    "windsurf",
    lambda place: [place.home / ".codeium" / "windsurf"],
    lambda place, command: [
        in_json(
            place.home / ".codeium" / "windsurf" / "mcp_config.json", ["mcpServers", NAME], server(command)
        )
    ],
    lambda place: place.home / ".codeium" / "windsurf" / "memories" / "global_rules.md",
    "Press the refresh button of the MCP servers in Cascade's settings.",
)
