"""Call an engine's methods from tests, with the types that the protocol gives their results."""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.calls import Calls
from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from tests.client.calls_by_name import CallsByName


class EngineCalls(Calls):
    """One typed method for each request: `EngineCalls(engine).memory_get(IdParams(id=id))`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def request(self, method: str, params: object) -> Any:
        assert isinstance(params, msgspec.Struct)
        return self._engine.call(method, params)


class MethodCaller(CallsByName):
    """Call methods by name, with some parameters the same in all."""

    def __init__(self, engine: Engine, **always: object) -> None:
        self.engine = engine
        self._always = always

    def answer(self, method: str, params: dict[str, object]) -> Any:
        return self.engine.call(method, msgspec.convert({**self._always, **params}, METHODS[method].params))
