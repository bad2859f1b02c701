"""A bar for a long request: on a terminal only, on stderr, so that a result can be piped."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from protocol.methods import METHODS
from sidecar.cli.session import Session
from sidecar.runtime.cancellation import Call


def call_with_bar(session: Session, method: str, params: Mapping[str, Any], title: str) -> Any:
    """The method's result struct. An interruption stops the work where it is safe, and is raised on."""
    given = {key: value for key, value in params.items() if value is not None}
    with showing(title) as call:
        return session.engine.call(method, msgspec.convert(given, METHODS[method].params), call)


@contextmanager
def showing(title: str) -> Iterator[Call]:
    """The context of a request whose progress is drawn."""
    if not sys.stderr.isatty():
        yield Call()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def step(done: int, total: int, message: str) -> None:
            bar.update(task, completed=done, total=total or None, description=message)

        yield Call(step)
