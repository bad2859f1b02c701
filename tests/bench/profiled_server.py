"""A server under a profiler, for `run.py`: python -P tests/bench/profiled_server.py FILE [serve --stdio].

Counts processor time in every thread. SIGUSR2 forgets what was counted so far; SIGUSR1 writes to FILE where it went, by
function, and ends the process.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import runpy
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

MOST = 14
WAITING = ("method 'poll'", "method 'acquire'", "method '_accept'", "method 'watch'", "function flock")
PROFILES: list[cProfile.Profile] = []
_run = threading.Thread.run


def watched() -> cProfile.Profile:
    """A profile of the calling thread, from now on."""
    profile = cProfile.Profile(time.thread_time)
    PROFILES.append(profile)
    profile.enable()
    return profile


def run(self: threading.Thread) -> None:
    """Do what `Thread.run` does, watched."""
    profile = watched()
    try:
        _run(self)
    finally:
        profile.disable()


def forget(*_: object) -> None:
    """Forget what was counted."""
    for profile in PROFILES:
        profile.clear()


def tell(*_: object) -> None:
    """Write the functions that took most themselves, and end."""
    found: pstats.Stats | None = None
    with PLACE.open("w") as file:
        for profile in PROFILES:
            profile.create_stats()
            if profile.stats:
                if found is None:
                    found = pstats.Stats(profile, stream=file)
                else:
                    found.add(profile)
        if found is not None:
            timed: dict[tuple[str, int, str], object] = found.stats  # type: ignore[attr-defined]
            for function in [each for each in timed if any(word in each[2] for word in WAITING)]:
                del timed[function]
            found.strip_dirs().sort_stats("tottime").print_stats(MOST)
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, tell)
    signal.signal(signal.SIGUSR2, forget)
    threading.Thread.run = run  # type: ignore[method-assign]
    watched()
    PLACE, sys.argv = Path(sys.argv[1]), ["sidecar", "serve", "--stdio"]
    runpy.run_module("sidecar", run_name="__main__")
