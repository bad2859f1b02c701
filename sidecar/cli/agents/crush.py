"""Crush: the MCP server in crush.json, which it reads beside its crushrc.

A crushrc is a shell script that runs at each start; a data file is the better place for a server's name.
"""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, in_json, server

CRUSH = Agent(
    "crush",
    "Crush",
    "crush",
    lambda place: [place.config / "crush"],
    lambda place, command: [
        in_json(place.config / "crush" / "crush.json", ["mcp", NAME], {"type": "stdio", **server(command)})
    ],
    lambda place: place.config / "crush" / "CRUSH.md",
)
