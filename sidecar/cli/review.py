"""`review`: decide on candidates, by key or by id; `why`: show the evidence behind a memory."""

from __future__ import annotations

import shutil
import sys
from typing import Any, Final, get_args

import click
import msgspec

from protocol.candidates import (
    Candidate,
    CandidatesParams,
    CandidatesResult,
    CandidateStatus,
    ConfirmParams,
    Evidence,
    RejectParams,
)
from protocol.memories import IdParams, Memory, RecordResult, Scope, Version
from sidecar.cli.command_calls import CommandCalls
from sidecar.cli.edit import edit_text
from sidecar.cli.failure import complain, complain_about, warn_of_redactions
from sidecar.cli.memory_id import find_candidate, resolve
from sidecar.cli.options import Cli, choice, command, text_or_stdin
from sidecar.cli.output import TableRow, is_terminal, print_note, print_table, print_titled
from sidecar.cli.times import age, date
from sidecar.cli.wording import candidates_waiting, printable_line, short_id, title
from sidecar.runtime.clock import epoch_ms
from sidecar.runtime.errors import MemoryNotFound, SidecarError

_KEY_HELP = "k keep   e edit   s scope   r reject   l later   q quit"
_SCOPES: tuple[str, ...] = get_args(Scope)
# As many candidates as one request may return.
_MAX_CANDIDATES = 200
_MAX_SHOWN_VERSIONS = 10


class ReviewResult(msgspec.Struct, kw_only=True, omit_defaults=True):
    kept: list[RecordResult] = []
    rejected: list[Candidate] = []


@command("review")
@click.option("--keep", multiple=True, metavar="ID", help="Make this a memory. Repeatable.")
@click.option("--reject", multiple=True, metavar="ID", help="Never propose this again. Repeatable.")
@click.option("--scope", type=choice(Scope), help="The scope of what is kept.")
@click.option("--content", metavar="TEXT", help="The text of what is kept; - reads stdin.")
@click.option("--status", type=choice(CandidateStatus), default="waiting", help="List these. Default: waiting.")
@click.option(
    "--limit", type=click.IntRange(1, _MAX_CANDIDATES), default=_MAX_CANDIDATES, help="Maximum number to list."
)
def review_command(
    cli: Cli, keep: tuple[str, ...], reject: tuple[str, ...], status: CandidateStatus, limit: int, **options: str | None
) -> None:
    """Confirm or reject what sessions taught.

    No agent sees a candidate until you confirm it. On a terminal, each candidate is shown with its evidence, and one
    key decides; elsewhere the candidates are listed.
    """
    scope, content = options["scope"], options["content"]
    if (scope is not None or content is not None) and not keep:
        raise click.UsageError("--scope and --content say how to keep something: give --keep ID.")
    if content is not None and len(keep) > 1:
        raise click.UsageError("--content is for one candidate; --keep names several.")
    changes = {"scope": scope, "content": None if content is None else text_or_stdin((content,), "CONTENT")}
    with cli.open_calls() as calls:
        if keep or reject:
            decided = _keep_and_reject(calls, keep, reject, changes)
            cli.end_with_json(decided)
            for result in decided.kept:
                _print_kept(result)
            for rejected in decided.rejected:
                click.echo(f"Rejected: {printable_line(rejected.content)}")
            return
        candidates = calls.memory_candidates(CandidatesParams(status=[status], limit=limit))
        cli.end_with_json(candidates)
        if not candidates.items:
            print_note("No candidates wait to be confirmed." if status == "waiting" else f"No candidates are {status}.")
        elif status == "waiting" and is_terminal() and sys.stdin.isatty():
            _ask_each(calls, candidates)
        else:
            _print_candidates(candidates, status)


def _keep_and_reject(
    calls: CommandCalls, keep: tuple[str, ...], reject: tuple[str, ...], changes: dict[str, Any]
) -> ReviewResult:
    """Keep and reject candidates. All ids are looked up before anything is done."""
    kept_ids = [_get_candidate(calls, ref).id for ref in dict.fromkeys(keep)]
    rejected = [_get_candidate(calls, ref).id for ref in dict.fromkeys(reject)]
    if both := set(kept_ids) & set(rejected):
        raise click.UsageError(f"{short_id(both.pop())} cannot be both kept and rejected.")
    return ReviewResult(
        kept=[calls.memory_confirm(ConfirmParams(id=id, **changes)) for id in kept_ids],
        rejected=[calls.memory_reject(RejectParams(id=id)) for id in rejected],
    )


