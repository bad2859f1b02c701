"""`completion`: the script that makes a shell complete `memory-sidecar`."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import get_completion_class

from sidecar.cli.main import COMPLETION, PROGRAM, commands

_INSTALL_HINTS = {
    "bash": 'eval "$(memory-sidecar completion bash)"   in ~/.bashrc',
    "zsh": 'eval "$(memory-sidecar completion zsh)"   in ~/.zshrc',
    "fish": "memory-sidecar completion fish > ~/.config/fish/completions/memory-sidecar.fish",
}


@click.command(
    "completion",
    help="Print the completion script of bash, zsh or fish.\n\nDefault: your shell's.",
    short_help="Print the completion script of bash, zsh or fish.",
)
@click.argument("shell", required=False, type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str | None) -> None:
    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError("Which shell? Name bash, zsh or fish.")
    click.echo(kind(commands, {}, PROGRAM, COMPLETION).source())
    if sys.stdout.isatty():
        click.echo(f"# {_INSTALL_HINTS[shell]}", err=True)
