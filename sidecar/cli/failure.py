"""Errors as a user sees them: one line, what to do about it, and an exit code."""

from __future__ import annotations

import os
import re
import sys

import click
import msgspec

from sidecar.runtime.errors import FileUnavailable, InvalidField, MemoryNotFound, SidecarError, VersionConflict

FAILED = 1
USAGE = 2
NOT_FOUND = 3
CONFLICT = 4
INTERRUPTED = 130
BROKEN_PIPE = 141


def exit_code(error: SidecarError) -> int:
    if isinstance(error, InvalidField):
        return USAGE
    if isinstance(error, MemoryNotFound) or (isinstance(error, FileUnavailable) and error.reason == "missing"):
        return NOT_FOUND
    return CONFLICT if isinstance(error, VersionConflict) else FAILED


_COMMANDS = {
    "memory/record": "record",
    "memory/search": "search",
    "memory/list": "list",
    "memory/get": "show",
    "memory/update": "edit",
    "memory/archive": "archive",
    "memory/restore": "restore",
    "memory/redo": "redo",
    "memory/maintain": "maintain",
    "memory/candidates": "review",
    "reminder/list": "reminders",
    "file/search": "files",
    "session/list": "sessions",
}
_METHOD = re.compile("|".join(_COMMANDS))


def report(error: SidecarError) -> int:
    """Print the error on stderr, with `--json` as the wire's error object on one line, and return the exit code."""
    if "--json" in sys.argv[1:]:
        told = {"code": int(error.code), "message": error.message, "data": error.data}
        click.echo(msgspec.json.encode(told), err=True)
    else:
        complain_about(error)
    return exit_code(error)


def complain_about(error: SidecarError) -> None:
    """Print an error of the engine on stderr, naming commands instead of the wire's methods."""
    texts = (error.message, error.data.hint or "")
    complain(*(_METHOD.sub(lambda found: f"`memory-sidecar {_COMMANDS[found[0]]}`", text) for text in texts))


def report_defect(error: Exception) -> int:
    """Report a defect of ours on stderr, log the traceback, and return the exit code."""
    import logging

    from sidecar.runtime import log
    from sidecar.settings import load

    settings = load(None, os.environ).settings
    problem = log.configure(settings)
    logging.getLogger("sidecar.cli").error("command failed: %s", sys.argv[1:2], exc_info=error)
    log.close()
    where = problem or f"The traceback is in {log.log_path(settings)}"
    complain(f"a defect of memory-sidecar: {type(error).__name__}: {error}", where)
    return FAILED


def complain(message: str, hint: str | None = None) -> None:
    """Print an error on stderr, with what to do about it on a second line."""
    click.echo(f"{click.style('error:', fg='red', bold=True)} {message}", err=True, color=_colour())
    if hint:
        click.echo(f"{click.style('hint:', fg='cyan')} {hint}", err=True, color=_colour())


def warn(message: str) -> None:
    """Print a problem on stderr that did not stop the command."""
    click.echo(f"{click.style('warning:', fg='yellow')} {message}", err=True, color=_colour())


def _colour() -> bool | None:
    """Return False if colours are unwanted; None decides by whether stderr is a terminal."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None
