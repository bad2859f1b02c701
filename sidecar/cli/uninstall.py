"""`uninstall`: undo the setup of every agent, and with `--purge` delete all that is stored."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from sidecar.checkout import registry
from sidecar.checkout.exclude import is_excluded, remove_exclusion
from sidecar.checkout.repository_key import KEY_FOLDER, read_key
from sidecar.cli.agent_files import print_diffs, steps_to_undo, undo_step
from sidecar.cli.agents import AGENTS, Machine, own_command
from sidecar.cli.edits import EditRefused
from sidecar.cli.failure import FAILED, complain, warn
from sidecar.cli.output import print_json, print_line
from sidecar.memory_file.disk import TEMPORARY_PATTERN
from sidecar.peers.sockets import running_servers, socket_folder
from sidecar.runtime.log import log_path
from sidecar.settings import Settings, load, user_file_path
from sidecar.settings.user_folders import user_folder
from sidecar.store.location import data_home

# Our sub-folders of a data folder. Users choose that folder, so it may hold other things.
_DATA_FOLDERS = ("workspaces", "user", "checkouts", "hooks", "logs")


class _Task(NamedTuple):
    title: str
    carry_out: Callable[[], None]


@click.command("uninstall", short_help="Undo what setup wrote; --purge deletes everything.")
@click.option(
    "--purge", is_flag=True, help="Also remove all memories, stores, logs, ids and lines in git's exclude files."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print what would be or was undone as JSON.")
def uninstall_command(purge: bool, yes: bool, as_json: bool) -> int:
    """Undo what setup wrote; --purge deletes everything.

    Shows first what would be undone for every agent, and asks. Without a terminal nothing is changed unless --yes
    is given. --purge cannot be undone: `memory-sidecar export` in each project keeps its memories. Your settings and
    the MEMORY.md files stay. Remove the program itself as you installed it, for example with `uv tool uninstall`.
    """
    settings = load(None, os.environ).settings
    running = running_servers()
    tasks = list(_setup_tasks(show_changes=not as_json))
    if (sockets := socket_folder(make=False)) is not None:
        tasks.append(_Task(f"Runtime: remove {sockets}", partial(shutil.rmtree, sockets)))
    tasks += _purge_tasks(settings) if purge else ()
    if running:
        warn(
            f"memory-sidecar is running ({', '.join(f'process {pid}' for pid in running)}): end the agents and editors "
            "that started it first, or it will create its files again."
        )
    if not as_json:
        for task in tasks:
            print_line(task.title)
    doing = bool(tasks) and (yes or (sys.stdin.isatty() and not as_json))
    if doing and not yes:
        doing = click.confirm("Undo all of this, for good?" if purge else "Undo all of this?")
    failed = [task for task in tasks if doing and not _carry_out(task)]
    if as_json:
        report = {"tasks": [task.title for task in tasks], "done": doing, "failed": [task.title for task in failed]}
        print_json({**report, "running": running})
    elif not tasks:
        click.echo("There is nothing to undo.")
    elif not doing:
        click.echo("Nothing was changed." + ("" if sys.stdin.isatty() else " Add --yes to do this."))
    else:
        click.echo(f"Done: {len(tasks) - len(failed)} of {len(tasks)}. Restart the agents.")
        click.echo("Each project's MEMORY.md stays, in its folder .agents, and git ignores it as before.")
        if purge and user_file_path(os.environ).exists():
            click.echo(f"Your settings stay: {user_file_path(os.environ)}")
    return FAILED if failed else 0


def _carry_out(task: _Task) -> bool:
    try:
        task.carry_out()
    except OSError as error:
        complain(f"{task.title}: {error.strerror or error}")
        return False
    return True


def _setup_tasks(*, show_changes: bool) -> Iterator[_Task]:
    machine = Machine(Path.home(), os.environ)
    for agent in AGENTS.values():
        changes = agent.changes(machine, own_command(os.environ)) + agent.instruction_changes(machine)
        try:
            steps = steps_to_undo(changes)
        except (EditRefused, OSError, UnicodeDecodeError) as error:
            warn(f"{agent.title} was not changed: {error}")
            continue
        if show_changes:
            print_diffs(steps)
        for step in steps:
            yield _Task(f"{agent.title}: restore {step.path}", partial(undo_step, step))


def _purge_tasks(settings: Settings) -> Iterator[_Task]:
    home = data_home(settings.store.folder, make=False)
    for record in registry.all_records(home):
        key = read_key(Path(record.place)) if record.place else None
        if key is not None and registry.key_digest(key) == record.key:
            folder = Path(record.place) / KEY_FOLDER
            yield _Task(f"Repository: remove the id {folder}", partial(shutil.rmtree, folder))
    for folder, path, pattern, list_file in _exclude_lines(home):
        title = f"Repository: remove the line for {path}{pattern} in {list_file}"
        yield _Task(title, partial(remove_exclusion, folder, path, pattern))
    is_default = settings.store.folder is None
    for data in [home] if is_default else [home / name for name in _DATA_FOLDERS]:
        if data.exists():
            size = sum(file.stat().st_size for file in data.rglob("*") if file.is_file())
            yield _Task(f"Memories: remove {data} ({size:,} bytes)", partial(shutil.rmtree, data))
    log = log_path(settings)
    if log.parent == user_folder("log") and log.parent.exists():
        yield _Task(f"Log: remove {log.parent}", partial(_remove_log, log.parent))
    elif is_default or not log.is_relative_to(home):
        for file in sorted(log.parent.glob(f"{log.name}*")):
            yield _Task(f"Log: remove {file}", file.unlink)


def _remove_log(folder: Path) -> None:
    shutil.rmtree(folder)
    with suppress(OSError):  # the folder may hold other things
        folder.parent.rmdir()


def _exclude_lines(home: Path) -> Iterator[tuple[Path, str, str, Path]]:
    """Yield each line that keeps a missing memory file out of git: workspace, path, pattern, exclude file."""
    for note in sorted(home.glob("workspaces/*/workspace.json")):
        try:
            folder = Path(msgspec.json.decode(note.read_bytes(), type=registry.LastOpened).folder)
        except (OSError, msgspec.MsgspecError):
            continue
        chosen = load(folder, os.environ).settings.memory_file
        parent = chosen.path.rpartition("/")[0]
        for path, pattern in (
            (chosen.path, ""),
            (chosen.folder, ""),
            (parent, f"{'/' if parent else ''}{TEMPORARY_PATTERN}"),
            (chosen.folder, f"/{TEMPORARY_PATTERN}"),
        ):
            if not pattern and (folder / path).exists():
                continue
            if (list_file := is_excluded(folder, path, pattern)) is not None:
                yield folder, path, pattern, list_file
