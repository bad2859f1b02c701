"""`team`: share memories with other machines through a PostgreSQL database."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
import msgspec

from sidecar.cli.failure import warn
from sidecar.cli.folder import find_workspace
from sidecar.cli.options import Cli, command
from sidecar.cli.output import TableRow, print_note, print_table
from sidecar.cli.wording import printable_line
from sidecar.settings import load, user_file_path

if TYPE_CHECKING:
    from sidecar.team.scope_sync import SyncResult
    from sidecar.team.team_folder import TeamFolder, TeamView

_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")


@click.group("team", short_help="Share memories with other machines, through PostgreSQL.")
def team_command() -> None:
    """Share memories with other machines, through PostgreSQL.

    Run `team setup URL` once for a database, then `team join` in each workspace to share.
    """


def _subcommand(subcommand: click.Command) -> click.Command:
    team_command.add_command(subcommand)
    return subcommand


@_subcommand
@command("setup")
@click.argument("url")
@_dry_run
def setup_command(cli: Cli, url: str, dry_run: bool) -> None:
    """Set up a database for shared memories, or bring it up to date.

    URL names a database of PostgreSQL 13 or newer and the role that shall own it. A second run changes nothing.
    """
    from sidecar.team import postgresql, schema

    with postgresql.connect(url) as database:
        result = schema.set_up(database, dry_run=dry_run)
        address = postgresql.display_address(url)
    cli.end_with_json({"server": address, **result._asdict(), "dryRun": dry_run})
    if result.before == result.after:
        click.echo(f"{address} is up to date (schema {result.after}).")
    else:
        would = "Would be brought" if dry_run else "Brought"
        click.echo(f"{would} from schema {result.before} to {result.after}: {address}.")
    if not result.roles and not dry_run:
        print_note("This role may not create roles: only you can use the database until a superuser runs setup again.")
    if not dry_run:
        file = user_file_path(os.environ)
        print_note(f"Now name it in {file} on each machine, with your role in place of the owner's:")
        print_note('[store]\nurl = "postgresql://YOU@HOST/DATABASE"')
        print_note("and run memory-sidecar team join in each workspace that is to be shared.")


@_subcommand
@command("join")
@click.option("--name", metavar="NAME", help="The shared name if git has no origin, the same on each machine.")
@_dry_run
def join_command(cli: Cli, name: str | None, dry_run: bool) -> None:
    """Share this workspace's memories.

    Other machines know the workspace by its origin and first commit, or by --name.
    """
    _print_synced(cli, _folder(cli).join(name, dry_run=dry_run), dry_run)


@_subcommand
@command("member")
@click.argument("role")
@click.option("--may", type=click.Choice(["read", "write", "admin", "nothing"]), default="write", show_default=True)
@_dry_run
def member_command(cli: Cli, role: str, may: str, dry_run: bool) -> None:
    """Say what another database role may do in this workspace.

    `--may nothing` ends the role's access at once; the memories that it shared stay.
    """
    result = _folder(cli).set_role(role, None if may == "nothing" else may, dry_run=dry_run)
    cli.end_with_json({**msgspec.to_builtins(result), "dryRun": dry_run})
    may = f"{'would be allowed' if dry_run else 'may'}{' to' if dry_run and may != 'nothing' else ''} {may}"
    click.echo(f"{printable_line(role)} {may} here (before: {result.before}).")
    if not result.exists:
        print_note("The database has no role of this name yet: CREATE ROLE makes it.")


@_subcommand
@command("status")
def status_command(cli: Cli) -> None:
    """Show whether and how this workspace is shared."""
    view = _folder(cli).describe()
    cli.end_with_json(view)
    _print_view(view)


@_subcommand
@command("push")
@_dry_run
def push_command(cli: Cli, dry_run: bool) -> None:
    """Synchronise with the database now.

    A running server does this by itself. The first time sends everything in the local store.
    """
    _print_synced(cli, _folder(cli).push(dry_run=dry_run), dry_run)


@_subcommand
@command("leave")
@_dry_run
def leave_command(cli: Cli, dry_run: bool) -> None:
    """Stop sharing this workspace from this machine.

    Synchronises a last time; then both sides keep their memories. `team join` resumes sharing.
    """
    _print_synced(cli, _folder(cli).leave(dry_run=dry_run), dry_run)
    click.echo("Would no longer be shared from here." if dry_run else "No longer shared from here.")


def _folder(cli: Cli) -> TeamFolder:
    from sidecar.team.team_folder import TeamFolder

    folder = find_workspace(cli.workspace)
    loaded = load(folder, os.environ)
    for problem in loaded.problems:
        warn(problem)
    return TeamFolder(folder, loaded.settings)


def _print_synced(cli: Cli, synced: list[SyncResult], dry_run: bool) -> None:
    cli.end_with_json(synced)
    would = "would be " if dry_run else ""
    for scope in synced:
        merged = f", {scope.merged} changed on both sides and merged" if scope.merged else ""
        click.echo(f"{scope.scope}: {scope.pushed} {would}sent, {scope.pulled} {would}received{merged}.")
        if scope.waiting:
            print_note(f"{scope.waiting} not yet shared. {scope.detail or ''}")


def _print_view(view: TeamView) -> None:
    click.echo(f"Shared through {view.server}" + (f" as {printable_line(view.role)}" if view.role else ""))
    if view.title is not None:
        click.echo(f"Workspace {printable_line(view.title)} ({printable_line(view.key or '')}); you may {view.may}.")
    if view.scopes:
        cells = ((row.scope, "yes" if row.joined else "no", str(row.waiting), str(row.behind)) for row in view.scopes)
        print_table(("scope", "shared", "not yet sent", "not yet received"), list(map(TableRow, cells)))
    if view.members:
        print_table(("member", "may", "name"), [TableRow((user.role, user.may, user.name)) for user in view.members])
    if view.problem is not None:
        print_note(" ".join(filter(None, (view.problem, view.hint))))
