"""Word lists in files next to this module: TOML tables or, where a start must not wait, lines `key: words`."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def word_lists(file: str) -> dict[str, dict[str, frozenset[str]]]:
    import tomllib

    tables = tomllib.loads(_read(file))
    return {table: {key: frozenset(words.split()) for key, words in lists.items()} for table, lists in tables.items()}


@cache
def word_lines(file: str) -> dict[str, frozenset[str]]:
    parts = (line.partition(": ") for line in _read(file).splitlines())
    return {key: frozenset(words.split()) for key, _, words in parts}


def _read(file: str) -> str:
    return Path(__file__).with_name(file).read_text("utf-8")
