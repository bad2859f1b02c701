"""Options that several commands share, spelled like the fields of the wire."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from protocol import memories
from protocol.methods import METHODS
from sidecar.cli.times import When

Function = TypeVar("Function", bound=Callable[..., Any])

workspace_option = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder that is worked in. Default: here.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the wire result as JSON.")
json_anyway_option = click.option(
    "--json", "as_json", is_flag=True, expose_value=False, help="Accepted; it speaks JSON in any case."
)


def command(name: str, method: str | None = None, more: str = "") -> Callable[[Function], click.Command]:
    """A command with `--workspace` and `--json`; its help starts with the method's line of `METHODS`."""

    def decorate(function: Function) -> click.Command:
        text = METHODS[method].summary if method else (function.__doc__ or "")
        wrapped = workspace_option(json_option(function))
        return click.command(name, help=f"{text}\n\n{more}".strip(), short_help=text)(wrapped)

    return decorate


def choice(literal: object) -> click.Choice[str]:
    """The values of a wire literal as a choice."""
    return click.Choice([str(value) for value in get_args(literal)])


def filters(function: Function) -> Function:
    """The filters that `search` and `list` have in common."""
    for option in reversed(
        (
            click.option("--scopes", "--scope", multiple=True, type=choice(memories.Scope)),
            click.option("--types", "--type", multiple=True, type=choice(memories.MemoryType)),
            click.option("--categories", "--category", multiple=True, type=choice(memories.Category)),
            click.option(
                "--agent",
                metavar="NAME",
                default=memories.ANY_AGENT,
                help="Only what this agent sees: its memories, and those of no agent. Default: of any agent.",
            ),
            click.option(
                "--files", "--file", multiple=True, metavar="PATH", help="About any of these files."
            ),
            click.option("--since", type=When(-1), metavar="TIME", help="Changed since: 7d, 12h, or a date."),
            click.option(
                "--include",
                multiple=True,
                type=choice(memories.Include),
                help="Also those that are put away.",
            ),
            click.option("--limit", type=click.IntRange(1, 200), help="At most so many."),
            click.option("--cursor", help="Go on where the page before ended."),
        )
    ):
        function = option(function)
    return function


def wire_paths(paths: tuple[str, ...], workspace: Path | None) -> list[str]:
    """Paths as typed in this shell as `file://` URIs."""
    return [wire_path(path, workspace) for path in paths]


def wire_path(path: str, workspace: Path | None) -> str:
    """A path as typed in this shell as a `file://` URI; a URI stays as it is.

    A relative one starts at the current folder, or, where that would lead out of the `--workspace` given, in that.
    """
    if path.startswith("file://"):
        return path
    here = Path(os.path.abspath(os.path.expanduser(path)))
    if workspace is not None and not here.resolve().is_relative_to(workspace.resolve()):
        here = Path(os.path.abspath(workspace / os.path.expanduser(path)))
    return here.as_uri()


def text_or_stdin(words: tuple[str, ...], what: str) -> str:
    """The words of the command line as one text; `-`, or nothing while something is piped in, reads stdin."""
    if words == ("-",) or (not words and not sys.stdin.isatty()):
        words = (sys.stdin.buffer.read().decode("utf-8", "replace").rstrip("\n"),)
        if not words[0].strip():
            raise click.UsageError(
                f"{what} is empty: nothing came on stdin. Give it as words, or pipe it in."
            )
    if not " ".join(words).strip():
        raise click.UsageError(f"Missing {what}. Give it as words, or - to read it from stdin.")
    return " ".join(words)
