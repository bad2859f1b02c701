"""`import --sessions`: learn from what agents kept of this project's sessions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from protocol.transcripts import ImportSessionsResult
from sidecar.cli.bar import call_with_bar
from sidecar.cli.output import Row, print_json, print_note, print_table
from sidecar.cli.session import opened
from sidecar.cli.times import date

_METHOD = "session/import"


def import_sessions(
    workspace: Path | None,
    agents: tuple[str, ...],
    since: int | None,
    *,
    dry_run: bool,
    elsewhere: bool,
    as_json: bool,
) -> None:
    """Read them, or with `dry_run` or `elsewhere` only say what is there."""
    params = {
        "agents": list(agents) or None,
        "since": since,
        "dryRun": dry_run or elsewhere,
        "elsewhere": elsewhere or None,
    }
    with opened(workspace) as session:
        result: ImportSessionsResult = call_with_bar(session, _METHOD, params, "looking for sessions")
    if as_json:
        print_json(result)
    elif elsewhere:
        rows = [Row((str(each.sessions), each.folder or "(not told)")) for each in result.elsewhere]
        print_table(("sessions", "folder"), rows)
        print_note(f"{_count(result.sessions, 'session')} of this project can be read.")
    else:
        _print(result)


def _print(result: ImportSessionsResult) -> None:
    if result.items:
        rows = [Row((date(each.at), each.rule, each.content)) for each in result.items]
        print_table(("when", "rule", "what it teaches"), rows)
    if result.agents:
        each = (f"{each.agent} {each.sessions}" for each in result.agents)
        times = f", from {date(result.first)} to {date(result.last)}" if result.first and result.last else ""
        verb = "Would read" if result.dry_run else "Read"
        print_note(
            f"{verb} {_count(result.sessions, 'session')} ({', '.join(each)}) with "
            f"{_count(result.messages, 'message')} of the user{times}."
        )
    else:
        print_note("There is no session to be read.")
    if result.sessions:
        print_note(f"What they teach: {_counts(result.learned) or 'nothing'}.")
    if result.sessions and not result.dry_run:
        print_note(f"Memories more than before: {result.memories}.")
    for skipped in result.skipped:
        count = f"{skipped.count} " if skipped.count else ""
        print_note(f"Not read, {skipped.agent}: {count}{skipped.reason}.")


def _counts(given: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in given.items())


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
