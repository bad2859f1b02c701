"""An event that any number of listeners can subscribe to."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, ParamSpec

from sidecar.runtime.errors import SidecarError

log = logging.getLogger(__name__)

P = ParamSpec("P")


class Event(Generic[P]):
    """Calls its listeners on the caller's thread, in the order of subscription. A listener's error is only logged.

    Thread-safe. A listener stays for as long as the event exists, and hears of what is announced after `subscribe`.
    Some owners announce while they hold a lock, and say so: a listener of theirs must not wait for a thread that needs
    the lock, nor cause the same event to be announced again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Callable[P, object], ...] = ()  # replaced, since another thread may be calling them

    def subscribe(self, *listeners: Callable[P, object]) -> None:
        with self._lock:
            self._listeners += listeners

    def announce(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self._listeners:
            try:
                listener(*args, **kwargs)
            except SidecarError as error:
                log.warning("The listener %s failed: %s", _name(listener), error.message)
            except Exception:
                log.exception("The listener %s failed.", _name(listener))


def _name(listener: Callable[P, object]) -> str:
    return getattr(listener, "__qualname__", repr(listener))
