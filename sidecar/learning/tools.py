"""Determine what an agent's tool does, whatever its name: run a command, change files or read them.

Names are compared without case, separators and the prefix of an MCP server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sidecar.learning.own_output import is_own_tool
from sidecar.text.lazy_patterns import lazy

ToolKind = Literal["shell", "edit", "read", "own", "other"]

COMMAND_LONGEST: Final = 16_000
PATHS_MOST: Final = 50

_SHELL: Final = frozenset(
    "bash shell sh zsh terminal exec execute command runcommand runcommands runshellcommand executecommand"
    " execcommand executebash runbash runterminalcmd runterminalcommand runinterminal localshell localshellcall"
    " shellcommand containerexec unifiedexec executeshellcommand runshell bashtool developershell"
    " interactivebash".split()
)
_EDIT: Final = frozenset(
    "edit write multiedit applypatch patch strreplace strreplaceeditor strreplacebasededittool createfile create"
    " writefile writetofile editfile replace replaceinfile searchreplace searchandreplace inserteditintofile"
    " applydiff notebookedit editnotebook editnotebookfile filewrite fileedit texteditor update updatefile"
    " appendfile insertcontent replacestringinfile multireplacestringinfile replacefilecontent"
    " multireplacefilecontent createtextfile replaceregex replacesymbolbody insertaftersymbol insertbeforesymbol"
    " replacelines insertatline deletelines writenewfile savefile overwritefile".split()
)
_READ: Final = frozenset(
    "read readfile view viewfile cat open openfile readmanyfiles readmultiplefiles notebookread readnotebook"
    " fileread getfilecontents viewcode readtextfile showfile".split()
)
# Editors sharing one name, whose `command` decides.
_VIEWS: Final = frozenset({"view", "read", "open", "show"})
_COMMAND_KEYS: Final = ("command", "cmd", "CommandLine", "commandLine", "command_line", "script")
_PATH_KEYS: Final = (
    "path file filePath file_path notebook_path notebookPath filename fileName target_file TargetFile targetFile"
    " AbsolutePath absolute_path relative_path relativePath uri"
).split()
_LIST_KEYS: Final = ("paths", "files", "edits", "file_paths", "filePaths", "changes", "replacements")
_PATCH_KEYS: Final = ("input", "command", "patch", "patchText", "patch_text", "diff")
_FOLDER_KEYS: Final = ("workdir", "cwd", "working_directory", "workingDirectory", "Cwd", "directory")
_SEPARATORS: Final = lazy(r"[^a-z0-9]+")
_PATCHED: Final = lazy(
    r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$|^\+\+\+ (?:b/)?([^\t\n]+?)\s*$", re.MULTILINE
)
_PATCH_BEGINS: Final = "*** Begin Patch"
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool; `paths` are as given, and relative ones start at `folder` unless that is None."""

    kind: ToolKind
    command: str | None = None
    paths: tuple[str, ...] = ()
    folder: str | None = None


def read_use(tool: str, input: object) -> ToolUse:
    kind = kind_of(tool)
    if kind in ("own", "other"):
        return ToolUse(kind)
    if kind == "shell":
        return _shell(input)
    paths = tuple(dict.fromkeys(_paths(input)))[:PATHS_MOST]
    if isinstance(input, Mapping):
        command = input.get("command")
        if kind == "edit" and isinstance(command, str) and command in _VIEWS:
            kind = "read"
        return ToolUse(kind, paths=paths, folder=_folder(input))
    return ToolUse(kind, paths=paths)


def kind_of(tool: str) -> ToolKind:
    if is_own_tool(tool):
        return "own"
    name = tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1].lower()
    bare = _SEPARATORS.sub("", name)
    if bare in _SHELL:
        return "shell"
    if bare in _EDIT:
        return "edit"
    return "read" if bare in _READ else "other"


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
        return ToolUse("edit", paths=tuple(dict.fromkeys(_patched(command)))[:PATHS_MOST], folder=folder)
    return ToolUse("shell", command=_bare(command)[:COMMAND_LONGEST], folder=folder)


def _bare(command: str) -> str:
    """Strip a quote that an agent left at one end of a command or put around the whole."""
    text = command.strip()
    if text.count('"') % 2:
        return text[1:] if text[0] == '"' else text.removesuffix('"')
    return text[1:-1] if " " in text and text[0] == text[-1] == '"' and text.count('"') == 2 else text


def _joined(words: list[str]) -> str:
    if len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1].startswith("-"):
        return words[2]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"


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
            paths += [name for name in list(values)[:PATHS_MOST] if isinstance(name, str)]
        elif isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
            for value in values[:PATHS_MOST]:
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
    paths = [first or second for first, second in _PATCHED.findall(text)]
    return [path for path in paths if path != "/dev/null"]
