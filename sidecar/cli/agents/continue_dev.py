"""Continue: the MCP server in config.yaml, which its editor extensions and its command line `cn` both read.

Where there is no config.yaml a file of its own is written, which the extensions read and `cn` does not: a config.yaml
made by us would have no models.
"""

from __future__ import annotations

import json

from sidecar.cli.agents.agent import NAME, Agent, Change, Place, in_yaml, server, whole


def _changes(place: Place, command: list[str]) -> list[Change]:
    folder = place.named("CONTINUE_GLOBAL_DIR", ".continue")
    shared = in_yaml(folder / "config.yaml", "mcpServers", server(command), listed=True)
    lines = [f"name: {NAME}", "version: 0.1.0", "schema: v1", "mcpServers:", f"  - name: {NAME}"]
    lines += [f"    {key}: {json.dumps(value)}" for key, value in server(command).items()]
    own = whole(folder / "mcpServers" / f"{NAME}.yaml", "\n".join(lines) + "\n")
    if shared.path.exists():
        # One that an earlier version of this program wrote would start the server twice.
        return [shared, Change(own.path, lambda _: "", own.undo)] if own.path.exists() else [shared]
    return [own]


CONTINUE = Agent(
    "continue",
    "Continue",
    "cn",
    lambda place: [place.named("CONTINUE_GLOBAL_DIR", ".continue")],
    _changes,
    lambda place: place.named("CONTINUE_GLOBAL_DIR", ".continue") / "rules" / f"{NAME}.md",
    "Continue has no hooks that run: what it remembers depends on the agent calling the tools. "
    "`memory-sidecar setup continue --instructions` tells it to.",
)
