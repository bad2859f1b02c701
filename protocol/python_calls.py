"""Typed methods for each request: the Python client's, and those that tests call by name."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from protocol.methods import METHODS, Method

_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

{imports}
from protocol.method import answer_of


class Calls(ABC):
    """One method for each request and notification that a client sends."""

    @abstractmethod
    def request(self, method: str, params: object) -> Any: ...

    def notify(self, method: str, params: object) -> None:
        self.request(method, params)
'''

_BY_NAME_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

{imports}


class CallsByName(ABC):
    """Each request by its name, with parameters spelt as on the wire: `call("memory/get", id=id)`."""

    @abstractmethod
    def answer(self, method: str, params: dict[str, object]) -> Any: ...

'''
_BY_NAME_END = """\
    @overload
    def __call__(self, method: str, **params: object) -> object: ...
    def __call__(self, method: str, **params: object) -> object:
        return self.answer(method, params)
"""

_ASKABLE = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from importlib import import_module

import msgspec

ASKABLE = {{
{results}}}
"""The type of each method's result, by its name."""


def result_type(method: str) -> type[msgspec.Struct]:
    """Return the type of the method's result, and import nothing else of the table: hooks pay for each import."""
    module, _, name = ASKABLE[method].rpartition(".")
    struct: type[msgspec.Struct] = getattr(import_module(module), name)
    return struct
'''


def python_calls() -> str:
    """Return the whole of `calls.py`."""
    methods = [method for method in METHODS.values() if method.sender == "client"]
    structs = [struct for method in methods for struct in (method.params, method.result) if struct is not None]
    return "\n".join([_HEAD.format(imports=_imports(structs)), *map(_call, methods)])


def _call(method: Method) -> str:
    result = "None" if method.result is None else _named(method.result)
    head = f"    def {_function_name(method.name)}(self, params: {_named(method.params)}) -> {result}:"
    if method.result is None:
        body = f'self.notify("{method.name}", params)'
    else:
        body = f'return answer_of({result}, self.request, "{method.name}", params)'
    return f'{head}\n        """{method.summary}"""\n        {body}\n'


def _function_name(method: str) -> str:
    """Return `memory_did_change` for `memory/didChange`."""
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", method.replace("/", "_"))


def python_calls_by_name() -> str:
    """Return the whole of `tests/client/calls_by_name.py`."""
    results = {
        method.name: method.result
        for method in METHODS.values()
        if method.sender == "client" and method.result is not None
    }
    overloads = (
        f'    @overload\n    def __call__(self, method: Literal["{name}"], **params: object) -> {_named(result)}: ...\n'
        for name, result in results.items()
    )
    return "".join([_BY_NAME_HEAD.format(imports=_imports(results.values())), *overloads, _BY_NAME_END])


def python_askable() -> str:
    """Return the whole of `askable.py`."""
    results = {
        method.name: method.result for method in METHODS.values() if method.askable and method.result is not None
    }
    lines = (f'    "{name}": "{kind.__module__}.{kind.__name__}",\n' for name, kind in results.items())
    return _ASKABLE.format(results="".join(lines))


def _module(struct: type[msgspec.Struct]) -> str:
    return struct.__module__.removeprefix("protocol.")


def _named(struct: type[msgspec.Struct]) -> str:
    return f"{_module(struct)}.{struct.__name__}"


def _imports(structs: Iterable[type[msgspec.Struct]]) -> str:
    modules = sorted(set(map(_module, structs)))
    return "\n".join(["from protocol import (", *(f"    {module}," for module in modules), ")"])
