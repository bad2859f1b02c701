"""Codex CLI: the MCP server in config.toml, hooks of Claude Code's form in hooks.json."""

from __future__ import annotations

from sidecar.cli.agents.agent import (
    HOOK_SECONDS,
    NAME,
    Agent,
    Change,
    Place,
    hook_line,
    in_json,
    in_toml,
    server,
)

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
)

SESSION_END_SECONDS = 3
"""Codex allows no more at the end of a session, and says so at each start when more is asked for."""


def _changes(place: Place, command: list[str]) -> list[Change]:
    folder = place.named("CODEX_HOME", ".codex")
    run = {"type": "command", "command": hook_line(command, "codex"), "timeout": HOOK_SECONDS}
    hooks = {event: {"hooks": [run]} for event in EVENTS}
    hooks["SessionEnd"] = {"hooks": [{**run, "timeout": SESSION_END_SECONDS}]}
    # Codex does not wait for a server unless it is told how long.
    values = {**server(command), "startup_timeout_sec": 20}
    return [
        in_toml(folder / "config.toml", ("mcp_servers", NAME), values),
        in_json(folder / "hooks.json", hooks=hooks),
    ]


CODEX = Agent(
    "codex",
    "Codex CLI",
    "codex",
    lambda place: [place.named("CODEX_HOME", ".codex")],
    _changes,
    lambda place: place.named("CODEX_HOME", ".codex") / "AGENTS.md",
    "Codex runs a hook only after you have looked at it and trusted it: start codex, enter /hooks, and trust those "
    "of memory-sidecar. Until then the MCP server works and the hooks do not run; Codex does not say so by itself.",
)
