"""What all families of handlers have in common."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from sidecar.engine.services import Services

Outcome: TypeAlias = msgspec.Struct | BaseException


class Family:
    """Handles the methods whose parameters one module of `protocol` defines. Thread-safe."""

    def __init__(self, services: Services) -> None:
        self._services = services
