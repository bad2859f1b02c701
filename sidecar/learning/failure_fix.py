"""A command that failed, and what made it pass: the edits up to its next success, else what was done first."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from sidecar.learning.error_text import SHOWN, shorten, stable
from sidecar.text.shell import ShellLine

RULE: Final = "error-fix"
OPEN_MOST: Final = 16
_OF_A_KEY: Final = 3
_EDITS: Final = 50
_RUNS: Final = 10
_EDITS_SHOWN: Final = 6
_ERROR_NAMED: Final = 60
_COMMAND_SHOWN: Final = 160


@dataclass(slots=True)
class Failure:
    """An open failure. `edits` and `runs` came after it, in order; `first` says which of them came first."""

    key: str
    shown: str
    text: str
    error: str
    edits: dict[str, None] = field(default_factory=dict)
    runs: dict[str, None] = field(default_factory=dict)
    first: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A failure and what fixed it, as text: `name` is the same for the same error of the same command."""

    name: str
    content: str
    files: tuple[str, ...]


class Failures:
    """The open failures of one session, oldest first, at most `OPEN_MOST`."""

    def __init__(self) -> None:
        self._open: list[Failure] = []

    def failed(self, line: ShellLine, error: str) -> list[Fix]:
        """A command failed with this error. Answers what had to be given up for it."""
        if (
            not error
            or line.inline
            or not (line.weight >= 1.5 or (line.changes and line.key.startswith("git")))
        ):
            return []
        same = [each for each in self._open if each.key == line.key]
        if any(stable(each.error) == stable(error) for each in same):
            return []
        given_up: list[Fix] = []
        if len(same) >= _OF_A_KEY:
            self._open.remove(same[0])
        elif len(self._open) >= OPEN_MOST:
            given_up = _settled(self._open.pop(0))
        self._open.append(Failure(line.key, line.shown, line.text, error))
        return given_up

    def edited(self, path: str) -> None:
        """A file was edited: it may be part of the fix of everything that is open."""
        for failure in self._open:
            if len(failure.edits) < _EDITS:
                failure.edits[path] = None
                failure.first = failure.first or "edit"

    def not_edited(self, path: str) -> None:
        """An edit turned out not to have happened."""
        for failure in self._open:
            failure.edits.pop(path, None)
            if not failure.edits and failure.first == "edit":
                failure.first = "run" if failure.runs else ""

    def succeeded(self, line: ShellLine) -> list[Fix]:
        """A command succeeded: the fixes of its own failures. For the others it may be one."""
        found: list[Fix] = []
        for failure in [each for each in self._open if each.key == line.key]:
            self._open.remove(failure)
            found += _passed(failure, line)
        if line.changes and not line.inline:
            for failure in self._open:
                if len(failure.runs) < _RUNS:
                    failure.runs[shorten(line.text, _COMMAND_SHOWN)] = None
                    failure.first = failure.first or "run"
        return found

    def settle(self) -> list[Fix]:
        """The session is over: what is open gets the first thing that was done about it."""
        found = [fix for failure in self._open for fix in _settled(failure)]
        self._open.clear()
        return found


def _passed(failure: Failure, line: ShellLine) -> list[Fix]:
    if failure.edits:
        return [_fix(failure, f"fixed by editing {_listed(list(failure.edits))}", tuple(failure.edits))]
    if failure.runs:
        runs = ", then ".join(f"`{run}`" for run in list(failure.runs)[:3])
        return [_fix(failure, f"fixed by running {runs}")]
    if line.text != failure.text:  # the same command in another form
        failure.shown = shorten(failure.text, _COMMAND_SHOWN)
        return [_fix(failure, f"fixed by running `{shorten(line.text, _COMMAND_SHOWN)}` instead")]
    return []  # it passes with nothing done about it


def _settled(failure: Failure) -> list[Fix]:
    if failure.first == "edit":
        path = next(iter(failure.edits))
        return [_fix(failure, f"then `{path}` was edited (not seen to pass since)", (path,))]
    if failure.first == "run":
        return [_fix(failure, f"then `{next(iter(failure.runs))}` was run (not seen to pass since)")]
    return []


def _fix(failure: Failure, what: str, files: tuple[str, ...] = ()) -> Fix:
    error = stable(failure.error)
    return Fix(
        name=f"{failure.shown} fails: {_named(error)}",
        content=f"`{failure.shown}` fails with “{shorten(error, SHOWN)}”; {what}.",
        files=files[:_EDITS_SHOWN],
    )


def _named(error: str) -> str:
    """The beginning of an error; a digest keeps those apart that only begin alike."""
    short = shorten(error, _ERROR_NAMED)
    if short == error:
        return error
    return f"{short} ({blake2b(error.encode('utf-8', 'replace'), digest_size=3).hexdigest()})"


def _listed(paths: list[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_EDITS_SHOWN])
    more = len(paths) - _EDITS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
