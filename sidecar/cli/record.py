"""`record`: remember something."""

from __future__ import annotations

from typing import Any

import click

from protocol import memories
from sidecar.cli.failure import warn_of_redactions
from sidecar.cli.options import Cli, choice, command, text_or_stdin
from sidecar.cli.output import print_titled
from sidecar.cli.times import When

_STATUS_VERBS = {"created": "Remembered", "merged": "Merged into", "duplicate": "Already known"}


@command("record")
@click.argument("content", nargs=-1)
@click.option("--name", help="The title. Default: derived from the text.")
@click.option("--description", help="One line that describes the memory.")
@click.option("--type", type=choice(memories.MemoryType), default="project", show_default=True)
@click.option("--scope", type=choice(memories.Scope), help="Default: personal for type user, else project.")
@click.option("--category", type=choice(memories.Category))
@click.option("--agent", metavar="NAME", help="Show the memory only to this agent.")
@click.option("--session-id", metavar="ID")
@click.option("--files", "--file", multiple=True, metavar="PATH", help="A file that the memory is about. Repeatable.")
@click.option("--tags", "--tag", multiple=True, metavar="TAG", help="Repeatable.")
@click.option("--expires-at", type=When(1), metavar="TIME", help="When it expires: 7d, 1M, next week, or a date.")
@click.option("--pinned", is_flag=True, help="Never let the memory fade.")
def record_command(cli: Cli, content: tuple[str, ...], **options: Any) -> None:
    """Remember something.

    CONTENT is the text, as words or - for stdin. A second text under the same --name is added to that memory.
    """
    cli.confirm_files(options["files"])
    params = {**cli.params(options), "content": text_or_stdin(content, "CONTENT")}
    result: memories.RecordResult = cli.ask("memory/record", params)
    memory = result.memory
    marks = dict.fromkeys((memory.type, memory.scope))
    version = (f"version {memory.version}",) if memory.version > 1 else ()
    print_titled(_STATUS_VERBS[result.status], memory, *marks, *version)
    warn_of_redactions(result.redactions)
    for similar in result.similar:
        print_titled("similar", similar, f"{similar.score:.2f}")
