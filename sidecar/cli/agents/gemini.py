"""Gemini CLI: the MCP server and hooks in settings.json; its time-outs are milliseconds."""

from __future__ import annotations

from sidecar.cli.agents.agent import HOOK_SECONDS, NAME, Agent, Change, Place, hook_line, in_json, server

# PreCompress is left out: it comes before every call of the model.
EVENTS = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")


def _changes(place: Place, command: list[str]) -> list[Change]:
    run = {"name": NAME, "type": "command", "command": hook_line(command, "gemini")}
    entry = {"matcher": "*", "hooks": [{**run, "timeout": HOOK_SECONDS * 1_000}]}
    hooks = dict.fromkeys(EVENTS, entry)
    return [in_json(place.home / ".gemini" / "settings.json", ["mcpServers", NAME], server(command), hooks)]


GEMINI = Agent(
    "gemini",
    "Gemini CLI",
    "gemini",
    lambda place: [place.home / ".gemini"],
    _changes,
    lambda place: place.home / ".gemini" / "GEMINI.md",
)
