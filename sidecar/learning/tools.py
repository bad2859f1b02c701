"""Determine what an agent's tool does, whatever its name: run a command, change files or read them.

Names are compared without case, separators and the prefix of an MCP server.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sidecar.learning.own_output import is_own_tool
from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

ToolKind = Literal["shell", "edit", "read", "own", "other"]

MAX_COMMAND_CHARS: Final = 16_000  # characters
MAX_PATHS: Final = 50  # paths of one use

_TABLE: Final[dict[str, dict[str, str]]] = read_toml(Path(__file__).with_name("tools.toml").read_text("utf-8"))
WORDS: Final = _TABLE["words"]
_KIND_BY_NAME: Final[dict[str, ToolKind]] = {
    name: kind for kind in ("read", "edit", "shell") for name in _TABLE["tools"][kind].split()
}
# Editors that several agents call by one name; their argument `command` says whether they only read.
_VIEW_COMMANDS: Final = frozenset({"view", "read", "open", "show"})
_COMMAND_KEYS, _PATH_KEYS, _LIST_KEYS, _PATCH_KEYS, _FOLDER_KEYS = (
    _TABLE["keys"][of].split() for of in ("command", "path", "list", "patch", "folder")
)
_SEPARATORS: Final = lazy(r"[^a-z0-9]+")
_PATCHED_FILE: Final = lazy(
    r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$|^\+\+\+ (?:b/)?([^\t\n]+?)\s*$", re.MULTILINE
)
_PATCH_BEGINS: Final = "*** Begin Patch"
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool."""

    kind: ToolKind
    command: str | None = None
    paths: tuple[str, ...] = ()  # as given
    folder: str | None = None  # where relative paths start, if known


def read_use(tool: str, input: object) -> ToolUse:
    kind = kind_of(tool)
    if kind in ("own", "other"):
        return ToolUse(kind)
    if kind == "shell":
        return _shell(input)
    paths = tuple(dict.fromkeys(_paths(input)))[:MAX_PATHS]
    if isinstance(input, Mapping):
        command = input.get("command")
        if kind == "edit" and isinstance(command, str) and command in _VIEW_COMMANDS:
            kind = "read"
        return ToolUse(kind, paths=paths, folder=_folder(input))
    return ToolUse(kind, paths=paths)


def kind_of(tool: str) -> ToolKind:
    if is_own_tool(tool):
        return "own"
    name = tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1].lower()
    return _KIND_BY_NAME.get(_SEPARATORS.sub("", name), "other")


def _shell(input: object) -> ToolUse:
    command: object = input
    folder = None
    if isinstance(input, Mapping):
        command = next((input[key] for key in _COMMAND_KEYS if input.get(key)), None)
        folder = _folder(input)
    if isinstance(command, Sequence) and not isinstance(command, (str, bytes)):
        command = _joined([word for word in command if isinstance(word, str)])
    if not isinstance(command, str) or not command.strip():
        return ToolUse("other")
    if _PATCH_BEGINS in command:  # Codex edits through its shell
        return ToolUse("edit", paths=tuple(dict.fromkeys(_patched(command)))[:MAX_PATHS], folder=folder)
    return ToolUse("shell", command=_bare(command)[:MAX_COMMAND_CHARS], folder=folder)


def _bare(command: str) -> str:
    """Strip a quotation mark that an agent left at one end of a command, or a pair around all of it."""
    text = command.strip()
    if text.count('"') % 2:
        return text[1:] if text[0] == '"' else text.removesuffix('"')
    return text[1:-1] if " " in text and text[0] == text[-1] == '"' and text.count('"') == 2 else text


def _joined(words: list[str]) -> str:
    if len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1].startswith("-"):
        return words[2]
    return shlex.join(words)


def _folder(fields: Mapping[object, object]) -> str | None:
    folder = next((fields[key] for key in _FOLDER_KEYS if fields.get(key)), None)
    return folder if isinstance(folder, str) else None


def _paths(input: object) -> list[str]:
    if isinstance(input, str):
        return _patched(input) if "\n" in input else [input]
    if not isinstance(input, Mapping):
        return []
    paths = [value for key in _PATH_KEYS if isinstance(value := input.get(key), str) and value]
    for key in _LIST_KEYS:
        values = input.get(key)
        if isinstance(values, Mapping):
            paths += [name for name in list(values)[:MAX_PATHS] if isinstance(name, str)]
        elif isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
            for value in values[:MAX_PATHS]:
                if isinstance(value, str):
                    paths.append(value)
                elif isinstance(value, Mapping):
                    paths += [p for key in _PATH_KEYS if isinstance(p := value.get(key), str) and p]
    for key in _PATCH_KEYS:
        value = input.get(key)
        if isinstance(value, str) and "\n" in value:
            paths += _patched(value)
    return paths


def _patched(text: str) -> list[str]:
    paths = [first or second for first, second in _PATCHED_FILE.findall(text)]
    return [path for path in paths if path != "/dev/null"]
