"""The first reason to end a server decides, whichever thread gives it."""

from __future__ import annotations

import logging
import sys
import threading
from types import FrameType
from typing import Any

import pytest

from sidecar.runtime.ending import Ending


@pytest.mark.parametrize("line", range(3))
def test_a_server_ends_for_a_single_reason_wherever_another_interrupts(
    line: int, caplog: pytest.LogCaptureFixture
) -> None:
    ending, lines = Ending(), list[int]()
    other = threading.Thread(target=ending.reach, args=(2, "other"))

    def interrupt(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code is Ending.reach.__code__:
            if event == "line":
                lines.append(frame.f_lineno)
                if len(lines) == line + 1:
                    other.start()
                    other.join()
            return interrupt
        return None

    before = sys.gettrace()
    with caplog.at_level(logging.INFO):
        sys.settrace(interrupt)
        try:
            ending.reach(1, "first")
        finally:
            sys.settrace(before)
    assert [record.args for record in caplog.records] == [(1, "first") if ending.code == 1 else (2, "other")]
