"""`summary`, `map`, `files` and `warm`: show what is known about the workspace's files."""

from __future__ import annotations

import time
from typing import Any

import click

from protocol.files import FileKind, FileSearchResult, RepoMapResult, SummaryResult
from protocol.status import StatusParams
from sidecar.cli.options import Cli, choice, command, text_or_stdin
from sidecar.cli.output import TableRow, print_json, print_note, print_table, print_text


@command("summary")
@click.argument("path")
@click.option(
    "--intent",
    type=click.Choice(["explore", "edit"]),
    default="explore",
    show_default=True,
    help="What you want it for.",
)
def summary_command(cli: Cli, path: str, intent: str) -> None:
    """Show what an agent is given instead of a file.

    This briefing gives the file's purpose, its definitions with their lines, and known facts.
    """
    result: SummaryResult = cli.ask("file/summary", {"path": cli.path(path), "intent": intent})
    print_text(result.summary)
    share = f" ({100 * result.tokens // result.file_tokens} %)" if result.file_tokens else ""
    partial = " Only a part of the file could be parsed." if result.partial else ""
    print_note(f"{result.tokens} of the file's {result.file_tokens} tokens{share}.{partial}")
    if result.advice:
        print_note(result.advice)


@command("map")
@click.option(
    "--budget",
    "budget_tokens",
    type=click.IntRange(1, 1_000_000),
    default=4096,
    show_default=True,
    help="Maximum number of tokens.",
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file in play. Repeatable.")
@click.option("--identifier", "identifiers", multiple=True, metavar="NAME", help="A name in play. Repeatable.")
def map_command(cli: Cli, **options: Any) -> None:
    """List key files and symbols, most important first.

    --file and --identifier rank by what matters for those files and names.
    """
    result: RepoMapResult = cli.ask("workspace/repoMap", cli.params(options))
    print_text(result.text)
    print_note(f"{result.tokens} tokens, {len(result.files)} files.")


@command("files")
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Maximum number of files.")
@click.option("--kind", "kinds", multiple=True, type=choice(FileKind), help="Only files of this kind.")
def files_command(cli: Cli, query: tuple[str, ...], **options: Any) -> None:
    """Find the files that a task or an issue is about.

    The most likely one comes first. QUERY is words, or - for stdin: an issue, a task, an error message.
    """
    params = {**cli.params(options), "query": text_or_stdin(query, "QUERY")}
    with cli.open_calls() as calls:
        calls.warm_up()
        result: FileSearchResult = calls.call("file/search", params)
    cli.end_with_json(result)
    if not result.items:
        print_note("Nothing found.")
        return
    rows = [TableRow((file.path, f"{file.score:.2f}", "; ".join(file.reasons))) for file in result.items]
    print_table(("path", "score", "why"), rows)


@command("warm")
def warm_command(cli: Cli) -> int:
    """Read the files of the workspace now.

    Also outlines the 2,000 most important files, and skips unchanged files. Ctrl-C keeps what was read. --json prints
    the status afterwards.
    """
    started = time.monotonic()
    with cli.open_calls() as calls:
        try:
            calls.warm_up()
        except KeyboardInterrupt:
            calls.engine.cancel_warm_up()
            raise
        status = calls.sidecar_status(StatusParams())
    if cli.as_json:
        print_json(status)
    else:
        for workspace in status.workspaces:
            read = f"{workspace.warmup.done} read now" if workspace.warmup.done else "none were new"
            click.echo(f"{workspace.files} file contents are known; {read}, in {time.monotonic() - started:.1f} s.")
    if any(workspace.warmup.state == "failed" for workspace in status.workspaces):
        click.echo("Reading failed; the log says why.", err=True)
        return 1
    return 0
