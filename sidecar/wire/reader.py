"""The thread that reads frames from a descriptor.

It reads the raw descriptor. `connect_read_pipe` refuses files, and the interpreter aborts if it exits while a thread
holds the lock of `sys.stdin.buffer`. The thread also waits for the end of a second pipe, which `stop` closes, so that
it can always be stopped and joined.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from sidecar.system.readiness import readable
from sidecar.wire.framing import BadFrame, FrameDecoder
from sidecar.wire.messages import Message, parse

log = logging.getLogger(__name__)

READ_BYTES = 256 * 1024
_HELD_SECONDS = 0.02
Received = Message | BadFrame


class Decoder(Protocol):
    """Turns bytes into messages and faults, regardless of how the bytes are cut into chunks."""

    def feed(self, data: bytes) -> Sequence[Received]:
        """Return every message and fault that `data` completes. Never raises."""


class Reader:
    """Reads until the end of the stream or `stop`, and calls its callbacks on its own thread.

    `decoder` chooses the framing, by default `Content-Length`. While `is_held` returns True, nothing is read.
    """

    def __init__(
        self,
        descriptor: int,
        deliver: Callable[[Sequence[Received]], None],
        ended: Callable[[], None],
        decoder: Decoder | None = None,
        *,
        is_held: Callable[[], bool],
    ) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._ended = ended
        self._is_held = is_held
        self._busy = self._finishing = False
        self._decoder: Decoder = decoder or FrameDecoder(parse)
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="sidecar-stdin", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Wait up to `seconds` until everything sent so far is delivered, even while `is_held` holds reading back."""
        self._finishing = True
        until = time.monotonic() + seconds
        while self._thread.is_alive() and time.monotonic() < until:
            if not self._busy and not readable([self._descriptor], 0):
                return
            time.sleep(0.001)

    def stop(self, timeout: float = 0.5) -> None:
        """End the thread and close the descriptors; those of a thread that is still busy after `timeout` stay open."""
        os.close(self._wake_write)
        if self._thread.is_alive():
            self._thread.join(timeout)
        if not self._thread.is_alive():  # else it would read whatever is opened under these numbers next
            os.close(self._wake_read)
            os.close(self._descriptor)

    def _run(self) -> None:
        while True:
            while self._is_held() and not self._finishing:
                if readable([self._wake_read], _HELD_SECONDS):
                    return
            if self._wake_read in readable([self._descriptor, self._wake_read]):
                return
            self._busy = True
            try:
                data = os.read(self._descriptor, READ_BYTES)
            except BlockingIOError:
                self._busy = False
                continue
            except OSError as error:
                log.info("Reading stdin failed: %s.", error.strerror)
                data = b""
            if not data:
                self._ended()
                return
            received = self._decoder.feed(data)
            if received:
                self._deliver(received)
            self._busy = False
