"""Typed methods for each request: of the Python client, of tests by its name, and of the engine's handlers."""

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

_FAMILIES_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

{imports}

Opened = TypeVar("Opened")
"""An open workspace."""

Enabled = TypeVar("Enabled")
"""An open workspace whose memory is on."""

Call = TypeVar("Call")
"""The context of one request."""
'''

_TOGETHER = """
    @abstractmethod
    def {name}(
        self, requests: Sequence[tuple[{params}, Call]], opened_for: Callable[[{params}], Enabled]
    ) -> Sequence[{result} | BaseException]: ...
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


def python_families() -> str:
    """The whole of `families.py`."""
    rows = [row for row in METHODS.values() if row.sender == "client"]
    families: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        opened = "" if row.workspace == "none" else "opened: Enabled, " if row.memory_on else "opened: Opened, "
        takes = f"self, params: {row.params.__name__}, {opened}call: Call"
        result = row.result.__name__ if row.result is not None else "None"
        line = f"    def {row.handler}({takes}) -> {result}: ...\n"
        if len(line) > 121:
            line = f"    def {row.handler}(\n        {takes}\n    ) -> {result}: ...\n"
        if row.shares_commit:
            line += _TOGETHER.format(name=row.together, params=row.params.__name__, result=result)
        families[row.params.__module__.removeprefix("protocol.")].append(f"    @abstractmethod\n{line}")
    needed = [struct for row in rows for struct in (row.params, row.result) if struct is not None]
    classes = (
        f"class {name.title()}Family(ABC, Generic[Opened, Enabled, Call]):\n" + "\n".join(methods)
        for name, methods in sorted(families.items())
    )
    return "\n\n".join([_FAMILIES_HEAD.format(imports=_imports(needed)), *classes])


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
