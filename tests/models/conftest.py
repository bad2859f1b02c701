from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from operator import mul

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
