"""`manual`: the manual page, made from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from sidecar import __version__


@click.command("manual", short_help="Print the manual page, for man.")
def manual_command() -> None:
    """Print the manual page, for man.

    To read it, `memory-sidecar manual | man -l -`; to keep it, write it to ~/.local/share/man/man1/memory-sidecar.1.
    """
    from sidecar.cli.main import PROGRAM, commands

    with click.Context(commands, info_name=PROGRAM) as context:
        click.echo("\n".join(_page(commands, context)))


def _page(group: click.Group, context: click.Context) -> Iterator[str]:
    yield f'.TH MEMORY-SIDECAR 1 "" "memory-sidecar {__version__}" "User Commands"'
    yield from (".ad l", ".nh")  # long options cannot be justified
    yield ".SH NAME"
    yield rf"{_escape(context.info_name)} \- memory for coding agents"
    yield ".SH SYNOPSIS"
    yield rf"\fB{_escape(context.info_name)}\fR \fICOMMAND\fR [\fIOPTION\fR...]"
    yield ".SH DESCRIPTION"
    yield from _paragraphs(group.help or "")
    yield ".SH COMMANDS"
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield from _command_section(name, command, context)
    yield ".SH EXIT STATUS"
    yield from _paragraphs((group.epilog or "").removeprefix("Exit codes: "))


def _command_section(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    with click.Context(command, info_name=name, parent=parent) as context:
        yield f".SS {_escape(name)}"
        yield rf"\fB{_escape(context.command_path)}\fR {_escape(' '.join(command.collect_usage_pieces(context)))}"
        yield from _paragraphs(command.help or "")
        for parameter in command.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None and "--help" not in parameter.opts:
                yield from (".TP", rf"\fB{_escape(record[0])}\fR", _escape(record[1]) or r"\&")
        if isinstance(command, click.Group):
            for inner, subcommand in command.commands.items():
                usage = " ".join(subcommand.collect_usage_pieces(click.Context(subcommand)))
                yield from (".TP", rf"\fB{_escape(inner)}\fR {_escape(usage)}", _escape(subcommand.short_help))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield from (".PP", _escape(paragraph))


def _escape(text: str | None) -> str:
    """Return text on one line in which nothing is a roff request."""
    line = " ".join((text or "").split()).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    line = line.replace("|", r"|\:")  # a line may end there
    return rf"\&{line}" if line.startswith(".") else line
