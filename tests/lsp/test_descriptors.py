"""The reader's and the writer's thread on real descriptors."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecar.wire.messages import Notification, notification
from sidecar.wire.reader import Reader
from sidecar.wire.writer import Writer

WAIT = 90.0


class Collected:
    def __init__(self) -> None:
        self.events: list[object] = []
        self.ended = threading.Event()

    def deliver(self, events: Sequence[object]) -> None:
        self.events.extend(events)


def test_reading_a_file_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    path.write_bytes(b"".join(notification(f"m{n}", {}) for n in range(1000)))
    got = Collected()
    reader = Reader(os.open(path, os.O_RDONLY), got.deliver, got.ended.set, is_held=lambda: False)
    reader.start()
    assert got.ended.wait(WAIT)
    reader.stop()
    assert [e.method for e in got.events if isinstance(e, Notification)] == [f"m{n}" for n in range(1000)]


def test_a_reader_that_waits_can_be_stopped() -> None:
    read, write = os.pipe()
    got = Collected()
    reader = Reader(read, got.deliver, got.ended.set, is_held=lambda: False)
    before = set(threading.enumerate())
    reader.start()
    reader.stop(WAIT)
    assert set(threading.enumerate()) == before
    assert not got.ended.is_set()
    os.close(write)


@pytest.mark.parametrize("blocking", [True, False])
def test_writing_everything_in_order_to_a_reader_that_is_late(blocking: bool) -> None:
    read, write = os.pipe()
    os.set_blocking(write, blocking)
    writer = Writer(write, lambda: None)
    writer.start()
    frames = [b"%06d" % n * 1000 for n in range(200)]
    for frame in frames:
        writer.write(frame)
    received = bytearray()

    def receive() -> None:
        time.sleep(0.1)
        while data := os.read(read, 65536):
            received.extend(data)

    thread = threading.Thread(target=receive)
    thread.start()
    assert writer.close(WAIT)
    thread.join(WAIT)
    assert bytes(received) == b"".join(frames)
    os.close(read)


def test_closing_does_not_wait_for_a_reader_that_never_reads() -> None:
    read, write = os.pipe()
    writer = Writer(write, lambda: None)
    writer.start()
    writer.write(b"x" * 10_000_000)
    assert not writer.close(0.05)
    os.close(read)


def test_a_broken_stream_is_told_once() -> None:
    read, write = os.pipe()
    broken: list[int] = []
    told = threading.Event()
    writer = Writer(write, lambda: (broken.append(1), told.set())[0])  # type: ignore[func-returns-value]
    writer.start()
    os.close(read)
    writer.write(b"x")
    assert told.wait(WAIT)
    writer.write(b"y")
    writer.close(WAIT)
    assert broken == [1]


def test_a_client_that_lets_much_wait_and_reads_nothing_is_given_up() -> None:
    read, write = os.pipe()
    broken: list[int] = []
    writer = Writer(write, lambda: broken.append(1), max_waiting=1_000_000, patience_seconds=0.0)
    writer.start()
    writer.write(b"x" * 200_000)  # more than a pipe holds: the thread blocks on it
    until = time.monotonic() + WAIT
    while select.select([], [write], [], 0)[1] and time.monotonic() < until:
        time.sleep(0.01)
    for _ in range(100):
        writer.write(b"x" * 20_000)
    assert broken == [1]
    assert not writer._queue
    assert not writer.close(0.05)
    os.close(read)


def test_a_client_that_lets_much_wait_is_given_time() -> None:
    read, write = os.pipe()
    broken: list[int] = []
    writer = Writer(write, lambda: broken.append(1), max_waiting=1_000, patience_seconds=3600.0)
    writer.start()
    for _ in range(100):
        writer.write(b"x" * 20_000)
    received = 0
    while received < 2_000_000:
        received += len(os.read(read, 65536))
    assert writer.close(WAIT)
    assert broken == []
    os.close(read)
