"""The static table, and the cosine of two texts."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import math
from array import array
from collections.abc import Callable
from operator import mul
from pathlib import Path

import pytest

from sidecar.models.static_table import StaticTable


@pytest.fixture(scope="session")
def table() -> StaticTable:
    return StaticTable.load()


@pytest.fixture(scope="session")
def cosine() -> Callable[[bytes, bytes], float]:
    def of(one: bytes, other: bytes) -> float:
        a, b = array("b", one), array("b", other)
        dot = sum(map(mul, a, b))
        lengths = math.hypot(*a) * math.hypot(*b)
        return dot / lengths if lengths else 0.0

    return of


@pytest.fixture
def place_package(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Let every package be found in a folder from now on, or none if it is None."""

    def place(folder: Path | None) -> None:
        spec = None if folder is None else importlib.machinery.ModuleSpec("weights", None, origin=str(folder / "x.py"))
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)

    return place
