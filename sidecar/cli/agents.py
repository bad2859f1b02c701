"""What each agent's own configuration has to say so that it uses the sidecar."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sidecar.cli.jsonc import with_item, with_value

NAME = "memory-sidecar"
TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|Read"
HOOKS: tuple[tuple[str, str | None], ...] = (
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PostToolUse", TOOLS),
    ("PostToolUseFailure", TOOLS),
    ("PreCompact", None),
    ("Stop", None),
    ("SubagentStop", None),
    ("SessionEnd", None),
)
HOOK_SECONDS = 10


@dataclass(frozen=True)
class Change:
    """One file, and what it is to say, given what it says now."""

    path: Path
    edit: Callable[[str], str]


def changes(agent: str, home: Path, command: list[str]) -> list[Change]:
    """The files of an agent that are to be changed. `command` starts the sidecar."""
    return _AGENTS[agent](home, command)


def own_command() -> list[str]:
    """How to start this program from anywhere: editors started from a desktop have another PATH than a shell."""
    invoked = Path(sys.argv[0])
    if invoked.name == NAME and invoked.exists():
        return [str(invoked.absolute())]
    found = shutil.which(NAME)
    return [found] if found else [sys.executable, "-m", "sidecar"]


def _server(command: list[str]) -> dict[str, object]:
    return {"command": command[0], "args": [*command[1:], "mcp"]}


def _claude(home: Path, command: list[str]) -> list[Change]:
    def hooks(text: str) -> str:
        run = shlex.join([*command, "hook"])
        for event, matcher in HOOKS:
            entry: dict[str, object] = {"matcher": matcher} if matcher else {}
            entry["hooks"] = [{"type": "command", "command": run, "timeout": HOOK_SECONDS}]
            text = with_item(text, ["hooks", event], entry)
        return text

    server = {"type": "stdio", **_server(command)}
    return [
        Change(home / ".claude" / "settings.json", hooks),
        Change(home / ".claude.json", lambda text: with_value(text, ["mcpServers", NAME], server)),
    ]


def _codex(home: Path, command: list[str]) -> list[Change]:
    table = f"[mcp_servers.{NAME}]"

    def edit(text: str) -> str:
        # Codex does not wait for a server unless it is told how long; TOML's tables may stand in any order.
        arguments = json.dumps([*command[1:], "mcp"])
        own = f"{table}\ncommand = {json.dumps(command[0])}\nargs = {arguments}\nstartup_timeout_sec = 20\n"
        found = re.search(rf"(?m)^{re.escape(table)}[ \t]*\n(?:(?!\[).*\n?)*", text)
        if found is not None:
            rest = text[found.end() :]
            return text[: found.start()] + own + ("\n" if rest.strip() else "") + rest
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{own}"

    return [Change(home / ".codex" / "config.toml", edit)]


def _json_server(*place: str, key: str = "mcpServers") -> Callable[[Path, list[str]], list[Change]]:
    def found(home: Path, command: list[str]) -> list[Change]:
        server = _server(command)
        return [Change(home.joinpath(*place), lambda text: with_value(text, [key, NAME], server))]

    return found


def _continue(home: Path, command: list[str]) -> list[Change]:
    lines = [f"name: {NAME}", "version: 0.1.0", "schema: v1", "mcpServers:", f"  - name: {NAME}"]
    lines += [f"    command: {json.dumps(command[0])}", f"    args: {json.dumps([*command[1:], 'mcp'])}"]
    return [Change(home / ".continue" / "mcpServers" / f"{NAME}.yaml", lambda _: "\n".join(lines) + "\n")]


def _opencode(home: Path, command: list[str]) -> list[Change]:
    place = home / ".config" / "opencode"
    file = place / ("opencode.jsonc" if (place / "opencode.jsonc").exists() else "opencode.json")
    server = {"type": "local", "command": [*command, "mcp"], "enabled": True}
    return [
        Change(file, lambda text: with_value(text, ["mcp", NAME], server)),
        Change(place / "plugins" / "memory-sidecar.ts", lambda _: _plugin(command)),
    ]


def _plugin(command: list[str]) -> str:
    """The plugin, with the way to start this program written into it."""
    text = plugin_file().read_text(encoding="utf-8")
    return text.replace('?? "memory-sidecar").split(" ")', f'?? {json.dumps(" ".join(command))}).split(" ")')


def plugin_file() -> Path:
    """Where the plugin for opencode is: in the package, or in the checkout that runs."""
    packaged = Path(__file__).parents[1] / "agent_plugins" / "memory-sidecar.ts"
    checkout = Path(__file__).parents[2] / "editors" / "opencode" / "memory-sidecar.ts"
    return packaged if packaged.exists() else checkout


_AGENTS: Mapping[str, Callable[[Path, list[str]], list[Change]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _json_server(".gemini", "settings.json"),
    "cursor": _json_server(".cursor", "mcp.json"),
    "zed": _json_server(".config", "zed", "settings.json", key="context_servers"),
    "continue": _continue,
    "opencode": _opencode,
}
AGENTS: tuple[str, ...] = tuple(_AGENTS)
