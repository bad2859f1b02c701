"""The Bats tests of a shell script."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.files.outline.builder import OutlineBuilder
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.source import shorten_signature
from sidecar.text.lazy_patterns import patterns

_MAX_TESTS: Final = 2_000
_PATTERNS: Final = patterns(Path(__file__), "shell")


def add_shell(builder: OutlineBuilder) -> None:
    symbols = builder.out.symbols
    tests = _tests(builder.source.whole().split("\n"))
    inside = {row for test in tests for row in range(test.start, test.end + 1)}
    symbols[:] = [symbol for symbol in symbols if symbol.kind == "function" or symbol.start not in inside] + tests
    symbols.sort(key=lambda symbol: symbol.start)


def _tests(rows: list[str]) -> list[OutlineDraft]:
    found: list[OutlineDraft] = []
    unfinished = False
    for number, row in enumerate(rows, 1):
        match = _PATTERNS["test"].match(row) if row.startswith("@test") else None
        if match is not None and len(found) < _MAX_TESTS:
            title = " ".join(match["title"].split())
            found.append(OutlineDraft("test", title, number, number, shorten_signature(f'@test "{title}"')))
            unfinished = not match["inside"].rstrip().endswith("}")
        elif unfinished and row.startswith("}"):
            found[-1].end, unfinished = number, False
    return found
