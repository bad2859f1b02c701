"""The thread that reads frames touches nothing but its own descriptors, however it is stopped."""

from __future__ import annotations

import os
import threading

from sidecar.wire.reader import Reader, Received
from tests.wire.test_framing import good


def test_a_reader_that_ends_late_reads_no_descriptor_that_was_opened_since() -> None:
    source, to_reader = os.pipe()
    busy, may_go_on = threading.Event(), threading.Event()
    delivered: list[Received] = []

    def deliver(events: object) -> None:
        assert isinstance(events, list)
        delivered.extend(events)
        busy.set()
        may_go_on.wait(100)

    reader = Reader(source, deliver, lambda: None, is_held=lambda: False)
    reader.start()
    os.write(to_reader, good(1))
    assert busy.wait(100)
    reader.stop(timeout=0.01)
    pipes = [os.pipe() for _ in range(3)]  # a number that `stop` gave back is used again
    for _, end in pipes:
        os.write(end, good(2))
    may_go_on.set()
    for thread in threading.enumerate():
        if thread.name == "sidecar-stdin":
            thread.join(1)
    assert len(delivered) == 1
    assert [os.read(end, 1000) for end, _ in pipes] == [good(2)] * 3
    for descriptor in (to_reader, *(end for pipe in pipes for end in pipe)):
        os.close(descriptor)
