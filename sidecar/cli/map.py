"""`map` and `files`: the repository's map, and the files that a text is about."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.files import FileKind, FileSearchResult, RepoMapResult
from sidecar.cli.options import choice, command, text_or_stdin, wire_path
from sidecar.cli.output import Row, print_json, print_note, print_table, print_text
from sidecar.cli.session import opened
from sidecar.cli.warm import read_ahead


@command(
    "map",
    "workspace/repoMap",
    "Files and key symbols, most important first. With --file and --identifier as seen from there.",
)
@click.option(
    "--budget", type=click.IntRange(1, 1_000_000), default=4096, show_default=True, help="Most tokens."
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file in play; may be repeated.")
@click.option("--identifier", "identifiers", multiple=True, metavar="NAME", help="A name in play.")
def map_command(
    budget: int, files: tuple[str, ...], identifiers: tuple[str, ...], workspace: Path | None, as_json: bool
) -> None:
    """The repository's map inside a token budget."""
    params = {
        "budgetTokens": budget,
        "files": [wire_path(path, workspace) for path in files],
        "identifiers": list(identifiers),
    }
    with opened(workspace) as session:
        result: RepoMapResult = session.call("workspace/repoMap", params)
    if as_json:
        print_json(result)
        return
    print_text(result.text)
    print_note(f"{result.tokens} tokens, {len(result.files)} files.")


@command(
    "files",
    "file/search",
    "QUERY is words, or - for stdin: an issue, a task, an error message. Likeliest first.",
)
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Most files.")
@click.option("--kind", "kinds", multiple=True, type=choice(FileKind), help="Only files of this kind.")
def files_command(
    query: tuple[str, ...], limit: int, kinds: tuple[str, ...], workspace: Path | None, as_json: bool
) -> None:
    """Find the files that a text is about."""
    params = {"query": text_or_stdin(query, "QUERY"), "limit": limit, "kinds": list(kinds) or None}
    with opened(workspace) as session:
        read_ahead(session)
        result: FileSearchResult = session.call("file/search", params)
    if as_json:
        print_json(result)
        return
    if not result.items:
        print_note("Nothing found.")
        return
    print_table(
        ("path", "score", "why"),
        [Row((found.path, f"{found.score:.2f}", "; ".join(found.reasons))) for found in result.items],
    )
