"""VS Code's own agents (Copilot's chat): the MCP server in the user's profile."""

from __future__ import annotations

from sidecar.cli.agents.agent import NAME, Agent, in_json, server

VSCODE = Agent(
    "vscode",
    "VS Code",
    "code",
    lambda place: [place.support("Code", "Code") / "User", place.home / ".vscode"],
    lambda place, command: [
        in_json(
            place.support("Code", "Code") / "User" / "mcp.json",
            ["servers", NAME],
            {"type": "stdio", **server(command)},
        )
    ],
    told="This gives the tools to VS Code's agents in every folder. The extension of memory-sidecar is apart from it: "
    "`code --install-extension memory-sidecar-VERSION.vsix`.",
)
