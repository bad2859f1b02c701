"""`review`: go through what may become a memory, one key each; without a terminal list it, keep and reject by id."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from protocol.candidates import Candidate, CandidatesResult, CandidateStatus, Evidence
from protocol.memories import RecordResult, Scope
from sidecar.cli.edit import in_editor
from sidecar.cli.failure import complain, warn
from sidecar.cli.options import choice, command, text_or_stdin
from sidecar.cli.output import (
    Row,
    is_terminal,
    one_line,
    print_json,
    print_note,
    print_table,
    short_id,
    waiting,
)
from sidecar.cli.session import Session, opened
from sidecar.cli.times import age, date, now_ms
from sidecar.runtime.errors import InvalidField, MemoryNotFound, SidecarError

_KEYS = "k keep   e edit   s scope   r reject   l later   q quit"
_SCOPES: tuple[str, ...] = get_args(Scope)
_SHORTEST = 4
_MOST = 200
_STATUSES: tuple[str, ...] = get_args(CandidateStatus)


class Reviewed(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What was done with candidates."""

    kept: list[RecordResult] = []
    rejected: list[Candidate] = []


@command(
    "review",
    more="What sessions taught waits here until it is confirmed: nobody is shown it before. On a terminal each "
    "candidate is shown with the words that it rests on, and one key decides. Elsewhere it is a list. ID is an id of "
    "the list or its last characters.",
)
@click.option("--keep", multiple=True, metavar="ID", help="Make a memory of this. Repeatable.")
@click.option("--reject", multiple=True, metavar="ID", help="Never propose this again. Repeatable.")
@click.option("--scope", type=choice(Scope), help="Of what is kept.")
@click.option("--content", metavar="TEXT", help="Keep it in these words; - reads them from stdin.")
@click.option(
    "--status", type=choice(CandidateStatus), default="waiting", help="List these. Default: waiting."
)
@click.option("--limit", type=click.IntRange(1, _MOST), default=_MOST, help="List at most so many.")
def review_command(
    keep: tuple[str, ...],
    reject: tuple[str, ...],
    scope: str | None,
    content: str | None,
    status: str,
    limit: int,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Go through what may become a memory."""
    if (scope is not None or content is not None) and not keep:
        raise click.UsageError("--scope and --content say how to keep something: give --keep ID.")
    if content is not None and len(keep) > 1:
        raise click.UsageError("--content is for one candidate; --keep names several.")
    changes = {"scope": scope, "content": None if content is None else text_or_stdin((content,), "CONTENT")}
    with opened(workspace) as session:
        if keep or reject:
            _decide(session, _resolve(session, keep), _resolve(session, reject), changes, as_json)
            return
        found: CandidatesResult = session.call("memory/candidates", {"status": [status], "limit": limit})
        if as_json:
            print_json(found)
        elif not found.items:
            print_note("Nothing waits to be confirmed." if status == "waiting" else f"Nothing is {status}.")
        elif status == "waiting" and is_terminal() and sys.stdin.isatty():
            _walk(session, found)
        else:
            _list(found, status)


def _decide(
    session: Session, keep: list[str], reject: list[str], changes: dict[str, Any], as_json: bool
) -> None:
    if both := set(keep) & set(reject):
        raise click.UsageError(f"{short_id(both.pop())} is to be kept and rejected at once.")
    done = Reviewed()
    for id in keep:
        done.kept.append(session.call("memory/confirm", {"id": id, **changes}))
    for id in reject:
        done.rejected.append(session.call("memory/reject", {"id": id}))
    if as_json:
        print_json(done)
        return
    for kept in done.kept:
        _print_kept(kept)
    for one in done.rejected:
        click.echo(f"Rejected: {one_line(one.content)}")


def _list(found: CandidatesResult, status: str) -> None:
    now = now_ms()
    rows = [
        Row(
            (
                short_id(one.id),
                one.content,
                f"{one.type}, {one.scope}",
                str(one.sessions),
                age(one.updated_at, now),
            ),
            below=_in_short(one.evidence[-1]) if one.evidence else "",
        )
        for one in found.items
    ]
    print_table(("id", "would say", "kind", "sessions", "last said"), rows)
    if status == "waiting":
        hidden = found.waiting - len(found.items)
        more = f" {hidden} more: --limit shows them." if hidden > 0 else ""
        print_note(f"{waiting(found.waiting)}.{more} To decide: --keep ID, --reject ID.")


def _walk(session: Session, found: CandidatesResult) -> None:
    """One after the other, until the person has had enough."""
    kept = rejected = 0
    for place, one in enumerate(found.items, 1):
        print_candidate(one, f"{place} of {found.waiting}")
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
        except SidecarError as error:  # somebody else has decided meanwhile, or the new words cannot be kept
            complain(error.message, error.data.hint)
        click.echo()
    left: CandidatesResult = session.call("memory/candidates", {"limit": 1})
    print_note(f"{kept} kept, {rejected} rejected; {waiting(left.waiting)}.")
    if rejected:
        print_note("To think better of it: memory-sidecar review --status rejected, then --keep ID.")


def _asked(one: Candidate) -> tuple[str, dict[str, str]]:
    """The key that decides, `k`, `r`, `l` or `q`, and what the person changed before."""
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


def print_candidate(one: Candidate, head: str) -> None:
    """A candidate with everything that it rests on."""
    said = f"; said in {one.sessions} sessions" if one.sessions > 1 else ""
    until = f"; expires {age(one.expires_at, now_ms())}" if one.expires_at is not None else ""
    kind = f"{one.type}, {one.category}" if one.category else one.type
    click.secho(
        f"{head}  [{short_id(one.id)}]  {kind}; {one.scope}; found by {one.rule}{said}{until}", dim=True
    )
    _wrapped(one.content, "  ", bold=True)
    for each in one.evidence:
        print_evidence(each)


def print_evidence(each: Evidence) -> None:
    """Words, who said them, when and where, and what had been said before."""
    where = f", session {one_line(each.session_id)}" if each.session_id else ""
    click.echo(f"    {date(each.at)}  {each.speaker}{where}")
    if each.before:
        _wrapped(f"after: … {each.before}", "      ", dim=True)
    _wrapped(f"“{each.words}”", "      ")


def _in_short(each: Evidence) -> str:
    where = f", session {each.session_id}" if each.session_id else ""
    return f"{date(each.at)} {each.speaker}{where}: “{each.words}”"


def _wrapped(text: str, indent: str, *, bold: bool = False, dim: bool = False) -> None:
    width = shutil.get_terminal_size().columns if is_terminal() else 10_000
    click.secho(
        click.wrap_text(one_line(text), max(40, width), indent, indent), bold=bold or None, dim=dim or None
    )


def _print_kept(kept: RecordResult) -> None:
    memory = kept.memory
    said = {"created": "Kept", "merged": "Added to what was known", "duplicate": "Known already"}[kept.status]
    click.echo(f"{said}: {one_line(memory.name)}  [{short_id(memory.id)}, {memory.scope}]")
    for redaction in kept.redactions:
        warn(f"taken out of {redaction.field} before it was stored: {redaction.kind}.")


def _resolve(session: Session, given: tuple[str, ...]) -> list[str]:
    """Full ids, all of them before anything is done. Raises MemoryNotFound, InvalidField."""
    return [find(session, each).id for each in dict.fromkeys(given)] if given else []


def find(session: Session, given: str) -> Candidate:
    """A candidate by its id or the last characters of it, whatever its status. Raises MemoryNotFound, InvalidField."""
    fits: dict[str, Candidate] = {}
    for status in _STATUSES:
        listed: CandidatesResult = session.call("memory/candidates", {"status": [status], "limit": _MOST})
        for one in listed.items:
            if one.id == given or (len(given) >= _SHORTEST and one.id.endswith(given.lower())):
                fits[one.id] = one
    if len(fits) > 1:
        raise InvalidField(f"{len(fits)} candidates fit {given!r}.", path="$.id", hint="Give more of the id.")
    if not fits:
        raise MemoryNotFound(
            f"No candidate has the id {given[:64]!r}.",
            path="$.id",
            hint="`memory-sidecar review --json` lists those that wait; one may have expired.",
        )
    return fits.popitem()[1]
