"""opencode: the MCP server, and the plugin that tells events and injects."""

from __future__ import annotations

import json
from pathlib import Path

from sidecar.cli.agents.agent import NAME, Agent, Change, Place, in_json, whole


def _changes(place: Place, command: list[str]) -> list[Change]:
    folder = place.config / "opencode"
    file = folder / ("opencode.jsonc" if (folder / "opencode.jsonc").exists() else "opencode.json")
    entry = {"type": "local", "command": [*command, "mcp"], "enabled": True}
    return [
        in_json(file, ["mcp", NAME], entry),
        whole(folder / "plugins" / "memory-sidecar.ts", plugin(command)),
    ]


def plugin(command: list[str]) -> str:
    """The plugin, with the way to start this program written into it."""
    text = plugin_file().read_text(encoding="utf-8")
    return text.replace(
        'WRITTEN: string[] = ["memory-sidecar"]', f"WRITTEN: string[] = {json.dumps(command)}"
    )


def plugin_file() -> Path:
    """Where the plugin is: in the package, or in the checkout that runs."""
    packaged = Path(__file__).parents[2] / "agent_plugins" / "memory-sidecar.ts"
    checkout = Path(__file__).parents[3] / "editors" / "opencode" / "memory-sidecar.ts"
    return packaged if packaged.exists() else checkout


OPENCODE = Agent(
    "opencode",
    "opencode",
    "opencode",
    lambda place: [place.config / "opencode"],
    _changes,
    lambda place: place.config / "opencode" / "AGENTS.md",
)
