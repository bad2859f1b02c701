"""Signals that ask a process to end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVarTuple

if TYPE_CHECKING:
    import asyncio

Arguments = TypeVarTuple("Arguments")

if sys.platform == "win32":
    HANGUP = signal.SIGBREAK  # also of a console that is closed

    def call_on_signal(
        loop: asyncio.AbstractEventLoop, number: int, call: Callable[[*Arguments], object], *arguments: *Arguments
    ) -> None:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(call, *arguments))

else:
    HANGUP = signal.SIGHUP
    """The terminal is gone."""

    def call_on_signal(
        loop: asyncio.AbstractEventLoop, number: int, call: Callable[[*Arguments], object], *arguments: *Arguments
    ) -> None:
        """Let a signal call `call(*arguments)` on the loop."""
        loop.add_signal_handler(number, call, *arguments)


ENDING = (signal.SIGTERM, signal.SIGINT, HANGUP)
