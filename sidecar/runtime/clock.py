"""The clock of the machine, where none is passed in."""

from __future__ import annotations

import time


def epoch_ms() -> int:
    return time.time_ns() // 1_000_000
