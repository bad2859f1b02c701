"""Check other processes, and limit this one."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Literal

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def is_alive(process_id: int) -> bool:
    """Return whether a process with this id exists, regardless of its owner."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def limit(what: Literal["AS", "CPU"], maximum: int) -> None:
    """Limit our address space (bytes) or processor time (seconds), if the system allows that."""
    import resource

    with suppress(OSError, ValueError):
        kind = resource.RLIMIT_AS if what == "AS" else resource.RLIMIT_CPU
        resource.setrlimit(kind, (maximum, resource.getrlimit(kind)[1]))
