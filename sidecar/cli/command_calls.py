"""A command's access to the engine: open settings, engine and workspace for a few calls, then close them."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from protocol.calls import Calls
from protocol.methods import METHODS
from sidecar.cli.failure import warn
from sidecar.cli.folder import find_workspace
from sidecar.peers.asking import PeerOrEngine
from sidecar.runtime.cancellation import Context
from sidecar.settings import LoadedSettings, load

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine


class CommandCalls(Calls):
    """Answers requests about one workspace: reads by a running server, others by an engine in this process.

    Raises `SidecarError`; for invalid parameters, a usage error that names the field.
    """

    def __init__(
        self, answerer: PeerOrEngine[Engine], folder: Path, loaded: LoadedSettings, reported: Set[str] = frozenset()
    ) -> None:
        self._answerer = answerer
        self.reported = reported  # store repairs that stderr was told about
        self.folder = folder
        self.loaded = loaded

    @property
    def engine(self) -> Engine:
        """Return this process's engine, which answers all requests from now on."""
        return self._answerer.engine()

    @property
    def injected_tokens(self) -> int:
        return self.loaded.settings.memory.inject_budget_tokens

    def request(self, method: str, params: object) -> Any:
        return self.send(method, msgspec.to_builtins(params))

    def call(self, method: str, params: Mapping[str, Any], *, title: str | None = None) -> Any:
        """Call a method with those options, by wire name, that are not None.

        With a `title`, show a progress bar below it.
        """
        return self.send(method, {key: value for key, value in params.items() if value is not None}, title)

    def send(self, method: str, params: Mapping[str, Any], title: str | None = None) -> Any:
        """Call a method like `call`, but send None as null: it clears a field of a memory."""
        try:
            struct = msgspec.convert(dict(params), METHODS[method].params)
        except msgspec.ValidationError as error:
            raise click.UsageError(_validation_message(str(error))) from None
        if title is None:
            return self._answerer.call(method, struct)
        with _progress_bar(title) as progress:
            return self.engine.call(method, struct, Context(progress))

    def warm_up(self) -> None:
        """Read new and changed files before a request about all files."""
        with _progress_bar("reading files") as progress:
            self.engine.warm_up(progress, "requested on the command line")


@contextmanager
def _progress_bar(title: str) -> Iterator[Callable[[int, int, str], None] | None]:
    """Yield a callback that draws a progress bar on stderr; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, message: bar.update(task, completed=done, total=total or None, description=message)


def _validation_message(text: str) -> str:
    """Return a validation error, which ends in its field's name, mostly without wire syntax."""
    field = text.rpartition("`$.")[2].rstrip("`") if "`$." in text else ""
    if "matching regex" in text and field.endswith("agent"):
        return f"The {field} cannot be `*`, which means any agent in list and search."
    return f"The {field} is empty." if "of length >= 1" in text and field else text


@contextmanager
def open_calls(workspace: Path | None) -> Iterator[CommandCalls]:
    """Store the lessons of a session that has just ended, then open a workspace without watching its files."""
    from sidecar.engine.ended_sessions import wait_until_learned
    from sidecar.store.location import data_home

    folder = find_workspace(workspace)
    loaded = load(folder, os.environ)
    wait_until_learned(data_home(loaded.settings.store.folder, make=False), folder.resolve())
    for problem in loaded.problems:
        warn(problem)
    reporter = _RepairReporter()
    logger = logging.getLogger("sidecar.store.opening")
    logger.addHandler(reporter)
    try:
        with peer_or_engine(loaded, folder) as answerer:
            yield CommandCalls(answerer, folder, loaded, reporter.reported)
    finally:
        logger.removeHandler(reporter)


def peer_or_engine(loaded: LoadedSettings, folder: Path) -> PeerOrEngine[Engine]:
    """Return what answers requests about a folder: a running server, or an engine opened when needed."""
    from sidecar.store.location import data_home

    home = data_home(loaded.settings.store.folder, make=False)
    return PeerOrEngine(home, folder.resolve(), loaded.settings, lambda: _own_engine(loaded, folder))


@contextmanager
def _own_engine(loaded: LoadedSettings, folder: Path) -> Iterator[Engine]:
    engine = open_engine(loaded)
    try:
        engine.lifecycle.add_workspace(folder)
        yield engine
    finally:
        engine.close()


class _RepairReporter(logging.Handler):
    """Prints the repairs that were made when a store was opened."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reported: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in self.reported:
            self.reported.add(text)
            warn(text)


def open_engine(loaded: LoadedSettings) -> Engine:
    """Return a short-lived engine in this process, which logs to the file."""
    from sidecar.engine.engine import Engine
    from sidecar.engine.options import EngineOptions
    from sidecar.runtime import log

    problem = log.configure(loaded.settings)
    if problem is not None:
        warn(problem)
    options = EngineOptions(source="user", short_lived=True, settings_problems=loaded.problems)
    return Engine(loaded.settings, options)
