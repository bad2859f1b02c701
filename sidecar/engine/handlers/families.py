"""The families of handlers, each imported with its first request.

Most processes get few kinds of requests, and importing the other families would take half of a start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.engine.services import Services


def make_family(module: str, services: Services) -> object:
    """Return the family that handles the methods whose parameters a module of `protocol` defines."""
    name = module.removeprefix("protocol.")
    make = getattr(import_module(f"sidecar.engine.handlers.{name}"), f"{name.title()}Handler")
    return make(services)
