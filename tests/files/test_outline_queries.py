"""Compiled queries are shared by all threads and never deleted."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sidecar.files.outline.grammars import query


@pytest.fixture(autouse=True)
def _hasty_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_that_compile_at_once_get_one_query() -> None:
    """Deleting the second one corrupts memory in tree-sitter 0.26.1."""
    together = threading.Barrier(4)

    def compiled(number: int) -> int:
        together.wait()
        return id(query("bash", f"(command) @once{number}"))

    with ThreadPoolExecutor(4) as threads:
        for number in range(20):
            assert len(set(threads.map(compiled, [number] * 4))) == 1
