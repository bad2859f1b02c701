"""The agents that `setup` supports. `agents.toml` lists their files; this module does what data cannot express."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from sidecar.cli.edits import jsonc, marked, toml, yaml

PROGRAM_NAME = "memory-sidecar"

AGENT_INSTRUCTIONS = """\
Memory of earlier sessions is kept by the MCP server `memory-sidecar`. At the start of a task call its tool `context`
with the task in the user's words. Before you read a large file, try `file_summary`. When the user states a preference
or corrects you, when a decision is made, or when an error is understood, call `remember`."""

_OWN_HOOK = re.compile(r"(?:memory-sidecar|-m sidecar)['\"]? hook(?: --agent [\w-]+)?\s*$")
_PLUGIN_NAME = f"{PROGRAM_NAME}@{PROGRAM_NAME}"


class Machine(msgspec.Struct, frozen=True):
    """The home folder and environment in which agents keep their configuration."""

    home: Path
    environ: Mapping[str, str] = {}

    @property
    def folders(self) -> dict[str, Path]:
        configured = self.environ.get("XDG_CONFIG_HOME")
        config = Path(configured) if configured and Path(configured).is_absolute() else self.home / ".config"
        mac = self.home / "Library" / "Application Support"
        return {"home": self.home, "config": config, "support": mac if sys.platform == "darwin" else config}


class Change(msgspec.Struct, frozen=True):
    """One file of an agent. `edit` adds our configuration to its text, `undo` removes it; both raise EditRefused."""

    path: Path
    edit: Callable[[str], str]
    undo: Callable[[str], str]
    is_empty: Callable[[str], bool] = lambda text: not text.strip()


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    keys: list[str] = []
    listed: bool = False
    value: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    events: tuple[str, ...] = ()
    item: dict[str, Any] = {}
    items: dict[str, dict[str, Any]] = {}
    matchers: dict[str, str] = {}


class KnownAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent as `agents.toml` describes it."""

    title: str
    program: str
    folder: str
    files: tuple[File, ...]
    variable: str | None = None
    marks: tuple[str, ...] = ("{folder}",)
    instructions: str | None = None
    advice: str = ""
    name: str = ""

    def is_installed(self, machine: Machine) -> bool:
        folders = self._placeholders(machine)
        marked = any(Path(mark.format_map(folders)).exists() for mark in self.marks)
        return marked or shutil.which(self.program, path=machine.environ.get("PATH")) is not None

    def changes(self, machine: Machine, command: list[str]) -> list[Change]:
        """Return the changes to the agent's files; `command` is the command line that starts the sidecar."""
        folders = self._placeholders(machine)
        values = {
            "{program}": command[0],
            "{arguments}": [*command[1:], "mcp"],
            "{command}": [*command, "mcp"],
            "{hook}": shlex.join([*command, "hook", *([] if self.name == "claude" else ["--agent", self.name])]),
            "{null}": None,
        }
        changes = [
            _file_change(Path(file.path.format_map(folders)), _fill_placeholders(file, values)) for file in self.files
        ]
        special = _CHANGES_BY_AGENT.get(self.name)
        return special(folders["folder"], changes, command) if special else changes

    def instruction_changes(self, machine: Machine) -> list[Change]:
        """Return the change that adds a marked paragraph to the agent's instruction file, if there is one."""
        if self.instructions is None:
            return []
        path = self._placeholders(machine)["folder"] / self.instructions
        return [Change(path, lambda text: marked.with_block(text, AGENT_INSTRUCTIONS), marked.without_block)]

    def _placeholders(self, machine: Machine) -> dict[str, Path]:
        moved = machine.environ.get(self.variable) if self.variable else None
        folder = Path(moved or self.folder.format_map(machine.folders))
        return {**machine.folders, "folder": folder, "state": (folder if moved else machine.home) / ".claude.json"}


def _fill_placeholders(file: File, values: Mapping[str, Any]) -> File:
    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        if isinstance(value, list):
            return [fill(item) for item in value]
        return values.get(value, value) if isinstance(value, str) else value

    items = {event: fill(file.items.get(event, file.item)) for event in file.events}
    for event, matcher in file.matchers.items():
        items[event] = {"matcher": matcher, **items[event]}
    return replace(file, value=fill(file.value), items=items)


