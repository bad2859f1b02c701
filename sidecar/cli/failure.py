"""Errors as a user sees them: one line, a hint on what to do, and an exit code."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from protocol.errors import ErrorCode, ErrorData
from sidecar.runtime.errors import FileUnavailable, InvalidField, MemoryNotFound, SidecarError, VersionConflict

if TYPE_CHECKING:
    from protocol.memories import Redaction

FAILED = 1
USAGE_ERROR = 2
NOT_FOUND = 3
CONFLICT = 4
INTERRUPTED = 130
BROKEN_PIPE = 141


def exit_code(error: SidecarError) -> int:
    if isinstance(error, InvalidField):
        return NOT_FOUND if error.data.reason == "unknown" else USAGE_ERROR
    if isinstance(error, MemoryNotFound) or (isinstance(error, FileUnavailable) and error.reason == "missing"):
        return NOT_FOUND
    return CONFLICT if isinstance(error, VersionConflict) else FAILED


# The command of each method. A method of `memory/` that is not listed here has its command's name.
COMMAND_OF = {
    "context/boot": "boot",
    "context/close": "entity --closed",
    "context/entity": "entity",
    "file/search": "files",
    "file/summary": "summary",
    "memory/candidates": "review",
    "memory/confirm": "review --keep",
    "memory/get": "show",
    "memory/reject": "review --reject",
    "memory/update": "edit",
    "reminder/advance": "reminders --advance",
    "reminder/clear": "reminders --clear",
    "reminder/list": "reminders",
    "reminder/set": "remind",
    "session/import": "import --sessions",
    "session/list": "sessions",
    "sidecar/metrics": "metrics",
    "sidecar/status": "status",
    "workspace/repoMap": "map",
}

METHOD_NAME = re.compile(r"\b(?:" + "|".join(COMMAND_OF) + r"|memory/(?P<same>[a-z]+))\b")


def report(error: SidecarError) -> int:
    """Print the error on stderr, with `--json` as the wire's error object; return the exit code."""
    if "--json" in sys.argv[1:]:
        _print_error(error.code, error.message, error.data)
    else:
        complain_about(error)
    return exit_code(error)


def complain_about(error: SidecarError) -> None:
    """Print an error of the engine on stderr. Commands stand in place of the wire's methods."""

    def with_commands(text: str) -> str:
        return METHOD_NAME.sub(lambda match: f"`memory-sidecar {match['same'] or COMMAND_OF[match[0]]}`", text)

    complain(with_commands(error.message), with_commands(error.data.hint or ""))


def report_usage(error: click.ClickException) -> int:
    """Print what is wrong with the command line, with `--json` as an error object; return the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    context = getattr(error, "ctx", None)
    hint = f"`{context.command_path} --help` lists its options." if context is not None else None
    if "--json" in sys.argv[1:]:
        _print_error(ErrorCode.INVALID_PARAMS, error.format_message(), ErrorData(reason="usage", hint=hint))
    else:
        complain(error.format_message(), hint)
    return error.exit_code


def _print_error(code: ErrorCode, message: str, data: ErrorData) -> None:
    click.echo(msgspec.json.encode({"code": int(code), "message": message, "data": data}), err=True)


def report_defect(error: Exception) -> int:
    """Report an unexpected exception on stderr, log its traceback, and return the exit code."""
    import logging

    from sidecar.runtime import log
    from sidecar.settings import load

    settings = load(None, os.environ).settings
    problem = log.configure(settings)
    logging.getLogger("sidecar.cli").error("The command %s failed unexpectedly.", sys.argv[1:2], exc_info=error)
    log.close()
    traceback_note = problem or f"The traceback is in {log.log_path(settings)}"
    complain(f"internal error: {type(error).__name__}: {error}", traceback_note)
    return FAILED


def complain(message: str, hint: str | None = None) -> None:
    _print_on_stderr("error:", message, "red")
    if hint:
        _print_on_stderr("hint:", hint)


def warn(message: str) -> None:
    _print_on_stderr("warning:", message, "magenta")


def warn_of_redactions(redactions: Sequence[Redaction]) -> None:
    for redaction in redactions:
        times = "" if redaction.count == 1 else f" ({redaction.count} times)"
        warn(f"{redaction.kind} was removed from {redaction.field} before it was stored{times}.")


def _print_on_stderr(label: str, text: str, colour: str | None = None) -> None:
    """Print a line on stderr; on a terminal, wrap it between words and colour its label."""
    if sys.stderr.isatty():
        width, margin = shutil.get_terminal_size().columns, " " * (len(label) + 1)
        wrapper = textwrap.TextWrapper(width, margin, "  ", break_long_words=False, break_on_hyphens=False)
        text = wrapper.fill(text).lstrip()
    click.echo(f"{click.style(label, fg=colour, bold=True)} {text}", err=True, color=wants_colour())


def wants_colour() -> bool | None:
    """Return False if colours are unwanted. None means: if the stream is a terminal."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None
