"""What may make a failing command pass, and whether an error is one that it can explain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from sidecar.patterns import lazy
from sidecar.text.shell import ShellLine

Kind = Literal["state", "install", "service", "stop", "file", "work", "build", "edit", "none"]
"""`state` is what a shell was told, `work` what makes something, `edit` what may have changed any file."""
ALONE: Final = frozenset({"state", "install", "service", "stop", "work"})
"""What is taken for the remedy of any error when it is all that was done."""

_STATE: Final = frozenset(
    "export source . cd pushd set-location sl nvm fnm pyenv rbenv asdf mise sdk conda eval ulimit unset direnv rustup"
    " set-executionpolicy corepack".split()
)
_INSTALLS: Final = frozenset(
    "install i ci add sync get tidy download restore require deps.get vendor bootstrap setup init upgrade fetch submodule"
    " lfs".split()
)
_SERVES: Final = frozenset("up start restart".split())
_STOPS: Final = frozenset("kill pkill killall fuser taskkill kill-port stop down stop-process".split())
_FILE: Final = frozenset("chmod chown cp mkdir ln mv touch rm tar unzip createdb".split())
_EDITS: Final = lazy(
    r"^(?:sed -i|perl -p?i|patch\b|ed\b|gofmt\b|goimports\b|black\b|isort\b|prettier\b|clang-format\b|autopep8\b"
    r"|git (?:\S+ )*?(?:checkout|restore|stash|apply|reset|revert|cherry-pick|merge|pull|rebase|switch|mv|rm)\b)"
    r"|(?:^|\s)(?:--fix\S*|--write|fmt|format|-u|--update\S*)(?:\s|$)"
)
_CHECKS: Final = lazy(
    r"(?i)\b(?:tests?|lint|check|vet|typecheck|type-check|spec|rspec|e2e|coverage|pytest|jest|vitest|tsc|mypy|ruff|eslint"
    r"|clippy|doctor|dev|serve|deploy|status|list|version|help|logs?|ps|audit|plan|show|describe|view)\b"
)
_BUILDS: Final = lazy(r"(?i)\b(?:build|assemble\w*|compile|package|bundle)\b")

# What an error complains of, and which kinds of change can be its remedy.
_EXPLAINS: Final[tuple[tuple[re.Pattern[str], frozenset[str]], ...]] = tuple(
    (re.compile(form, re.IGNORECASE), frozenset(kinds.split()))
    for form, kinds in (
        (
            r"command not found|: not found\b|no module named|cannot find (?:module|package)|module not found|not installed"
            r"|is not recognized|executable (?:file not found|doesn't exist)|can't find|(?:could not|cannot) (?:find|open"
            r"|resolve|choose|read)|no such file|no required module|not in std|has no exported member|enoent|missing"
            r"|does not contain|cannot load|undefined reference|has not been (?:built|installed|generated|initialized)"
            r"|inconsistent|file or directory not found|run `?\w+ (?:install|init|generate)|C compiler|linker",
            "state install file work build",
        ),
        (
            r"connection ?refused|econnrefused|cannot connect|could not connect|connectionerror|failed to connect"
            r"|is the .{0,20}(?:server|daemon) running|connection to .* (?:was refused|failed)|enotfound|server selection",
            "service state install",
        ),
        (r"eaddrinuse|already in use|already running|\block(?:ed)?\b|ebusy|text file busy", "stop file"),
        (r"permission denied|eacces|eperm|not permitted|access is? ?denied|cannot be loaded because", "state file"),
        (
            r"no such table|(?:relation|database|table|role|schema|bucket|topic|index) .{0,80}does not exist"
            r"|doesn't exist|migrations?\b.{0,30}(?:pending|unapplied)|pendingmigration|out of (?:date|sync)|stale",
            "work install service file",
        ),
        (
            r"keyerror|environment variable|is not (?:set|defined)|not set\b|field required|heap|out of memory|is required"
            r"|unsupported|not supported|requires\b|version|memory|too many open files|locale|display",
            "state install file",
        ),
    )
)
_WORD: Final = lazy(r"[A-Za-z_][\w.-]{3,}")
_SAYS_LITTLE: Final = frozenset(
    "install uninstall update upgrade python python3 node sudo test tests run build compose docker start stop true false"
    " export source make local activate exec with from main error file module package version".split()
)


def kind_of(line: ShellLine) -> Kind:
    """What kind of remedy a command that passed may be."""
    words = [word.lower() for word in line.words if "=" not in word][:3] or [""]
    if line.inline or _EDITS.search(" ".join(line.words)):
        return "edit"
    if words[0] in _STATE or words[0].startswith("$env:"):
        return "state"
    if not line.changes:
        return "stop" if _STOPS.intersection(line.programs) else "none"
    if _STOPS.intersection((*words, *line.programs)):
        return "stop"
    if _SERVES.intersection(words) or line.behind or words[0].endswith("-server"):
        return "service"
    if _INSTALLS.intersection(words):
        return "install"
    if words[0] in _FILE:
        return "file"
    if line.weight < 1.5 or _CHECKS.search(" ".join(words)):
        return "none"
    return "build" if _BUILDS.search(" ".join(words)) else "work"


def explained(error: str, kind: str) -> bool:
    """Whether an error is of a sort that this kind of change removes."""
    return any(kind in kinds for form, kinds in _EXPLAINS if form.search(error))


def named(output: str, change: str, command: Sequence[str]) -> bool:
    """Whether the output of a failed command speaks of what was changed, and not only of the command itself."""
    known = {word.lower() for text in command for word in _WORD.findall(text)} | _SAYS_LITTLE
    said = {word.lower().strip(".-") for word in _WORD.findall(output)}
    return any(word.lower().strip(".-") in said for word in _WORD.findall(change) if word.lower() not in known)
