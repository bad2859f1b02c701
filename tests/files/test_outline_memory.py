"""Parsing files for months must not grow the process."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from sidecar.files.outline import grammars, outline

pytestmark = pytest.mark.slow

PARSED, SIZE = 60, 18_000


def test_parsed_texts_are_not_kept() -> None:
    def parse(number: int) -> None:
        tree, complete = grammars.parse("python", b"x = 1\n" * (SIZE // 6) + b"# %d" % number)
        assert complete
        assert tree.root_node.end_byte > SIZE

    assert _grown(parse) < PARSED * SIZE / 5


def test_nodes_that_a_query_tested_are_not_kept() -> None:
    methods = "".join(f"    @Deprecated public void run{at}() {{}}\n" for at in range(100))

    def read(number: int) -> None:
        record = outline("A.java", f"class A{number} {{\n{methods}}}\n".encode(), "")
        assert len(record.symbols[0].children) == 100

    assert _grown(read) < PARSED * 60_000


def _grown(work: Callable[[int], None]) -> int:
    for number in range(10):
        work(number)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(PARSED):
            work(number)
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
