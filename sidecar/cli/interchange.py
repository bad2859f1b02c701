"""`export`, `import` and `bootstrap`: memories in and out, and learning from sessions and the project's files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from protocol import interchange, memories
from protocol.transcripts import ImportSessionsResult, TranscriptAgent
from sidecar.cli.options import Cli, choice, command, read_stdin
from sidecar.cli.output import TableRow, print_note, print_table, print_text
from sidecar.cli.times import When, date
from sidecar.cli.wording import counted, short_id, title
from sidecar.store.appended import replace

_MAX_ITEMS = 30
_OUTCOME_MARKS = {"created": "+", "merged": "~", "duplicate": "=", "forgotten": "-", "refused": "!", "skipped": "!"}


@command("export")
@click.option("--scope", "scopes", multiple=True, type=choice(memories.Scope), help="Only these. Default: all.")
@click.option("--type", "types", multiple=True, type=choice(memories.MemoryType), help="Only memories of these types.")
@click.option("--category", "categories", multiple=True, type=choice(memories.Category), help="Only of these.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with any of these tags.")
@click.option("--since", type=When(-1), metavar="TIME", help="Only changed since 7d, last week, or a date.")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Default: stdout."
)
@click.option("--no-history", is_flag=True, help="Leave earlier versions out.")
@click.option("--deleted", is_flag=True, help="Also deleted memories that can still be restored.")
def export_command(cli: Cli, output: Path | None, no_history: bool, **options: Any) -> None:
    """Export memories as JSON Lines, to import them again.

    The export holds ids, times, versions, links, access counts, reminders, candidates and facts about files, but no
    sessions. It may hold personal memories, so only you can read the file. With --type, --category, --tag or --since,
    it holds only matching memories. --json prints a summary instead of a note, and needs --output.
    """
    if cli.as_json and output is None:
        raise click.UsageError("--json needs --output: the export itself goes to stdout.")
    params = {**cli.params(options), "history": not no_history}
    count, lines = 0, list[str]()
    with cli.open_calls() as calls:
        while True:
            page: interchange.ExportResult = calls.call("memory/export", params, title="exporting memories")
            lines += page.lines
            count += page.memories
            if page.cursor is None:
                break
            params["cursor"] = page.cursor
    _write_export("".join(f"{line}\n" for line in lines).encode(), output)
    cli.end_with_json({"path": str(output), "memories": count})
    print_note(f"{counted(count, 'memory', 'memories')} exported{f' to {output}' if output is not None else ''}.")


def _write_export(data: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        replace(output, data)
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None


@command("import")
@click.argument("path", metavar="FILE|DIR|-", required=False)
@click.option("--sessions", is_flag=True, help="Learn from the sessions that agents kept on this machine.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=choice(TranscriptAgent),
    help="With --sessions: only this agent's. Of aider, also what the repository holds.",
)
@click.option("--since", type=When(-1), metavar="TIME", help="With --sessions: started since 7d, last week, or a date.")
@click.option("--format", type=choice(interchange.Format), help="Default: detected.")
@click.option("--scope", type=choice(memories.Scope), help="Default: personal for preferences, else project.")
@click.option("--dry-run", is_flag=True, help="Show what would happen to each item; store nothing.")
@click.option(
    "--directives/--no-directives",
    default=None,
    help="Keep standing instructions as such. Default: only those of memory-sidecar's own exports.",
)
@click.option("--forgotten", is_flag=True, help="Also bring back memories of an export that were deleted here since.")
@click.option(
    "--all",
    "list_all",
    is_flag=True,
    help=f"List every item, not just {_MAX_ITEMS}; with --sessions, only list what other folders have.",
)
def import_command(
    cli: Cli,
    path: str | None,
    sessions: bool,
    agents: tuple[str, ...],
    since: int | None,
    list_all: bool,
    **options: Any,
) -> None:
    """Import memories, or learn from agents' past sessions.

    Takes a file, a folder, or - for stdin. The format is detected: an export of memory-sidecar or of
    opencode-semantic-memory, Claude Code's memory folder, Serena's .serena/memories, the JSONL of MCP's server-memory,
    opencode's .opencode, mem0's JSON or JSON Lines of your own (content, name, type, category, scope, tags, files),
    Prism's file-history (facts about files), Cursor rules, Copilot instructions, or Markdown by sections (AGENTS.md,
    CLAUDE.md, any). Known memories are not stored again, memories deleted here stay deleted, and secrets are removed.

    With --sessions, no file is taken: learns from the sessions of this project that Claude Code, Codex, Gemini CLI,
    Qwen Code, opencode, Copilot CLI and aider kept on this machine, oldest first. Sessions read before are skipped.
    """
    if sessions:
        if path is not None:
            raise click.UsageError("--sessions takes no file.")
        _import_sessions(cli, agents, since, dry_run=options["dry_run"], elsewhere=list_all)
        return
    if path is None:
        raise click.UsageError("Name a file or folder, or - for stdin, or give --sessions.")
    if agents or since is not None:
        raise click.UsageError("--agent and --since go with --sessions.")
    source = {"text": read_stdin(), "name": "stdin"} if path == "-" else {"path": _source(cli, path)}
    params = {**source, **cli.params(options)}
    result: interchange.ImportResult = cli.ask("memory/import", params, title="importing memories")
    items = result.items if list_all else result.items[:_MAX_ITEMS]
    rows = [
        TableRow((short_id(item.id) if item.id else "", title(item.name), item.outcome, item.where, item.reason or ""))
        for item in items
    ]
    if rows:
        print_table(("id", "name", "outcome", "where", "why"), rows)
    hidden = len(result.items) - len(items) + result.more
    if hidden:
        print_note(f"And {hidden} more.")
    more = {name: getattr(result, name) for name in ("links", "reminders", "candidates")}
    more["facts about files"] = result.facets
    verb = "Would import" if result.dry_run else "Imported"
    print_note(f"{verb} ({result.format}): {_counts(result.counts) or 'nothing'}{_counts(more, ', ')}.")
    redacted = sum(redaction.count for item in result.items for redaction in item.redactions)
    if redacted:
        print_note(f"{counted(redacted, 'secret was', 'secrets were')} removed.")


def _source(cli: Cli, path: str) -> str:
    """Return a path seen from the current folder, or from the workspace if it exists only there."""
    absolute = Path(os.path.abspath(os.path.expanduser(path)))
    if cli.workspace is not None and not absolute.exists() and (cli.workspace / path).exists():
        return os.path.abspath(cli.workspace / path)
    return str(absolute)


def _import_sessions(cli: Cli, agents: tuple[str, ...], since: int | None, *, dry_run: bool, elsewhere: bool) -> None:
    """Learn from sessions that agents kept, or only list them (`dry_run`, `elsewhere`)."""
    params = {"agents": list(agents) or None, "since": since, "dryRun": dry_run or elsewhere, "elsewhere": elsewhere}
    result: ImportSessionsResult = cli.ask("session/import", params, title="looking for sessions")
    sessions = counted(result.sessions, "session")
    if elsewhere:
        rows = [TableRow((str(group.sessions), group.folder or "(unknown)")) for group in result.elsewhere]
        print_table(("sessions", "folder"), rows)
        print_note(f"{sessions} of this project can be read.")
        return
    if result.items:
        rows = [TableRow((date(item.at), item.rule, item.content)) for item in result.items]
        print_table(("when", "rule", "lesson"), rows)
    if result.agents:
        origins = ", ".join(f"{agent.agent} {agent.sessions}" for agent in result.agents)
        times = f", from {date(result.first)} to {date(result.last)}" if result.first and result.last else ""
        messages = counted(result.messages, "message")
        verb = "Would read" if result.dry_run else "Read"
        print_note(f"{verb} {sessions} ({origins}) with {messages} of the user{times}.")
    else:
        print_note("There are no sessions to read.")
    if result.sessions:
        print_note(f"Learned: {_counts(result.learned) or 'nothing'}.")
        if not result.dry_run:
            print_note(f"New memories: {result.memories}.")
    for skipped in result.skipped:
        count = f"{skipped.count} " if skipped.count else ""
        print_note(f"Not read ({skipped.agent}): {count}{skipped.reason}.")


def _counts(outcomes: Mapping[str, int], before: str = "") -> str:
    counts = ", ".join(f"{count} {name}" for name, count in outcomes.items() if count)
    return before + counts if counts else ""


@command("bootstrap")
@click.option("--dry-run", is_flag=True, help="Show the facts; store nothing.")
def bootstrap_command(cli: Cli, dry_run: bool) -> None:
    """Record first facts from README, manifests and CI files.

    A later run updates facts whose files have changed, unless you edited the facts; deleted facts stay deleted.
    """
    params = {"dryRun": dry_run}
    result: interchange.BootstrapResult = cli.ask("memory/bootstrap", params, title="reading the project")
    if not result.facts:
        print_note("No README, manifest or CI file was found that describes the project.")
        return
    for fact in result.facts:
        print_text(f"{_OUTCOME_MARKS[fact.outcome]} {title(fact.name)}  [{', '.join(fact.files)}]")
        print_text("\n".join(f"    {line}" for line in fact.content.splitlines()))
        if fact.reason:
            print_text(f"    ({fact.outcome}: {fact.reason})")
    new_count = sum(fact.outcome in ("created", "merged") for fact in result.facts)
    verb = "Would record" if dry_run else "Recorded"
    known_note = "; the others were known" if new_count < len(result.facts) else ""
    print_note(f"{verb} {new_count} of {len(result.facts)} facts{known_note}.")
