"""Typed calls of each request: by a method of its own for the Python client, by its name for tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from protocol.methods import METHODS

_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

{imports}


class Calls(ABC):
    """One method for each request and notification that a client sends."""

    @abstractmethod
    def request(self, method: str, params: object) -> Any: ...

    @abstractmethod
    def notify(self, method: str, params: object) -> None: ...
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


def python_calls() -> str:
    """The whole of `calls.py`."""
    needed: list[type[msgspec.Struct]] = []
    calls = []
    for method in METHODS.values():
        if method.sender != "client":
            continue
        needed += filter(None, (method.params, method.result))
        head = f"    def {method.handler}(self, params: {method.params.__name__}) -> "
        if method.result is None:
            calls.append(f'{head}None:\n        """{method.summary}"""\n        self.notify("{method.name}", params)\n')
        else:
            name = method.result.__name__
            calls.append(
                f'{head}{name}:\n        """{method.summary}"""\n'
                f'        result: {name} = self.request("{method.name}", params)\n        return result\n'
            )
    return "\n".join([_HEAD.format(imports=_imports(needed)), *calls])


def python_calls_by_name() -> str:
    """The whole of `tests/client/calls_by_name.py`."""
    results = {row.name: row.result for row in METHODS.values() if row.sender == "client" and row.result is not None}
    overloads = (
        "    @overload\n"
        f'    def __call__(self, method: Literal["{name}"], **params: object) -> {result.__name__}: ...\n'
        for name, result in results.items()
    )
    return "".join([_BY_NAME_HEAD.format(imports=_imports(results.values())), *overloads, _BY_NAME_END])


def _imports(structs: Iterable[type[msgspec.Struct]]) -> str:
    needed: dict[str, set[str]] = defaultdict(set)
    for struct in structs:
        needed[struct.__module__].add(struct.__name__)
    return "\n".join(map(_imported, sorted(needed.items())))


def _imported(named: tuple[str, set[str]]) -> str:
    module, names = named
    line = f"from {module} import {', '.join(sorted(names))}"
    return (
        line if len(line) <= 120 else f"from {module} import (\n" + "".join(f"    {n},\n" for n in sorted(names)) + ")"
    )
