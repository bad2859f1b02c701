"""Run a hook as a process: read the event from stdin or the command line, print the answer, always exit with 0."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading

from sidecar.system.processes import ENDING_SIGNALS
from sidecar.system.readiness import readable

_LAST_SECONDS = 0.2


def run(agent: str, event: str | None, workspace: str | None = None) -> int:
    """Answer one event and return the exit code; exit at once if the answer takes too long.

    `workspace` replaces the working folder of the event.
    """
    leave = threading.Event()
    for number in ENDING_SIGNALS:  # the agent sends them when it no longer waits
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: leave.set())
    gc.disable()  # collecting garbage would take a tenth of the time of a process that ends soon
    try:
        _answer(agent, event, workspace, leave)
    except Exception:
        logging.getLogger(__name__).exception("The hook of %s failed.", agent)
        # Otherwise the interpreter would write unfinished output again at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _answer(agent: str, event: str | None, workspace: str | None, leave: threading.Event) -> None:
    from sidecar.engine.ended_sessions import LEARN_EVENT
    from sidecar.hooks.event import PROJECT_VARIABLE
    from sidecar.hooks.front import respond_in_time
    from sidecar.runtime import log
    from sidecar.settings import load

    settings = load(None, os.environ).settings
    log.configure(settings, later=True)
    inline_event = event if event is not None and event.startswith("{") else None
    data = _read_event(leave) if inline_event is None else inline_event.encode("utf-8", "surrogateescape")
    environ = os.environ if workspace is None else {**os.environ, PROJECT_VARIABLE: os.path.abspath(workspace)}
    unhurried = inline_event is not None and f'"{LEARN_EVENT}"' in inline_event
    seconds = threading.TIMEOUT_MAX if unhurried else settings.hooks.answer_seconds
    answer, ended = respond_in_time(data, environ, seconds, agent, leave)
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    if not ended:
        logging.shutdown()
        os._exit(0)


def _read_event(leave: threading.Event) -> bytes:
    """Return the event on stdin. On `leave`, return what has arrived."""
    parts = []
    while readable([0], _LAST_SECONDS) or not leave.is_set():
        if readable([0], 0):
            part = os.read(0, 1 << 16)
            if not part:
                break
            parts.append(part)
    return b"".join(parts)
