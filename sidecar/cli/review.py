"""`review`: decide about candidates, by key or by id; `why`: the words that a memory came from."""

from __future__ import annotations

import shutil
import sys
from typing import Any, get_args

import click
import msgspec

from protocol.candidates import Candidate, CandidatesResult, CandidateStatus, Evidence
from protocol.memories import HistoryResult, Memory, RecordResult, Scope, Version
from sidecar.cli.edit import in_editor
from sidecar.cli.failure import complain, complain_about
from sidecar.cli.memory_id import one_of, resolve
from sidecar.cli.options import Here, choice, command, text_or_stdin
from sidecar.cli.output import (
    TableRow,
    is_terminal,
    one_line,
    print_note,
    print_redactions,
    print_table,
    print_titled,
    short_id,
    title,
    waiting,
)
from sidecar.cli.session import CommandSession
from sidecar.cli.times import age, date, now_ms
from sidecar.runtime.errors import MemoryNotFound, SidecarError

_KEYS = "k keep   e edit   s scope   r reject   l later   q quit"
_SCOPES: tuple[str, ...] = get_args(Scope)
_MOST = 200
_VERSIONS = 10


class Reviewed(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What was done with candidates."""

    kept: list[RecordResult] = []
    rejected: list[Candidate] = []


@command("review")
@click.option("--keep", multiple=True, metavar="ID", help="Make a memory of this. Repeatable.")
@click.option("--reject", multiple=True, metavar="ID", help="Never propose this again. Repeatable.")
@click.option("--scope", type=choice(Scope), help="The scope of what is kept.")
@click.option("--content", metavar="TEXT", help="Keep it with this text; - reads stdin.")
@click.option("--status", type=choice(CandidateStatus), default="waiting", help="List these. Default: waiting.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=_MOST, help="Maximum number to list.")
def review_command(
    here: Here,
    keep: tuple[str, ...],
    reject: tuple[str, ...],
    scope: str | None,
    content: str | None,
    status: str,
    limit: int,
) -> None:
    """Confirm or reject what sessions taught.

    Candidates wait here until you confirm them; no agent sees them before. On a terminal each is shown with the words
    it rests on, and one key decides; elsewhere they are listed.
    """
    if (scope is not None or content is not None) and not keep:
        raise click.UsageError("--scope and --content say how to keep something: give --keep ID.")
    if content is not None and len(keep) > 1:
        raise click.UsageError("--content is for one candidate; --keep names several.")
    changes = {"scope": scope, "content": None if content is None else text_or_stdin((content,), "CONTENT")}
    with here.opened() as session:
        if keep or reject:
            done = _decide(session, keep, reject, changes)
            here.end_with_json(done)
            for kept in done.kept:
                _print_kept(kept)
            for one in done.rejected:
                click.echo(f"Rejected: {one_line(one.content)}")
            return
        found: CandidatesResult = session.call("memory/candidates", {"status": [status], "limit": limit})
        here.end_with_json(found)
        if not found.items:
            print_note("Nothing waits to be confirmed." if status == "waiting" else f"Nothing is {status}.")
        elif status == "waiting" and is_terminal() and sys.stdin.isatty():
            _walk(session, found)
        else:
            _list(found, status)


def _decide(
    session: CommandSession, keep: tuple[str, ...], reject: tuple[str, ...], changes: dict[str, Any]
) -> Reviewed:
    """Keep and reject, after looking up every id."""
    kept = [_find(session, each).id for each in dict.fromkeys(keep)]
    rejected = [_find(session, each).id for each in dict.fromkeys(reject)]
    if both := set(kept) & set(rejected):
        raise click.UsageError(f"{short_id(both.pop())} is to be kept and rejected at once.")
    return Reviewed(
        kept=[session.call("memory/confirm", {"id": id, **changes}) for id in kept],
        rejected=[session.call("memory/reject", {"id": id}) for id in rejected],
    )


def _list(found: CandidatesResult, status: str) -> None:
    now = now_ms()
    rows = []
    for one in found.items:
        kind, said = f"{one.type}, {one.scope}", age(one.updated_at, now)
        below = ""
        if one.evidence:
            last = one.evidence[-1]
            where = f", session {last.session_id}" if last.session_id else ""
            below = f"{date(last.at)} {last.speaker}{where}: “{last.words}”"
        rows.append(TableRow((short_id(one.id), one.content, kind, str(one.sessions), said), below))
    print_table(("id", "would say", "kind", "sessions", "last said"), rows)
    if status == "waiting":
        hidden = found.waiting - len(found.items)
        more = f" {hidden} more: --limit shows them." if hidden > 0 else ""
        print_note(f"{waiting(found.waiting)}.{more} To decide: --keep ID, --reject ID.")


def _walk(session: CommandSession, found: CandidatesResult) -> None:
    """Ask about one candidate after another until the user stops."""
    kept = rejected = 0
    for place, one in enumerate(found.items, 1):
        _print_candidate(one, f"{place} of {found.waiting}")
        key, changes = _asked(one)
        if key == "q":
            break
        try:
            if key == "k":
                _print_kept(session.call("memory/confirm", {"id": one.id, **changes}))
                kept += 1
            elif key == "r":
                session.call("memory/reject", {"id": one.id})
                click.echo("Rejected.")
                rejected += 1
        except SidecarError as error:  # somebody else has decided meanwhile, or the new words cannot be stored
            complain_about(error)
        click.echo()
    left: CandidatesResult = session.call("memory/candidates", {"limit": 1})
    print_note(f"{kept} kept, {rejected} rejected; {waiting(left.waiting)}.")
    if rejected:
        print_note("To think better of it: memory-sidecar review --status rejected, then --keep ID.")


def _asked(one: Candidate) -> tuple[str, dict[str, str]]:
    """Return the deciding key, `k`, `r`, `l` or `q`, and what the user changed before."""
    changes: dict[str, str] = {}
    while True:
        click.secho(f"  {_KEYS} ", dim=True, nl=False)
        try:
            key = click.getchar().lower()
        except EOFError:
            key = "q"
        click.echo(key if key.isprintable() else "")
        if key in ("k", "r", "l", "q"):
            return key, changes
        if key == "\x1b":
            return "q", changes
        if key == "s":
            now = changes.get("scope", one.scope)
            changes["scope"] = _SCOPES[(_SCOPES.index(now) + 1) % len(_SCOPES)]
            click.echo(f"  scope: {changes['scope']}")
        elif key == "e":
            try:
                text = in_editor(changes.get("content", one.content) + "\n", short_id(one.id)).strip()
            except click.ClickException as error:
                complain(error.message)
                continue
            if text:
                changes["content"] = text
            _wrapped(changes.get("content", one.content), "  ", bold=True)


def _print_candidate(one: Candidate, head: str) -> None:
    said = f"; said in {one.sessions} sessions" if one.sessions > 1 else ""
    until = f"; expires {age(one.expires_at, now_ms())}" if one.expires_at is not None else ""
    kind = f"{one.type}, {one.category}" if one.category else one.type
    click.secho(f"{head}  [{short_id(one.id)}]  {kind}; {one.scope}; found by {one.rule}{said}{until}", dim=True)
    _wrapped(one.content, "  ", bold=True)
    for each in one.evidence:
        _print_evidence(each)


def _print_evidence(each: Evidence) -> None:
    """Print the words, who said them, when and where, and what had been said before."""
    where = f", session {one_line(each.session_id)}" if each.session_id else ""
    click.echo(f"    {date(each.at)}  {each.speaker}{where}")
    if each.before:
        _wrapped(f"after: … {each.before}", "      ", dim=True)
    _wrapped(f"“{each.words}”", "      ")


def _wrapped(text: str, indent: str, *, bold: bool = False, dim: bool = False) -> None:
    width = shutil.get_terminal_size().columns if is_terminal() else 10_000
    click.secho(click.wrap_text(one_line(text), max(40, width), indent, indent), bold=bold or None, dim=dim or None)


def _print_kept(kept: RecordResult) -> None:
    said = {"created": "Kept", "merged": "Added to what was known", "duplicate": "Known already"}[kept.status]
    print_titled(said, kept.memory, kept.memory.scope)
    print_redactions(kept.redactions)


def _find(session: CommandSession, given: str) -> Candidate:
    """Return a candidate of any status by its id or a part of it. Raises MemoryNotFound, InvalidField."""
    found: dict[str, Candidate] = {}
    for status in get_args(CandidateStatus):
        listed: CandidatesResult = session.call("memory/candidates", {"status": [status], "limit": _MOST})
        found |= {one.id: one for one in listed.items}
    id = one_of({one.id: one.content for one in found.values()}, given, "candidates")
    if id is None:
        raise MemoryNotFound(
            f"No candidate has the id {given[:64]!r}.",
            path="$.id",
            hint="`memory-sidecar review --json` lists those that wait; one may have expired.",
        )
    return found[id]


class Origin(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A memory with its candidates and versions, or a candidate that is not a memory yet."""

    verdict: str
    memory: Memory | None = None
    candidates: list[Candidate] = []
    versions: list[Version] = []


@command("why")
@click.argument("id")
def why_command(here: Here, id: str) -> None:
    """Show where a memory came from.

    The words it rests on, or who recorded it; also for a candidate. `memory-sidecar explain` tells why it is shown.
    """
    with here.opened() as session:
        found = _origin(session, id)
    here.end_with_json(found)
    memory, now = found.memory, now_ms()
    if memory is None:
        _print_candidate(found.candidates[0], found.verdict)
        return
    mark = ", ".join((short_id(memory.id), memory.scope, memory.status))
    click.secho(f"{title(memory.name)}  [{mark}]", bold=True)
    click.echo(f"  {found.verdict}")
    for one in found.candidates:
        if one.content != memory.content:
            click.echo(f"  proposed as: {one_line(one.content)}")
        for each in one.evidence:
            _print_evidence(each)
    for version in found.versions[:_VERSIONS]:
        told = f"{version.change}, {date(version.at)}, {age(version.at, now)}"
        click.echo(f"  version {version.version}  {told}")
    hidden = len(found.versions) - _VERSIONS
    if hidden > 0:
        click.echo(f"  and {hidden} more: memory-sidecar history {short_id(memory.id)}")


def _origin(session: CommandSession, given: str) -> Origin:
    try:
        id = resolve(session, given)
    except MemoryNotFound as unknown:
        try:
            one = _find(session, given)
        except MemoryNotFound:
            raise unknown from None
        if one.memory_id is None:
            return Origin(verdict="Not a memory yet." if one.status == "waiting" else "Rejected.", candidates=[one])
        id = one.memory_id
    memory: Memory = session.call("memory/get", {"id": id})
    came: CandidatesResult = session.call("memory/candidates", {"memoryId": id, "limit": 200})
    history: HistoryResult = session.call("memory/history", {"id": id})
    return Origin(verdict=_verdict(memory, came.items), memory=memory, candidates=came.items, versions=history.versions)


def _verdict(memory: Memory, came_from: list[Candidate]) -> str:
    """Return a sentence on who made it a memory."""
    kind, _, rest = memory.source.partition(":")
    who = {"user": "you", "agent": "an agent"}.get(kind)
    if came_from:
        rules = ", ".join(dict.fromkeys(one.rule for one in came_from))
        if who is not None:
            return one_line(f"Found by the rule {rules}; confirmed by {who}.")
        sessions = max(one.sessions for one in came_from)
        return one_line(f"Found by the rule {rules}{f' in {sessions} sessions' if sessions > 1 else ''}.")
    session = f" in session {memory.session_id}" if memory.session_id else ""
    by = f" ({memory.agent})" if memory.agent else ""
    if who is not None:
        return one_line(f"Recorded by {who}{by if kind == 'agent' else ''}{session}.")
    if kind == "import":
        return one_line(f"Imported: {rest}.")
    if kind == "extractor":
        return one_line(f"Learned by the rule {rest}{session}; what it rests on was not kept here.")
    return one_line(f"Source: {memory.source}.")
