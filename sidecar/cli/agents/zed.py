"""Zed: the MCP server as a context server."""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, in_json, server

ZED = Agent(
    "zed",
    "Zed",
    "zed",
    lambda place: [place.config / "zed"],
    lambda place, command: [
        in_json(place.config / "zed" / "settings.json", ["context_servers", NAME], server(command))
    ],
    told="Zed reads a project's AGENTS.md: tell the agent there to call the tool `context` at the start of a task.",
)
