"""Waiting for what comes about by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(fact: Callable[[], T | None], seconds: float = 120.0) -> T:
    """Return what `fact` gives once that is true; fail if it never is."""
    until = time.monotonic() + seconds
    while not (found := fact()):
        assert time.monotonic() < until, f"not in {seconds:.0f} seconds; last: {found!r}"
        time.sleep(0.02)
    return found
