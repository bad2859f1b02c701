"""Read another program's SQLite database without changing it or making that program wait."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

WAIT_SECONDS = 2.0  # for a lock of the other program

AskDatabase = Callable[..., Iterator[tuple[Any, ...]]]


@contextlib.contextmanager
def reading(path: Path) -> Iterator[AskDatabase]:
    """Yield a function that runs a query. Raises `OSError` if the database cannot be read."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT_SECONDS)
        ) as database:
            yield lambda query, *values: database.execute(query, values)
    except sqlite3.Error as error:
        raise OSError(f"{path} cannot be read: {error}") from error
