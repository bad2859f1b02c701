"""Keys that look real, generated when the tests run so that none is written down in the repository."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bench.secret_planting import Planter


@pytest.fixture
def planter() -> Planter:
    return Planter(20250101)


@pytest.fixture
def planters() -> Callable[[int], Planter]:
    return Planter
