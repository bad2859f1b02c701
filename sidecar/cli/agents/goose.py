"""goose: the MCP server as an extension in config.yaml."""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, Change, Place, in_yaml


def _changes(place: Place, command: list[str]) -> list[Change]:
    entry = {
        "enabled": True,
        "type": "stdio",
        "name": NAME,
        "description": "Memory across sessions",
        "cmd": command[0],
        "args": [*command[1:], "mcp"],
        "envs": {},
        "env_keys": [],
        "timeout": 60,
        "bundled": None,
    }
    return [in_yaml(place.config / "goose" / "config.yaml", "extensions", entry, listed=False)]


GOOSE = Agent(
    "goose",
    "goose",
    "goose",
    lambda place: [place.config / "goose"],
    _changes,
    lambda place: place.config / "goose" / ".goosehints",
)
