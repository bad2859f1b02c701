"""What an adapter says of its agent."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.cli.edits import jsonc, marked, toml, yaml

NAME = "memory-sidecar"
HOOK_SECONDS = 10

PARAGRAPH = """\
Memory of earlier sessions is kept by the MCP server `memory-sidecar`. At the start of a task call its tool `context`
with the task in the user's words. Before you read a large file, try `file_summary`. When the user states a preference
or corrects you, when a decision is made, or when an error is understood, call `remember`."""

_OWN_HOOK = re.compile(r"(?:memory-sidecar|-m sidecar)['\"]? hook(?: --agent [\w-]+)?\s*$")


@dataclass(frozen=True)
class Place:
    """Where an agent's configuration is looked for. `config` is the folder of the desktop's convention."""

    home: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """`$XDG_CONFIG_HOME`, else `~/.config`."""
        given = self.environ.get("XDG_CONFIG_HOME")
        return Path(given) if given and Path(given).is_absolute() else self.home / ".config"

    def named(self, variable: str, default: str) -> Path:
        """The folder that a variable of the agent names, else one in the home folder."""
        given = self.environ.get(variable)
        return Path(given) if given else self.home / default

    def support(self, linux: str, mac: str) -> Path:
        """A folder of a desktop program."""
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support" / mac
        return self.config / linux


@dataclass(frozen=True)
class Change:
    """One file: what it is to say, and what it says without us, given what it says now. Both raise Refused."""

    path: Path
    edit: Callable[[str], str]
    undo: Callable[[str], str]
    is_empty: Callable[[str], bool] = lambda text: not text.strip()


@dataclass(frozen=True)
class Agent:
    """One agent. `command` in `changes` is what starts the sidecar."""

    name: str
    title: str
    program: str | None
    """What is on the PATH where it is installed."""

    marks: Callable[[Place], Sequence[Path]]
    """Folders that are there where it was used."""

    changes: Callable[[Place, list[str]], list[Change]]
    instructions: Callable[[Place], Path] | None = None
    """The file of instructions that it reads in every project, where it has one."""

    told: str = ""
    """What the user has to do, or to know, besides."""

    def found(self, place: Place) -> bool:
        """Whether it seems to be on this machine."""
        path = place.environ.get("PATH")
        return any(mark.exists() for mark in self.marks(place)) or bool(
            self.program and shutil.which(self.program, path=path)
        )


def own_command() -> list[str]:
    """How to start this program from anywhere: editors started from a desktop have another PATH than a shell."""
    invoked = Path(sys.argv[0])
    if invoked.name == NAME and invoked.exists():
        return [os.path.abspath(invoked)]
    found = shutil.which(NAME)
    return [found] if found else [sys.executable, "-m", "sidecar"]


def server(command: list[str]) -> dict[str, Any]:
    """The MCP server as most agents want it."""
    return {"command": command[0], "args": [*command[1:], "mcp"]}


def hook_line(command: list[str], agent: str | None = None) -> str:
    """The shell's line that answers one event of an agent."""
    return shlex.join([*command, "hook", *(["--agent", agent] if agent else [])])


def in_json(
    path: Path,
    keys: Sequence[str] = (),
    value: Any = None,
    hooks: Mapping[str, dict[str, Any]] | None = None,
) -> Change:
    """A value at a path of keys, and items of `hooks.EVENT`, in JSON with or without comments."""

    def edit(text: str) -> str:
        if keys:
            text = jsonc.with_value(text, keys, value)
        for event, item in (hooks or {}).items():
            text = jsonc.with_items(text, ["hooks", event], item, is_own_hook)
        return text

    def undo(text: str) -> str:
        for event in hooks or {}:
            text = jsonc.without_items(text, ["hooks", event], is_own_hook)
        return jsonc.without_value(text, keys) if keys else text

    return Change(path, edit, undo, jsonc.is_empty)


def is_own_hook(item: Any) -> bool:
    """Whether an entry below `hooks.EVENT` runs this program, and nothing else."""
    if not isinstance(item, dict):
        return False
    inner = item.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(is_own_hook(each) for each in inner)
    line = item.get("command") or item.get("bash")
    return isinstance(line, str) and _OWN_HOOK.search(line) is not None


def in_toml(path: Path, table: tuple[str, str], values: Mapping[str, Any]) -> Change:
    """A table in TOML."""
    return Change(
        path, lambda text: toml.with_table(text, table, values), lambda text: toml.without_table(text, table)
    )


def in_yaml(path: Path, key: str, entry: dict[str, Any], *, listed: bool) -> Change:
    """An entry of ours below a key in YAML."""
    return Change(
        path,
        lambda text: yaml.with_entry(text, key, NAME, entry, listed=listed),
        lambda text: yaml.without_entry(text, key, NAME, listed=listed),
        yaml.is_empty,
    )


def whole(path: Path, text: str) -> Change:
    """A file that is ours."""
    return Change(path, lambda _: text, lambda _: "")


def in_instructions(path: Path) -> Change:
    """A marked paragraph in a file of instructions."""
    return Change(path, lambda text: marked.with_block(text, PARAGRAPH), marked.without_block)
