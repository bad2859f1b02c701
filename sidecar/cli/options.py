"""Options and arguments that several commands share, named like the fields of the wire."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import msgspec

from protocol import memories
from sidecar.cli.command_calls import CommandCalls, open_calls
from sidecar.cli.failure import FAILED
from sidecar.cli.folder import find_workspace
from sidecar.cli.output import print_json, print_note
from sidecar.cli.times import When

Function = TypeVar("Function", bound=Callable[..., Any])

# Names like that of a missing file are looked for among this many files.
_MAX_FILES_COMPARED = 20_000
_ID_HELP = "ID is an id or its beginning or end, or a name or its beginning."

workspace_option = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The workspace folder. Default: the one you are in.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
limit_option = click.option("--limit", type=click.IntRange(1, 200), help="Maximum number to list.")
budget_option = click.option(
    "--budget-tokens", type=click.IntRange(1, 1_000_000), help="Default: memory.injectBudgetTokens."
)
lines_option = click.option(
    "--max-lines", type=click.IntRange(5, 100_000), help="Default: memory.injectMaxLines, if it is set."
)
files_option = click.option("--files", "--file", multiple=True, metavar="PATH", help="A file in play. Repeatable.")
compact_option = click.option("--compact", is_flag=True, help="One line for each: its id and name.")
ids_argument = click.argument("ids", nargs=-1, required=True, metavar="ID...")


class Cli(msgspec.Struct, frozen=True):
    """The options that every command has: its workspace, and whether to print the wire result."""

    workspace: Path | None
    as_json: bool

    def open_calls(self) -> AbstractContextManager[CommandCalls]:
        return open_calls(self.workspace)

    def ask(self, method: str, params: Mapping[str, Any], *, title: str | None = None) -> Any:
        """Return the result struct of one request. With `--json`, print the result and end the command."""
        with self.open_calls() as calls:
            result = calls.call(method, params, title=title)
        self.end_with_json(result)
        return result

    def end_with_json(self, result: object) -> None:
        if self.as_json:
            print_json(result)
            raise click.exceptions.Exit(0)

    def params(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options by wire name. A repeatable option that was not given is None."""
        params: dict[str, Any] = {}
        for name, value in options.items():
            if name == "files":
                value = tuple(self.path(path) for path in value)
            params[_camel_case(name)] = list(value) or None if isinstance(value, tuple) else value
        return params

    def path(self, path: str) -> str:
        """Return the URI of a path relative to this folder or, if that is outside `--workspace`, to `--workspace`."""
        return path if path.startswith("file://") else self._local(path).as_uri()

    def confirm_files(self, paths: Sequence[str]) -> None:
        """Ask whether to use missing files, and name similar ones. Without a terminal, raise a usage error."""
        for path in paths:
            if path.startswith("file://") or self._local(path).exists():
                continue
            similar = self._similar_files(path)
            suggestion = f" Did you mean {' or '.join(similar)}?" if similar else ""
            if not sys.stdin.isatty():
                raise click.UsageError(f"There is no file {path}.{suggestion}")
            if not click.confirm(f"There is no file {path}.{suggestion} Use that path anyway?", err=True):
                print_note("Nothing was stored.")
                raise click.exceptions.Exit(FAILED)

    def _similar_files(self, path: str) -> list[str]:
        from difflib import get_close_matches

        from sidecar.checkout.tree import Tree

        files = [file.path for file in islice(Tree(find_workspace(self.workspace)).walk(), _MAX_FILES_COMPARED)]
        name = os.path.basename(path)
        if moved := [file for file in files if os.path.basename(file) == name]:
            return moved[:3]
        paths_by_name = {os.path.basename(file): file for file in files}
        return [paths_by_name[file] for file in get_close_matches(name, paths_by_name)]

    def _local(self, path: str) -> Path:
        absolute = Path(os.path.abspath(os.path.expanduser(path)))
        if self.workspace is not None and not absolute.resolve().is_relative_to(self.workspace.resolve()):
            absolute = Path(os.path.abspath(self.workspace / os.path.expanduser(path)))
        return absolute


def command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that takes a `Cli`. The function's docstring is the command's help."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def run(workspace: Path | None, as_json: bool, **options: Any) -> Any:
            return function(Cli(workspace, as_json), **options)

        help = inspect.cleandoc(function.__doc__ or "")
        names = {parameter.name for parameter in getattr(run, "__click_params__", ())}
        full = f"{help}\n\n{_ID_HELP}" if names & {"id", "ids"} else help
        return click.command(name, help=full, short_help=help.partition("\n")[0])(workspace_option(json_option(run)))

    return decorate


def choice(literal: object) -> click.Choice[str]:
    return click.Choice([str(value) for value in get_args(literal)])


_KIND_OPTIONS = (
    click.option("--scopes", "--scope", multiple=True, type=choice(memories.Scope)),
    click.option("--types", "--type", multiple=True, type=choice(memories.MemoryType)),
    click.option(
        "--categories",
        "--category",
        multiple=True,
        type=choice(memories.Category),
        metavar="CATEGORY",
        help=f"One of {', '.join(get_args(memories.Category))}.",
    ),
)
_files_filter = click.option("--files", "--file", multiple=True, metavar="PATH", help="About any of these files.")
_tags_filter = click.option("--tags", "--tag", multiple=True, metavar="TAG", help="With any of these tags.")


def archive_filters(function: Function) -> Function:
    """Add the filters by which `archive` chooses many memories."""
    for option in (_tags_filter, _files_filter, *reversed(_KIND_OPTIONS)):
        function = option(function)
    return function


def filters(function: Function) -> Function:
    options = (
        *_KIND_OPTIONS,
        click.option(
            "--agent",
            metavar="NAME",
            default=memories.ANY_AGENT,
            help="Only what this agent sees: its memories, and those for every agent. Default: of any agent.",
        ),
        _files_filter,
        click.option("--since", type=When(-1), metavar="TIME", help="Changed since 7d, last week, march, or a date."),
        click.option(
            "--include", multiple=True, type=choice(memories.Include), help="Also archived, resolved or expired ones."
        ),
        limit_option,
        click.option("--cursor", help="Continue where the previous page ended."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def text_or_stdin(words: tuple[str, ...], argument: str) -> str:
    """Join the words of the command line; for `-`, or without words and terminal, read stdin."""
    if words == ("-",) or (not words and not sys.stdin.isatty()):
        words = (read_stdin().rstrip("\n"),)
        if not words[0].strip():
            raise click.UsageError(f"{argument} is empty: stdin had no text. Give it as words, or pipe it in.")
    if not " ".join(words).strip():
        raise click.UsageError(f"Missing {argument}. Give it as words, or - to read it from stdin.")
    return " ".join(words)


def read_stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
