"""The list of commands, and the handling of errors and interruption in every command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from sidecar import __version__
from sidecar.cli import failure
from sidecar.cli.wording import did_you_mean
from sidecar.runtime.errors import SidecarError

PROGRAM = "memory-sidecar"
COMPLETION = "_MEMORY_SIDECAR_COMPLETE"

# The commands of each module, in the order in which a newcomer meets them.
_COMMAND_MODULES = (
    ("tour.command", "tour"),
    ("servers", "serve mcp hook"),
    ("setup", "setup"),
    ("uninstall", "uninstall"),
    ("record", "record"),
    ("find", "search list show inject explain"),
    ("review", "review why"),
    ("files", "summary map files warm"),
    ("edit", "edit"),
    ("change", "archive restore delete useful resolve reopen promote history undo redo"),
    ("interchange", "export import bootstrap"),
    ("coordination", "boot entity sessions remind reminders"),
    ("team", "team"),
    ("upkeep", "maintain status file trust metrics"),
    ("stats", "stats"),
    ("web.command", "web"),
    ("doctor", "doctor"),
    ("settings", "settings"),
    ("call", "call"),
    ("completion", "completion"),
)

COMMANDS = {name: module for module, names in _COMMAND_MODULES for name in names.split()}
_ALIASES = {"get": "show", "forget": "delete"}


class Commands(click.Group):
    """A group that imports only the module of the command to run, and suggests similar names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"sidecar.cli.{COMMANDS[name]}"), f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command like click, but suggest similar names for an unknown command."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(f"No such command '{name}'.{did_you_mean(name, [*COMMANDS, *_ALIASES])}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such memory or file, 4 changed meanwhile.",
)
@click.version_option(__version__, prog_name="memory-sidecar")
def commands() -> None:
    """Memory for coding agents: what was learned and what files say, kept on this machine.

    Start with `memory-sidecar tour`, which tries it on the current folder.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        outcome = _invoke(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return failure.report_usage(error)
    except (KeyboardInterrupt, click.Abort) as stop:
        if isinstance(stop, click.Abort) and not sys.stdin.isatty():  # stdin ended at a question
            click.echo(err=True)
            failure.complain(
                "Nothing was changed: the question was not answered.", "Run it in a terminal, or add --yes."
            )
            return failure.FAILED
        click.echo("Interrupted.", err=True)
        return failure.INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout again at its end, so replace the broken pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failure.BROKEN_PIPE
    except SidecarError as error:
        return failure.report(error)
    except Exception as error:  # noqa: BLE001 - the last resort: a traceback is for the log
        return failure.report_defect(error)
    return outcome if isinstance(outcome, int) else 0


def _invoke(arguments: list[str]) -> object:
    """Run the command like click's `main`, but do not catch BrokenPipeError."""
    instruction = os.environ.get(COMPLETION)
    if instruction:
        from click.shell_completion import shell_complete

        raise click.exceptions.Exit(shell_complete(commands, {}, PROGRAM, COMPLETION, instruction))
    with commands.make_context(PROGRAM, arguments, color=failure.wants_colour()) as context:
        return commands.invoke(context)
