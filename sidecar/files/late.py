"""A request waits only so long for work in progress, then is answered with what is there."""

from __future__ import annotations

import time
from collections.abc import Callable


class Late(Exception):
    """A request has used up its time for this."""


def late_after(seconds: float) -> Callable[[], None]:
    """Return a check that raises `Late` once this time has passed."""
    until = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > until:
            raise Late

    return check
