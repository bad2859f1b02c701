"""A request waits only so long for what is being made: then it is answered with what is there."""

from __future__ import annotations

import time
from collections.abc import Callable


class Late(Exception):
    """The time that a request has for this is over."""


def late_after(seconds: float) -> Callable[[], None]:
    """A check that raises `Late` once so many seconds have passed."""
    until = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > until:
            raise Late

    return check
