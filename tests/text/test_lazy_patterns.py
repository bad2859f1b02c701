"""Lazily compiled patterns: each is valid, and behaves as a pattern."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest

from sidecar.text.lazy_patterns import Lazy, lazy

ROOT = Path(__file__).resolve().parents[2]
USERS = [
    path
    for path in sorted(ROOT.glob("sidecar/**/*.py"))
    if "text.lazy_patterns import" in path.read_text(encoding="utf-8")
]


def test_lazy_pattern_behaves_as_a_pattern() -> None:
    late = lazy(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert late.findall("One, two") == ["One", "two"]
    assert late.sub("x", "One, two") == "x, x"
    assert late.groupindex["word"] == 1
    assert late.flags == re.compile("", re.IGNORECASE).flags
    assert lazy(rb"[0-9]+").fullmatch(b"12") is not None


def test_lazy_pattern_is_compiled_once_and_not_before() -> None:
    late = lazy("(")
    with pytest.raises(re.error):
        late.match("")
    good = lazy("a+")
    assert good.match is good.match


@pytest.mark.parametrize("path", USERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_pattern_compiles(path: Path) -> None:
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tables = [table.values() for table in vars(module).values() if isinstance(table, dict)]
    patterns = [value for value in (*vars(module).values(), *chain(*tables)) if isinstance(value, Lazy)]
    assert patterns
    for pattern in patterns:
        re.compile(*pattern.expression)
