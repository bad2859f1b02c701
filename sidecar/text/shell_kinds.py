"""Classify what a shell line does, and which of its words decide that."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from sidecar.text.lazy_patterns import lazy, patterns
from sidecar.text.shell import ShellLine, parse_line
from sidecar.text.word_lists import word_lists

# `state`: changes the shell's state; `work`: makes something; `edit`: may have changed any file.
CommandKind = Literal["state", "install", "service", "stop", "file", "work", "build", "edit", "none"]
_PATTERNS: Final = patterns(Path(__file__), "shell")
# Flags with which a command checks less, ignores failures or changes files, so that its success proves no repair.
EVADES: Final = _PATTERNS["evades"]
_WORD_LISTS: Final = word_lists("shell.toml")["kinds"]
_BUILD_WORD: Final = lazy(r"(?i)\b(?:build|assemble\w*|compile|package|bundle)\b")
_BUILD_WRAPPER: Final = lazy(r"(?:\./|\.\\)?(gradle|mvn)w?(?:\.bat|\.cmd)?")
_JAVASCRIPT_PACKAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
# Programs, subcommands and flags that destroy something.
DESTROYS: Final = lazy(
    r"(?i)(?:^|(?<=\s))(?:rm|rmdir|mv|chmod|chown|p?kill|killall|taskkill|drop(?:db|user)|mkfs\S*|dd|shred|rmi)(?!\S)"
    r"|(?:(?<=[\s:-])|^)(?:delete|destroy|drop|erase|flush|force|hard|kill|clean|overwrite|prune|purge|remove|reset|truncate"
    r"|uninstall|unlock|volumes|wipe)(?![^\s:=-])"
)
# Matches a command that works in a temporary folder.
IN_TEMPORARY_FOLDER: Final = lazy(r"(?:^|[\s='\"])(?:/private)?/(?:tmp|var/folders)/|\$TMP|\bmktemp\b")


def kind_of(line: ShellLine) -> CommandKind:
    words = [word.lower() for word in line.words if "=" not in word][:3] or [""]
    if line.inline or _PATTERNS["edits"].search(" ".join(line.words)):
        return "edit"
    if words[0] in _WORD_LISTS["state"] or words[0].startswith("$env:") or _WORD_LISTS["logins"].intersection(words):
        return "state"
    if not line.changes:
        return "stop" if _WORD_LISTS["stops"].intersection(line.programs) else "none"
    if _WORD_LISTS["stops"].intersection((*words, *line.programs)):
        return "stop"
    if _WORD_LISTS["serves"].intersection(words) or line.behind or words[0].endswith("-server"):
        return "service"
    if _WORD_LISTS["installs"].intersection(words) or words[:2] == ["go", "get"]:
        return "install"
    if words[0] in _WORD_LISTS["file"]:
        return "file"
    if line.weight < 1.5 or _PATTERNS["checks"].search(" ".join(words)):
        return "none"
    return "build" if _BUILD_WORD.search(" ".join(words)) else "work"


def is_preparation(text: str) -> bool:
    line = parse_line(text)
    return line is None or line.weight < 1.5


def deciding_words(line: ShellLine) -> list[str]:
    """Return the words that decide what a command does, by the name of its program."""
    program, *words = line.words
    if program in _JAVASCRIPT_PACKAGERS:
        program, words = "npm", words[words[:1] == ["run"] :]
    elif wrapper := _BUILD_WRAPPER.fullmatch(program):
        program = wrapper[1]
    return [program, *(word for word in words if not _PATTERNS["quiet"].fullmatch(word))]


def surroundings(line: ShellLine) -> list[str]:
    """Return the line's earlier parts and its environment, on which the command's success may depend."""
    ahead = ((part, parse_line(part)) for part in line.before)
    deciding = [part for part, read in ahead if read is None or kind_of(read) not in ("none", "edit", "build")]
    return deciding + [part for part in line.environment if not _PATTERNS["quiet"].fullmatch(part)]