def _print_candidates(candidates: CandidatesResult, status: str) -> None:
    now = epoch_ms()
    rows = []
    for candidate in candidates.items:
        kind, when = f"{candidate.type}, {candidate.scope}", age(candidate.updated_at, now)
        below = ""
        if candidate.evidence:
            last = candidate.evidence[-1]
            session_note = f", session {last.session_id}" if last.session_id else ""
            below = f"{date(last.at)} {last.speaker}{session_note}: “{last.words}”"
        rows.append(TableRow((short_id(candidate.id), candidate.content, kind, str(candidate.sessions), when), below))
    print_table(("id", "would say", "kind", "sessions", "last said"), rows)
    if status == "waiting":
        hidden_count = candidates.waiting - len(candidates.items)
        more_note = f" {hidden_count} more: --limit shows them." if hidden_count > 0 else ""
        print_note(f"{candidates_waiting(candidates.waiting)}.{more_note} To decide: --keep ID, --reject ID.")


def _ask_each(calls: CommandCalls, candidates: CandidatesResult) -> None:
    confirmed = rejected = 0
    for number, candidate in enumerate(candidates.items, 1):
        _print_candidate(candidate, f"{number} of {candidates.waiting}")
        key, changes = _ask_decision(candidate)
        if key == "q":
            break
        try:
            if key == "k":
                _print_kept(calls.memory_confirm(ConfirmParams(id=candidate.id, **changes)))
                confirmed += 1
            elif key == "r":
                calls.memory_reject(RejectParams(id=candidate.id))
                click.echo("Rejected.")
                rejected += 1
        except SidecarError as error:  # somebody else has decided meanwhile, or the new words cannot be stored
            complain_about(error)
        click.echo()
    rest = calls.memory_candidates(CandidatesParams(limit=1))
    print_note(f"{confirmed} kept, {rejected} rejected; {candidates_waiting(rest.waiting)}.")
    if rejected:
        print_note("To change your mind: memory-sidecar review --status rejected, then --keep ID.")


def _ask_decision(candidate: Candidate) -> tuple[str, dict[str, Any]]:
    """Return the key that decides (`k`, `r`, `l` or `q`) and the user's changes to the candidate."""
    changes: dict[str, Any] = {}
    while True:
        click.secho(f"  {_KEY_HELP} ", dim=True, nl=False)
        try:
            key = click.getchar().lower()
        except EOFError:
            key = "q"
        click.echo(key if key.isprintable() else "")
        if key in ("k", "r", "l", "q", "\x1b"):
            return "q" if key == "\x1b" else key, changes
        if key == "s":
            index = _SCOPES.index(changes.get("scope", candidate.scope))
            changes["scope"] = _SCOPES[(index + 1) % len(_SCOPES)]
            click.echo(f"  scope: {changes['scope']}")
        elif key == "e":
            try:
                text = edit_text(changes.get("content", candidate.content) + "\n", short_id(candidate.id)).strip()
            except click.ClickException as error:
                complain(error.message)
                continue
            if text:
                changes["content"] = text
            _print_wrapped(changes.get("content", candidate.content), "  ", bold=True)


def _print_candidate(candidate: Candidate, head: str) -> None:
    repeated = f"; said in {candidate.sessions} sessions" if candidate.sessions > 1 else ""
    until = f"; expires {age(candidate.expires_at, epoch_ms())}" if candidate.expires_at is not None else ""
    kind = f"{candidate.type}, {candidate.category}" if candidate.category else candidate.type
    origin = f"{candidate.scope}; found by {candidate.rule}{repeated}{until}"
    click.secho(f"{head}  [{short_id(candidate.id)}]  {kind}; {origin}", dim=True)
    _print_wrapped(candidate.content, "  ", bold=True)
    for evidence in candidate.evidence:
        _print_evidence(evidence)


def _print_evidence(evidence: Evidence) -> None:
    session_note = f", session {printable_line(evidence.session_id)}" if evidence.session_id else ""
    click.echo(f"    {date(evidence.at)}  {evidence.speaker}{session_note}")
    if evidence.before:
        _print_wrapped(f"after: … {evidence.before}", "      ", dim=True)
    _print_wrapped(f"“{evidence.words}”", "      ")


def _print_wrapped(text: str, indent: str, *, bold: bool = False, dim: bool = False) -> None:
    width = shutil.get_terminal_size().columns if is_terminal() else 10_000
    click.secho(
        click.wrap_text(printable_line(text), max(40, width), indent, indent), bold=bold or None, dim=dim or None
    )


