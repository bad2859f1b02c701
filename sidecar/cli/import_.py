"""`import`: memories of an export, or of another tool's files; with `--sessions` what agents' transcripts teach."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from protocol import exchange, memories
from protocol.transcripts import TranscriptAgent
from sidecar.cli.bar import call_with_bar
from sidecar.cli.import_sessions import import_sessions
from sidecar.cli.options import choice, command
from sidecar.cli.output import Row, print_json, print_note, print_table, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import When

_SHOWN = 30


@command(
    "import",
    "memory/import",
    more="Takes a file, a folder, or - for stdin. The format is found out: an export of memory-sidecar, of "
    "opencode-semantic-memory, Claude Code's memory folder, Serena's .serena/memories, the JSONL of MCP's "
    "server-memory, opencode's .opencode, Prism's file-history (facts about files), or Markdown by sections "
    "(AGENTS.md, CLAUDE.md, any). What is known already is not stored again, "
    "what was deleted here stays deleted, and secrets are taken out. With --sessions it takes no file: it learns from "
    "the sessions of this project that Claude Code, Codex, Gemini CLI, Qwen Code, opencode, Copilot CLI, aider and "
    "SpecStory kept on this machine, oldest first; what was read before is not read again.",
)
@click.argument("path", metavar="FILE|DIR|-", required=False)
@click.option("--sessions", is_flag=True, help="Learn from the sessions that agents kept on this machine.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=choice(TranscriptAgent),
    help="With --sessions: only this agent's. Of aider and SpecStory, also what the repository holds.",
)
@click.option(
    "--since", type=When(-1), metavar="TIME", help="With --sessions: begun since 7d, 12h, or a date."
)
@click.option("--format", "format_", type=choice(exchange.Format), help="Default: found out.")
@click.option("--scope", type=choice(memories.Scope), help="Default: personal for preferences, else project.")
@click.option("--dry-run", is_flag=True, help="Say what would become of each item, and store nothing.")
@click.option(
    "--directives/--no-directives",
    default=None,
    help="Whether standing instructions stay such. Default: only those of our own exports.",
)
@click.option("--forgotten", is_flag=True, help="An export also brings back what was deleted here since.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help=f"List every item, not just {_SHOWN}; with --sessions, only say what other folders have.",
)
def import_command(
    path: str | None,
    sessions: bool,
    agents: tuple[str, ...],
    since: int | None,
    format_: str | None,
    scope: str | None,
    dry_run: bool,
    directives: bool | None,
    forgotten: bool,
    every: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Take memories in."""
    if sessions:
        if path is not None:
            raise click.UsageError("--sessions takes no file.")
        import_sessions(workspace, agents, since, dry_run=dry_run, elsewhere=every, as_json=as_json)
        return
    if path is None:
        raise click.UsageError("Name a file or folder, or - for stdin, or give --sessions.")
    if agents or since is not None:
        raise click.UsageError("--agent and --since go with --sessions.")
    source: dict[str, str]
    if path == "-":
        source = {"text": sys.stdin.buffer.read().decode("utf-8", "replace"), "name": "stdin"}
    else:
        given = Path(os.path.abspath(os.path.expanduser(path)))
        if workspace is not None and not given.exists() and (workspace / path).exists():
            given = Path(os.path.abspath(workspace / path))
        source = {"path": str(given)}
    params = {
        **source,
        "format": format_,
        "scope": scope,
        "dryRun": dry_run,
        "directives": directives,
        "forgotten": forgotten,
    }
    with opened(workspace) as session:
        result: exchange.ImportResult = call_with_bar(session, "memory/import", params, "importing memories")
    if as_json:
        print_json(result)
    else:
        _print(result, every)


def _print(result: exchange.ImportResult, every: bool) -> None:
    shown = result.items if every else result.items[:_SHOWN]
    if shown:
        rows = [
            Row(
                (short_id(each.id) if each.id else "", each.name, each.outcome, each.where, each.reason or "")
            )
            for each in shown
        ]
        print_table(("id", "name", "outcome", "where", "why"), rows)
    hidden = len(result.items) - len(shown) + result.more
    if hidden:
        print_note(f"And {hidden} more.")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in result.counts.items() if count)
    more = {
        "links": result.links,
        "reminders": result.reminders,
        "candidates": result.candidates,
        "facts about files": result.facets,
    }
    links = "".join(f", {count} {name}" for name, count in more.items() if count)
    verb = "Would be" if result.dry_run else "Imported"
    print_note(f"{verb} ({result.format}): {counts or 'nothing'}{links}.")
    redacted = sum(one.count for each in result.items for one in each.redactions)
    if redacted:
        print_note(f"{redacted} secrets were taken out.")
