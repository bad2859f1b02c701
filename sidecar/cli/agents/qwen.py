"""Qwen Code: as Gemini CLI, with Claude Code's names of events."""

from __future__ import annotations

from sidecar.cli.agents.agent import HOOK_SECONDS, NAME, Agent, Change, Place, hook_line, in_json, server

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
)


def _changes(place: Place, command: list[str]) -> list[Change]:
    run = {"name": NAME, "type": "command", "command": hook_line(command, "qwen")}
    entry = {"hooks": [{**run, "timeout": HOOK_SECONDS * 1_000}]}
    hooks = dict.fromkeys(EVENTS, entry)
    return [in_json(place.home / ".qwen" / "settings.json", ["mcpServers", NAME], server(command), hooks)]


QWEN = Agent(
    "qwen",
    "Qwen Code",
    "qwen",
    lambda place: [place.home / ".qwen"],
    _changes,
    lambda place: place.home / ".qwen" / "QWEN.md",
)
