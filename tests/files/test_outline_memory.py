"""Parsing files for months must not grow the process."""

from __future__ import annotations

import tracemalloc

import pytest

from sidecar.files.outline import grammars

pytestmark = pytest.mark.slow

PARSED, SIZE = 60, 18_000


def test_parsed_texts_are_not_kept() -> None:
    def parse(number: int) -> None:
        tree, complete = grammars.parse("python", b"x = 1\n" * (SIZE // 6) + b"# %d" % number)
        assert complete
        assert tree.root_node.end_byte > SIZE

    for number in range(10):
        parse(number)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(PARSED):
            parse(number)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < PARSED * SIZE / 5
