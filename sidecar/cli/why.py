"""`why`: where a memory came from."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from protocol.candidates import Candidate, CandidatesResult
from protocol.memories import HistoryResult, Memory, Version
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import command
from sidecar.cli.output import one_line, print_json, short_id
from sidecar.cli.review import find, print_candidate, print_evidence
from sidecar.cli.session import Session, opened
from sidecar.cli.times import age, date, now_ms
from sidecar.runtime.errors import MemoryNotFound

_VERSIONS = 10


class Origin(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """A memory, what it came from, and its versions; without a memory a candidate that is none yet."""

    verdict: str
    memory: Memory | None = None
    candidates: list[Candidate] = []
    versions: list[Version] = []


@command(
    "why",
    more="ID is an id, its first or last characters, or a name; also the id of a candidate. Whether and why a memory "
    "is shown for a prompt is what `memory-sidecar explain` tells.",
)
@click.argument("id")
def why_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Where a memory came from: the words that it rests on, or who recorded it."""
    with opened(workspace) as session:
        found = _origin(session, id)
    if as_json:
        print_json(found)
        return
    memory, now = found.memory, now_ms()
    if memory is None:
        print_candidate(found.candidates[0], found.verdict)
        return
    click.secho(
        f"{one_line(memory.name)}  [{short_id(memory.id)}, {memory.scope}, {memory.status}]", bold=True
    )
    click.echo(f"  {found.verdict}")
    for one in found.candidates:
        if one.content != memory.content:
            click.echo(f"  proposed as: {one_line(one.content)}")
        for each in one.evidence:
            print_evidence(each)
    for version in found.versions[:_VERSIONS]:
        click.echo(
            f"  version {version.version}  {version.change}, {date(version.at)}, {age(version.at, now)}"
        )
    if len(found.versions) > _VERSIONS:
        click.echo(
            f"  and {len(found.versions) - _VERSIONS} more: memory-sidecar history {short_id(memory.id)}"
        )


def _origin(session: Session, given: str) -> Origin:
    try:
        id = resolve(session, given)
    except MemoryNotFound as unknown:
        try:
            one = find(session, given)
        except MemoryNotFound:
            raise unknown from None
        if one.memory_id is None:
            return Origin(
                verdict="Not a memory yet." if one.status == "waiting" else "Rejected.", candidates=[one]
            )
        id = one.memory_id
    memory: Memory = session.call("memory/get", {"id": id})
    came: CandidatesResult = session.call("memory/candidates", {"memoryId": id, "limit": 200})
    history: HistoryResult = session.call("memory/history", {"id": id})
    return Origin(
        verdict=_verdict(memory, came.items), memory=memory, candidates=came.items, versions=history.versions
    )


def _verdict(memory: Memory, came_from: list[Candidate]) -> str:
    """Who made a memory of it, in a sentence."""
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
