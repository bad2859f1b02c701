"""Every method that a client may send is answered by exactly one desk."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import pytest

import sidecar.engine.handlers
from protocol.methods import METHODS

DESKS = [
    value
    for module in pkgutil.iter_modules(sidecar.engine.handlers.__path__)
    for name, value in vars(import_module(f"sidecar.engine.handlers.{module.name}")).items()
    if inspect.isclass(value) and name.endswith("Requests") and value.__module__.endswith(f".{module.name}")
]


@pytest.mark.parametrize(
    "row", [row for row in METHODS.values() if row.sender == "client"], ids=lambda r: r.name
)
def test_one_desk_answers(row: object) -> None:
    handler = row.handler  # type: ignore[attr-defined]
    assert [desk.__name__ for desk in DESKS if hasattr(desk, handler)] != []
    assert len([desk for desk in DESKS if handler in vars(desk)]) == 1
