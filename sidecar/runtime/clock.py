"""The machine's clock, for code that is given none."""

from __future__ import annotations

import time


def epoch_ms() -> int:
    return time.time_ns() // 1_000_000