def _print_kept(result: RecordResult) -> None:
    verb = {"created": "Kept", "merged": "Merged into", "duplicate": "Already known"}[result.status]
    print_titled(verb, result.memory, result.memory.scope)
    warn_of_redactions(result.redactions)


def _get_candidate(calls: CommandCalls, ref: str) -> Candidate:
    """Return the candidate that `ref`, an id or a part of one, names. Raises MemoryNotFound, InvalidField."""
    candidate = find_candidate(calls, ref)
    if candidate is None:
        raise MemoryNotFound(
            f"No candidate has the id {ref[:64]!r}.",
            path="$.id",
            hint="`memory-sidecar review --json` lists those that wait; one may have expired.",
        )
    return candidate


# The source from which each rule learns, in words.
_SOURCES: Final = {
    **dict.fromkeys(("preference", "rule", "decision", "fact", "mention"), "what you said"),
    "error-fix": "a command that failed and then passed",
    "repeated-command": "a command that sessions repeat",
    "compaction": "an agent's summary of a session",
    "memory-file": "this repository's memory file",
    "model": "what a model read in a session",
}


class Origin(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A memory with its candidates and versions; or a candidate that is not a memory yet."""

    verdict: str
    memory: Memory | None = None
    candidates: list[Candidate] = []
    versions: list[Version] = []


@command("why")
@click.argument("id")
def why_command(cli: Cli, id: str) -> None:
    """Show where a memory came from.

    Shows its evidence, or who recorded it; ID may also name a candidate. `memory-sidecar explain` says why an agent is
    shown a memory.
    """
    with cli.open_calls() as calls:
        origin = _find_origin(calls, id)
    cli.end_with_json(origin)
    memory, now = origin.memory, epoch_ms()
    if memory is None:
        _print_candidate(origin.candidates[0], origin.verdict)
        return
    mark = ", ".join((short_id(memory.id), memory.scope, memory.status))
    click.secho(f"{title(memory.name)}  [{mark}]", bold=True)
    click.echo(f"  {origin.verdict}")
    for candidate in origin.candidates:
        if candidate.content != memory.content:
            click.echo(f"  proposed as: {printable_line(candidate.content)}")
        for evidence in candidate.evidence:
            _print_evidence(evidence)
    for version in origin.versions[:_MAX_SHOWN_VERSIONS]:
        change = f"{version.change}, {date(version.at)}, {age(version.at, now)}"
        click.echo(f"  version {version.version}  {change}")
    hidden_count = len(origin.versions) - _MAX_SHOWN_VERSIONS
    if hidden_count > 0:
        click.echo(f"  and {hidden_count} more: memory-sidecar history {short_id(memory.id)}")


def _find_origin(calls: CommandCalls, ref: str) -> Origin:
    try:
        id = resolve(calls, ref)
    except MemoryNotFound:
        if (candidate := find_candidate(calls, ref)) is None:
            raise
        verdict = "Not a memory yet." if candidate.status == "waiting" else "Rejected."
        return Origin(verdict=verdict, candidates=[candidate])
    memory = calls.memory_get(IdParams(id=id))
    sources = calls.memory_candidates(CandidatesParams(memory_id=id, limit=200))
    history = calls.memory_history(IdParams(id=id))
    verdict = _explain_origin(memory, sources.items)
    return Origin(verdict=verdict, memory=memory, candidates=sources.items, versions=history.versions)


def _explain_origin(memory: Memory, candidates: list[Candidate]) -> str:
    """Return a sentence that says who recorded or confirmed the memory."""
    kind, _, detail = memory.source.partition(":")
    who = {"user": "you", "agent": "an agent"}.get(kind)
    if candidates:
        sources = (_SOURCES.get(candidate.rule, f"the rule {candidate.rule}") for candidate in candidates)
        source = " and ".join(dict.fromkeys(sources))
        sessions = max(candidate.sessions for candidate in candidates)
        repeated = "" if who is not None or sessions == 1 else f", in {sessions} sessions"
        confirmed = f"; confirmed by {who}" if who is not None else ""
        return printable_line(f"Learned from {source}{repeated}{confirmed}.")
    session_note = f" in session {memory.session_id}" if memory.session_id else ""
    if who is not None:
        agent_name = f" ({memory.agent})" if memory.agent and kind == "agent" else ""
        return printable_line(f"Recorded by {who}{agent_name}{session_note}.")
    if kind == "import":
        return printable_line(f"Imported: {detail}.")
    if kind == "extractor":
        return printable_line(f"Learned by the rule {detail}{session_note}; its evidence is not stored here.")
    return printable_line(f"Source: {memory.source}.")
