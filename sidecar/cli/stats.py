"""`stats`: what was learned, shown and found useful, with a bar for each week."""

from __future__ import annotations

import click

from protocol.stats import StatsResult
from sidecar.cli.options import Here, command
from sidecar.cli.output import TableRow, counted, print_table, short_id, title
from sidecar.cli.times import date

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR = 24


@command("stats")
@click.option("--weeks", type=click.IntRange(1, 104), default=12, show_default=True, help="How far back.")
def stats_command(here: Here, weeks: int) -> None:
    """Show what was learned, shown and found useful.

    New memories are those that are still there; shown is how often a session was given one.
    """
    found: StatsResult = here.ask("memory/stats", {"weeks": weeks})
    by = ", ".join(f"{count} {kind}" for kind, count in sorted(found.by_source.items(), key=lambda one: -one[1]))
    memories = counted(found.memories, "memory", "memories")
    click.echo(f"{memories}{f': {by}' if by else ''}; {found.archived} archived")
    click.echo(
        f"shown {counted(found.shown, 'time')}; {found.unseen} never; "
        f"of use {found.useful} ×, of no use {found.not_useful} ×"
    )
    if found.candidates:
        click.echo(f"candidates: {', '.join(f'{count} {status}' for status, count in found.candidates.items())}")
    click.echo()
    made = [week.recorded + week.learned + week.imported for week in found.weeks]
    most_made, most_shown = max(made, default=0), max((week.shown for week in found.weeks), default=0)
    click.echo(f"{'week of':<12}{'new':>6} {'':<{_BAR}} {'shown':>6}")
    for week, count in zip(found.weeks, made, strict=True):
        new, shown = _bar(count, most_made), _bar(week.shown, most_shown).rstrip()
        click.echo(f"{date(week.start)[:10]:<12}{count:>6} {new} {week.shown:>6} {shown}".rstrip())
    if found.most_shown:
        click.echo()
        rows = [
            TableRow((short_id(one.id), title(one.name), str(one.shown), str(one.useful), str(one.not_useful)))
            for one in found.most_shown
        ]
        print_table(("id", "name", "shown", "useful", "not"), rows)


def _bar(count: int, most: int) -> str:
    """Return a bar of blocks, in eighths of a column, as long as its share of the longest."""
    eighths = 0 if not most else max(1, round(count * _BAR * 8 / most)) if count else 0
    whole, rest = divmod(eighths, 8)
    return f"{'█' * whole}{_EIGHTHS[rest] if rest else ''}".ljust(_BAR)
