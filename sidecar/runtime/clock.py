"""The machine's clock, for code that is given none."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Returns the present time (epoch ms)."""


def epoch_ms() -> int:
    return time.time_ns() // 1_000_000