def _file_change(path: Path, file: File) -> Change:
    if path.suffix == ".toml":
        table = (file.keys[0], PROGRAM_NAME)
        return Change(
            path, lambda text: toml.with_table(text, table, file.value), lambda text: toml.without_table(text, table)
        )
    if path.suffix == ".yaml":
        (key,) = file.keys
        return Change(
            path,
            lambda text: yaml.with_entry(text, key, PROGRAM_NAME, file.value, listed=file.listed),
            lambda text: yaml.without_entry(text, key, PROGRAM_NAME, listed=file.listed),
            yaml.is_empty,
        )
    keys = [*file.keys, PROGRAM_NAME]

    def edit(text: str) -> str:
        for name, value in file.defaults.items():
            if name not in jsonc.read_value(text):
                text = jsonc.with_value(text, [name], value)
        if file.value:
            text = jsonc.with_value(text, keys, file.value)
        for event, item in file.items.items():
            text = jsonc.with_items(text, ["hooks", event], item, is_own_hook)
        return text

    def undo(text: str) -> str:
        for event in file.items:
            text = jsonc.without_items(text, ["hooks", event], is_own_hook)
        return jsonc.without_value(text, keys) if file.value else text

    return Change(path, edit, undo, lambda text: set(jsonc.read_value(text)) <= set(file.defaults))


def is_own_hook(item: Any) -> bool:
    """Return whether an entry below `hooks.EVENT` runs this program and nothing else."""
    if not isinstance(item, dict):
        return False
    inner = item.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(is_own_hook(hook) for hook in inner)
    line = item.get("command") or item.get("bash")
    return isinstance(line, str) and _OWN_HOOK.search(line) is not None


def own_command(environ: Mapping[str, str], invoked: str | None = None) -> list[str]:
    """Return the command line that starts this program; a program in a cache of `uvx` or `pipx` comes last."""
    program_path = Path(os.path.abspath(invoked or sys.argv[0]))
    runs = program_path.name == PROGRAM_NAME and program_path.exists()
    if runs and not is_cached(program_path, environ):
        return [str(program_path)]
    places = [*environ.get("PATH", os.defpath).split(os.pathsep), str(Path.home() / ".local" / "bin")]
    permanent = [directory for directory in places if directory and not is_cached(Path(directory), environ)]
    if program := shutil.which(PROGRAM_NAME, path=os.pathsep.join(permanent)):
        return [program]
    return [str(program_path)] if runs else [sys.executable, "-m", "sidecar"]


def is_cached(path: Path, environ: Mapping[str, str]) -> bool:
    """Return whether a path is in a cache folder, which may be emptied at any time."""
    caches = [environ[name] for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME") if environ.get(name)]
    return not {".cache", "Caches"}.isdisjoint(path.parts) or any(path.is_relative_to(cache) for cache in caches)


def _claude_changes(folder: Path, changes: list[Change], command: list[str]) -> list[Change]:
    """Remove our hooks and server if the plugin provides them, because each memory would be shown twice."""
    try:
        settings = jsonc.read_value((folder / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return changes  # setup reports what is wrong with the file when it changes it
    plugins = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    if isinstance(plugins, dict) and plugins.get(_PLUGIN_NAME) is True:
        return [replace(change, edit=change.undo) for change in changes]
    return changes


def _continue_changes(folder: Path, changes: list[Change], command: list[str]) -> list[Change]:
    """Write a file of our own, which `cn` does not read, if there is no config.yaml; that would also need models."""
    if changes[0].path.exists():
        return changes
    value = {"command": command[0], "args": [*command[1:], "mcp"]}
    head = f"name: {PROGRAM_NAME}\nversion: 0.1.0\nschema: v1\n"
    text = yaml.with_entry(head, "mcpServers", PROGRAM_NAME, value, listed=True)
    return [_own_file_change(folder / "mcpServers" / f"{PROGRAM_NAME}.yaml", text)]


def _opencode_changes(folder: Path, changes: list[Change], command: list[str]) -> list[Change]:
    """Prefer opencode.jsonc if it exists. Add the plugin that reports events and injects memories."""
    (config,) = changes
    if (commented := folder / "opencode.jsonc").exists():
        config = replace(config, path=commented)
    packaged = Path(__file__).parents[1] / "agent_plugins" / "memory-sidecar.ts"
    checkout = Path(__file__).parents[2] / "editors" / "opencode" / "memory-sidecar.ts"
    text = (packaged if packaged.exists() else checkout).read_text(encoding="utf-8")
    written = text.replace('WRITTEN: string[] = ["memory-sidecar"]', f"WRITTEN: string[] = {json.dumps(command)}")
    return [config, _own_file_change(folder / "plugins" / "memory-sidecar.ts", written)]


def _own_file_change(path: Path, text: str) -> Change:
    return Change(path, lambda _: text, lambda _: "")


_CHANGES_BY_AGENT = {"claude": _claude_changes, "continue": _continue_changes, "opencode": _opencode_changes}


AGENTS: Mapping[str, KnownAgent] = {
    name: replace(msgspec.convert(agent, KnownAgent), name=name)
    for name, agent in tomllib.loads(Path(__file__).with_name("agents.toml").read_text("utf-8")).items()
}
