"""Claude Code: hooks in its settings, the MCP server in the file that it keeps of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sidecar.cli.agents.agent import HOOK_SECONDS, NAME, Agent, Change, Place, hook_line, in_json, server
from sidecar.cli.edits import jsonc

PLUGIN = f"{NAME}@{NAME}"

TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|Read"
FILE_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Read"
EVENTS: tuple[tuple[str, str | None], ...] = (
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PreToolUse", FILE_TOOLS),
    ("PostToolUse", TOOLS),
    ("PostToolUseFailure", TOOLS),
    ("PreCompact", None),
    ("Stop", None),
    ("SubagentStart", None),
    ("SubagentStop", None),
    ("SessionEnd", None),
)


def hooks(command: list[str]) -> dict[str, dict[str, Any]]:
    """What is to run at which event."""
    run = {"type": "command", "command": hook_line(command), "timeout": HOOK_SECONDS}
    return {event: {**({"matcher": matcher} if matcher else {}), "hooks": [run]} for event, matcher in EVENTS}


def _changes(place: Place, command: list[str]) -> list[Change]:
    moved = place.environ.get("CLAUDE_CONFIG_DIR")
    folder = place.named("CLAUDE_CONFIG_DIR", ".claude")
    state = folder / ".claude.json" if moved else place.home / ".claude.json"
    changes = [
        in_json(folder / "settings.json", hooks=hooks(command)),
        in_json(state, ["mcpServers", NAME], {"type": "stdio", **server(command)}),
    ]
    if _has_plugin(folder / "settings.json"):
        # The plugin does all of it; with both, everything would be told and shown twice.
        return [replace(change, edit=change.undo) for change in changes]
    return changes


def _has_plugin(settings: Path) -> bool:
    try:
        read = jsonc.read_value(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # what is wrong with it is said when it is to be changed
    plugins = read.get("enabledPlugins") if isinstance(read, dict) else None
    return isinstance(plugins, dict) and plugins.get(PLUGIN) is True


CLAUDE = Agent(
    "claude",
    "Claude Code",
    "claude",
    lambda place: [place.named("CLAUDE_CONFIG_DIR", ".claude"), place.home / ".claude.json"],
    _changes,
    lambda place: place.named("CLAUDE_CONFIG_DIR", ".claude") / "CLAUDE.md",
)
