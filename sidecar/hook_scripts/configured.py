"""Find the hooks in the user's and the workspace's configuration, and the script that each hook starts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from sidecar.system.files import open_regular

ScriptOrigin = Literal["user", "workspace"]
Problem = Literal["missing", "notExecutable", "orphaned"]

MAX_CONFIGURATION_BYTES = 1_000_000
# Claude Code's default.
DEFAULT_TIMEOUT_SECONDS = 60.0
# The limit, whatever the configuration says.
MAX_TIMEOUT_SECONDS = 600.0
_FILES: tuple[tuple[ScriptOrigin, str], ...] = (
    ("user", "settings.json"),
    ("workspace", "settings.json"),
    ("workspace", "settings.local.json"),
)
_INTERPRETERS = frozenset("sh bash zsh dash python python3 node bun deno ruby perl env".split())
_NAMES = re.compile(r"[A-Za-z0-9_|]*")
_VARIABLE = re.compile(r"\$\{?(CLAUDE_PROJECT_DIR|HOME)\}?")


class Hook(msgspec.Struct, frozen=True):
    """A configured hook. Its `matcher` selects tools: None, "" and `*` match every tool.

    As in Claude Code, a matcher of letters, digits, `_` and `|` is a list of names. Any other matcher is a regular
    expression that is searched for in the tool's name, so `^Notebook` matches `NotebookEdit`.
    """

    event: str
    matcher: str | None
    command: str
    timeout: float
    origin: ScriptOrigin

    def matches(self, event: str, tool: str | None) -> bool:
        if event != self.event:
            return False
        if not self.matcher or self.matcher == "*" or tool is None:
            return True
        if _NAMES.fullmatch(self.matcher):
            return tool in self.matcher.split("|")
        try:
            return re.search(self.matcher, tool) is not None
        except re.error:
            return self.matcher == tool


class HookFinding(msgspec.Struct, frozen=True):
    problem: Problem
    path: str
    origin: ScriptOrigin
    hook: Hook | None = None


def configured_hooks(folder: Path, home: Path) -> list[Hook]:
    """Return the user's hooks, then the workspace's, each in file order. Unreadable files have none."""
    return [
        hook
        for origin, name in _FILES
        for hook in _read_hooks((home if origin == "user" else folder) / ".claude" / name, origin)
    ]


def find_problems(folder: Path, home: Path) -> list[HookFinding]:
    """Return the scripts of hooks that are missing or not executable, then the scripts that no hook runs."""
    hooks = configured_hooks(folder, home)
    problems: list[HookFinding] = []
    scripts_in_use: set[Path] = set()
    for hook in hooks:
        script, direct = script_of(hook.command, folder, home)
        if isinstance(script, str):
            if shutil.which(script) is None:
                problems.append(HookFinding("missing", script, hook.origin, hook))
        elif script is not None:
            scripts_in_use.add(script.resolve())
            if not script.is_file():
                problems.append(HookFinding("missing", str(script), hook.origin, hook))
            elif direct and not os.access(script, os.X_OK):
                problems.append(HookFinding("notExecutable", str(script), hook.origin, hook))
    places: tuple[tuple[ScriptOrigin, Path], ...] = (("user", home), ("workspace", folder))
    for origin, root in places:
        scripts = root / ".claude" / "hooks"
        if scripts.is_dir() and (origin == "workspace" or scripts.resolve() != folder / ".claude" / "hooks"):
            for script in sorted(path for path in scripts.iterdir() if path.is_file()):
                if script.resolve() not in scripts_in_use and not script.name.startswith("."):
                    problems.append(HookFinding("orphaned", str(script), origin))
    return problems


def expand_variables(command: str, folder: Path, home: Path) -> str:
    """Return a command with the values of the two variables that agents pass to hooks."""
    values = {"CLAUDE_PROJECT_DIR": str(folder), "HOME": str(home)}
    return _VARIABLE.sub(lambda match: values[match[1]], command)


def script_of(command: str, folder: Path, home: Path) -> tuple[Path | str | None, bool]:
    """Return the script that a command starts (a path or a program's name), and whether it needs no interpreter."""
    try:
        words = shlex.split(expand_variables(command, folder, home))
    except ValueError:
        return None, False
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words.pop(0)
    if not words:
        return None, False
    first = words[0]
    if Path(first).name in _INTERPRETERS:
        rest = next((word for word in words[1:] if not word.startswith("-")), None)
        if rest is None or "-c" in words or "/" not in rest:
            return first if "/" not in first else Path(first), True
        return _path(rest, folder, home), False
    return (_path(first, folder, home), True) if "/" in first else (first, True)


def _path(word: str, folder: Path, home: Path) -> Path:
    if word.startswith("~/"):
        return home / word[2:]
    return folder / word  # an absolute path stays as it is


def _read_hooks(path: Path, origin: ScriptOrigin) -> Iterator[Hook]:
    events = _read_settings(path).get("hooks")
    for event, entries in events.items() if isinstance(events, dict) else ():
        for entry in entries if isinstance(entries, list) else ():
            inner = entry.get("hooks") if isinstance(entry, dict) else None
            for item in inner if isinstance(inner, list) else ():
                if isinstance(item, dict) and isinstance(item.get("command"), str) and item["command"].strip():
                    matcher, timeout = entry.get("matcher"), item.get("timeout")
                    seconds = float(timeout) if isinstance(timeout, int | float) else DEFAULT_TIMEOUT_SECONDS
                    seconds = min(max(seconds, 0.1), MAX_TIMEOUT_SECONDS)
                    pattern = matcher if isinstance(matcher, str) else None
                    yield Hook(event, pattern, item["command"], seconds, origin)


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        with open(open_regular(path), "rb") as file:
            return msgspec.json.decode(file.read(MAX_CONFIGURATION_BYTES), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
