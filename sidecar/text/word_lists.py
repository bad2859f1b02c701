"""Word lists in TOML files beside this module: tables of strings, with blanks between the words."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def word_lists(file: str) -> dict[str, dict[str, frozenset[str]]]:
    tables = tomllib.loads(Path(__file__).with_name(file).read_text("utf-8"))
    return {table: {key: frozenset(words.split()) for key, words in lists.items()} for table, lists in tables.items()}
