"""`stats`: show what was learned, shown and rated useful, with a bar for each week."""

from __future__ import annotations

import click

from protocol.stats import StatsResult
from sidecar.cli.options import Cli, command
from sidecar.cli.output import TableRow, print_table
from sidecar.cli.times import date
from sidecar.cli.wording import counted, short_id, title

# Two bars and their numbers fit into 80 columns.
_BAR_COLUMNS = 24


@command("stats")
@click.option("--weeks", type=click.IntRange(1, 104), default=12, show_default=True, help="How far back.")
def stats_command(cli: Cli, weeks: int) -> None:
    """Show what was learned, shown and found useful.

    "new" counts the memories that still exist, "shown" how often a session was given a memory.
    """
    stats: StatsResult = cli.ask("memory/stats", {"weeks": weeks})
    by = ", ".join(f"{count} {kind}" for kind, count in sorted(stats.by_source.items(), key=lambda pair: -pair[1]))
    memories = counted(stats.memories, "memory", "memories")
    click.echo(f"{memories}{f': {by}' if by else ''}; {stats.archived} archived")
    click.echo(
        f"shown {counted(stats.shown, 'time')}; {stats.unseen} never; "
        f"useful {stats.useful} ×, not useful {stats.not_useful} ×"
    )
    if stats.candidates:
        click.echo(f"candidates: {', '.join(f'{count} {status}' for status, count in stats.candidates.items())}")
    click.echo()
    added = [week.recorded + week.learned + week.imported for week in stats.weeks]
    max_new, max_shown = max(added, default=0), max((week.shown for week in stats.weeks), default=0)
    click.echo(f"{'week of':<12}{'new':>6} {'':<{_BAR_COLUMNS}} {'shown':>6}")
    for week, count in zip(stats.weeks, added, strict=True):
        new, shown = _bar(count, max_new), _bar(week.shown, max_shown).rstrip()
        click.echo(f"{date(week.start)[:10]:<12}{count:>6} {new} {week.shown:>6} {shown}".rstrip())
    if stats.most_shown:
        click.echo()
        rows = [
            TableRow((short_id(row.id), title(row.name), str(row.shown), str(row.useful), str(row.not_useful)))
            for row in stats.most_shown
        ]
        print_table(("id", "name", "shown", "useful", "not"), rows)


def _bar(count: int, highest: int) -> str:
    return ("█" * (count and max(1, round(count * _BAR_COLUMNS / highest)))).ljust(_BAR_COLUMNS)
