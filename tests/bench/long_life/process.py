"""`memory-sidecar` with a clock that others move: the machine's time plus the milliseconds that a file holds.

Started as `python -P tests/bench/long_life/process.py serve`, with the file in SOAK_CLOCK. Nothing else differs.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


def moved_clock(path: str) -> Callable[[], int]:
    """Epoch milliseconds, as far ahead of the machine's as the file says at that moment."""
    with open(path, "rb") as file:
        view = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    return lambda: time.time_ns() // 1_000_000 + int(struct.unpack("<q", view[:8])[0])


def main() -> None:
    """Be the command line, with that clock in every engine that it makes."""
    from sidecar.runtime import clock

    moved = moved_clock(os.environ["SOAK_CLOCK"])
    vars(clock)["epoch_ms"] = moved  # before anybody imports it
    from sidecar.cli.main import run
    from sidecar.engine.options import EngineOptions

    if EngineOptions().clock is not moved:
        raise RuntimeError("the engine takes no clock any more")
    sys.exit(run())


if __name__ == "__main__":
    main()
