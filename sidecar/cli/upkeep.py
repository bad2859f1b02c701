"""`maintain`, `status`, `file`, `trust`, `metrics`: show the state of the memory and maintain it."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import click

from protocol import maintenance
from protocol.status import MemoryFileStatus, StatusParams, WorkspaceStatus
from sidecar.cli.command_calls import CommandCalls
from sidecar.cli.failure import warn
from sidecar.cli.memory_id import match_id
from sidecar.cli.options import Cli, choice, command
from sidecar.cli.output import TableRow, print_line, print_note, print_table, print_text
from sidecar.cli.wording import candidates_waiting, counted, short_id, title

READERS = {"endpoint": "the endpoint", "command": "the command", "client": "the model of an MCP client that offers it"}
_STATE_LABELS = {
    "leftAlone": "left alone",
    "held": "waiting for your decision",
    "current": "in sync",
    "absent": "not created yet",
}
_ACTION_BY_ANSWER = {"archive": "archive", "bring-back": "bringBack"}


@command("maintain")
@click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing.")
@click.option("--step", "steps", multiple=True, type=choice(maintenance.Step), help="Only this step. Repeatable.")
@click.option("--apply", multiple=True, metavar="PROPOSAL", help="Carry out a proposal. Repeatable.")
@click.option("--dismiss", multiple=True, metavar="PROPOSAL", help="Stop proposing this. Repeatable.")
def maintain_command(cli: Cli, **options: Any) -> None:
    """Merge duplicates, archive the unused, propose merges.

    Deletes nothing: `memory-sidecar restore` brings archived memories back. Similar memories are merged only after you
    apply a proposal. Maintenance runs by itself once a day; this command runs it now.
    """
    with cli.open_calls() as calls:
        for decided in ("apply", "dismiss"):
            options[decided] = tuple(_resolve_proposal(calls, ref) for ref in options[decided])
        result: maintenance.MaintainResult = calls.call("memory/maintain", cli.params(options))
    cli.end_with_json(result)
    rows = []
    for action in (*result.actions, *result.left):
        step = f"{action.step}: left" if action in result.left else action.step
        rows.append(TableRow((short_id(action.id), title(action.name), action.scope, step, action.reason)))
    if rows:
        print_table(("id", "name", "scope", "step", "why"), rows)
    if result.more:
        print_note(f"And {result.more} more.")
    if result.proposals:
        rows = [
            TableRow((pair.id, title(pair.keep_name), title(pair.other_name), pair.kind, f"{pair.score:.2f}"))
            for pair in result.proposals
        ]
        print_table(("proposal", "keep", "other", "what", "similar"), rows)
        print_note("To carry one out: memory-sidecar maintain --apply PROPOSAL")
    counts = ", ".join(f"{step} {count}" for step, count in result.counts.items() if count)
    verb = "Would change" if options["dry_run"] else "Changed"
    print_note(f"{verb}: {counts}." if counts else "Nothing to do.")
    if result.switched_off:
        print_note(f"Switched off by settings: {', '.join(result.switched_off)}.")
    if result.detail:
        warn(result.detail)


def _resolve_proposal(calls: CommandCalls, ref: str) -> str:
    """Return the full id of a proposal for a part of the id."""
    # Any step but consolidation lists the pending proposals.
    pending = calls.memory_maintain(maintenance.MaintainParams(dry_run=True, steps=["age"]))
    return match_id({proposal.id: proposal.keep_name for proposal in pending.proposals}, ref, "proposals") or ref


@command("status")
def status_command(cli: Cli) -> None:
    """Show what is remembered here, and whether all is well."""
    with cli.open_calls() as calls:
        result = calls.sidecar_status(StatusParams())
    cli.end_with_json(result)
    click.echo(f"memory-sidecar {result.version}, memory is {'on' if result.enabled else 'off'}")
    for workspace in result.workspaces:
        _print_workspace(workspace, calls.reported)
    if result.model_tokens_today:
        _print_line("models", f"{result.model_tokens_today:,} tokens used today (UTC), over all workspaces")


@command("file")
@click.argument("answer", required=False, type=click.Choice(list(_ACTION_BY_ANSWER)))
def file_command(cli: Cli, answer: str | None) -> None:
    """Synchronise MEMORY.md with the memories.

    If many entries vanish from the file at once, it waits for your decision: archive if you removed them on purpose,
    bring-back to write them again.
    """
    _print_memory_file(cli.ask("memory/file", {"vanished": answer and _ACTION_BY_ANSWER[answer]}))


@command("trust")
@click.option("--off", is_flag=True, help="Stop trusting it. Memories that were trusted before stay trusted.")
def trust_command(cli: Cli, off: bool) -> None:
    """Trust what this repository's MEMORY.md says.

    Its text then counts as yours. The repository cannot change this choice, which is stored outside of it.
    """
    _print_memory_file(cli.ask("memory/file", {"trust": not off}))


@command("metrics")
def metrics_command(cli: Cli) -> None:
    """Print metrics for Prometheus.

    The request counts are this command's own; a running server has others.
    """
    print_text(cli.ask("sidecar/metrics", {}).text)


def _print_workspace(status: WorkspaceStatus, reported: Set[str]) -> None:
    counts = ", ".join(f"{count} {scope}" for scope, count in status.memories.items() if count)
    _print_line("workspace", status.uri)
    _print_line("identity", status.id)
    if status.alone:
        warn(f"This folder has a memory of its own: {status.alone}.")
    _print_line("memories", counts or "none")
    if status.candidates:
        _print_line("candidates", f"{candidates_waiting(status.candidates)}: memory-sidecar review")
    facts = f", {counted(status.facets, 'fact')} about them" if status.facets else ""
    _print_line("files", f"{counted(status.files, 'content')} remembered{facts}")
    if status.memory_file is not None:
        _print_memory_file(status.memory_file)
    if status.embedding is not None:
        reason = ". ".join(part for part in (status.embedding.reason, status.embedding.hint) if part)
        _print_state("meaning", status.embedding.model, status.embedding.state, reason)
    model = status.model
    if model is not None:
        waits = f", {counted(model.waiting, 'question waits', 'questions wait')}" if model.waiting else ""
        _print_state("model", f"{model.name or 'none'}{waits}", model.state, model.detail)
        if model.sessions != "off":
            _print_line("sessions", f"read by {READERS[model.sessions]}, {model.sessions_today} today")
    trackers = status.trackers
    if trackers is not None and (trackers.state != "off" or trackers.detail):
        checked = f"{trackers.known} found, {trackers.missing} not found, {trackers.resolved} blockers resolved"
        forge = f"{trackers.host}/{trackers.project}, {checked}" if trackers.host else "none"
        _print_state("issues", forge, trackers.state, trackers.detail)
    for store in status.stores:
        _print_line("store", f"{store.path}  ({store.bytes:,} bytes, schema {store.schema_version})")
        if store.notice and not any(text in store.notice for text in reported):
            warn(store.notice)


def _print_memory_file(status: MemoryFileStatus) -> None:
    _print_state("file", status.path, status.state, status.detail)
    if status.trusted:
        _print_line("", "the repository is trusted: its file counts as if you had said it")


def _print_state(label: str, text: str, state: str, detail: str | None) -> None:
    _print_line(label, f"{text}: {_STATE_LABELS.get(state, state)}")
    if detail:
        _print_line("", detail)


def _print_line(label: str, text: str) -> None:
    print_line(text, label=f"{label:<11}")
