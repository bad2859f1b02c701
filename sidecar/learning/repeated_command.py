"""Propose commands that passed twice in a session; they become procedures only if other sessions repeat them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.text.lazy_patterns import lazy
from sidecar.text.shell import ShellLine
from sidecar.text.shell_kinds import IN_TEMPORARY_FOLDER, kind_of

RULE: Final = "repeated-command"
MIN_RUNS: Final = 2  # in one session
MIN_SESSIONS: Final = 3  # in which a command must recur
MAX_COMMANDS: Final = 200
_SCRIPT_RUNNERS: Final = frozenset("npm pnpm yarn bun composer make gmake just task rake".split())
_PATH: Final = lazy(r"\.{1,3}|.*[/\\*].*|.*\.\w{1,4}")
_DEEP_PATH: Final = lazy(r"(?:\./)?(?:[^/\\\s]+[/\\]){2}\w")
_GOING: Final = lazy(r"(?:cd \S+ && )+")
_ROUTINE_PROGRAMS: Final = frozenset({"gh", "glab"})


class RepeatedCommands:
    """Counts one session's commands by key; beyond `MAX_COMMANDS`, drops the one unused for longest."""

    def __init__(self) -> None:
        self._seen: RecentlyUsed[str, tuple[int, str]] = RecentlyUsed(MAX_COMMANDS)

    def passed(self, line: ShellLine) -> str:
        """Count a command that passed; the one time that it becomes a lesson, return its shortest form, else "".

        Looking around, installing, routine, inline scripts and inner folders do not count.
        """
        if line.weight < 1.5 or line.inline or not line.whole or line.words[0] in _ROUTINE_PROGRAMS:
            return ""
        if "$" in line.key or IN_TEMPORARY_FOLDER.search(line.command) or kind_of(line) == "install":
            return ""
        if any(map(_DEEP_PATH.match, line.words[1:])):
            return ""
        going = _GOING.match(line.command)
        command = line.command[going.end() :] if going else line.command
        times, form = self._seen.get(line.key, (0, command))
        form = min(form, command, key=len)
        self._seen[line.key] = (times + 1, form)
        return form if times + 1 == MIN_RUNS else ""


def is_in_manifests(line: ShellLine, manifests: Mapping[str, str]) -> bool:
    """Return whether a manifest (text by path) names a command, with whatever files as arguments."""
    program, *rest = line.key.split(" ")
    script = next((word for word in rest if word != "run"), None)
    if program in _SCRIPT_RUNNERS and script is not None:
        target = re.compile(rf"(?m)\"{re.escape(script)}\"\s*:|^@?{re.escape(script)}(?:\s+[^:=\n]*)?:")
        if any(target.search(text) for text in manifests.values()):
            return True
    bare = " ".join([program, *(word for word in rest[:1] if not _PATH.fullmatch(word))])
    whole = re.compile(rf"(?<![\w./-]){re.escape(bare)}(?![\w-])")
    return any(whole.search(text) for text in manifests.values())


def content(shown: str, folder: str | None) -> str:
    """Return the memory's text; `folder` is where the command was run, relative to the workspace."""
    where = f" in `{folder}`" if folder and folder != "." else ""
    return f"`{shown}` is a frequently used command of this project{where}."
