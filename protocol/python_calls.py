"""Typed methods for each request: of the Python client, of tests by its name, and of the engine's handlers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from protocol.methods import METHODS, Method

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

Workspace = TypeVar("Workspace")
"""An open workspace."""

Enabled = TypeVar("Enabled")
"""An open workspace whose memory is on."""

Call = TypeVar("Call")
"""The context of one request."""
'''

_HANDLERS_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sidecar.runtime.made_once import made_once

if TYPE_CHECKING:
    from sidecar.engine.engine_parts import EngineParts
{imports}


class Handlers:
    """The handlers of an engine, each imported and made with its first request. Thread-safe."""

    def __init__(self, engine: EngineParts) -> None:
        self._engine = engine

'''

_TABLE = """

ANSWERS: dict[str, Callable[[Handlers], Callable[..., Any]]] = {
"""

_ASKABLE_HEAD = '''"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

import msgspec

ASKABLE = frozenset(
    {{
{names}    }}
)


def result_type(method: str) -> type[msgspec.Struct]:
    """Return the type of the method's result, and import nothing else of the table: hooks pay for each import."""
    match method:
'''

_ASKABLE_END = """\
        case _:
            raise KeyError(method)
"""

_TOGETHER = """\
    def {name}(
        self, requests: Sequence[tuple[{params}, Call]], workspace_for: Callable[[{params}], Enabled]
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
        kind = "Enabled" if row.memory_on else "Workspace"
        workspace = "" if row.workspace == "none" else f"workspace: {kind}, "
        takes = f"self, params: {row.params.__name__}, {workspace}call: Call"
        result = row.result.__name__ if row.result is not None else "None"
        line = f"    def {row.handler}({takes}) -> {result}: ...\n"
        if len(line) > 121:
            line = f"    def {row.handler}(\n        {takes}\n    ) -> {result}: ...\n"
        if row.shares_commit:
            line = _TOGETHER.format(name=row.handler, params=row.params.__name__, result=result)
        families[_family(row)].append(f"    @abstractmethod\n{line}")
    needed = [struct for row in rows for struct in (row.params, row.result) if struct is not None]
    classes = (
        f"class {name.title()}Family(ABC, Generic[Workspace, Enabled, Call]):\n" + "\n".join(methods)
        for name, methods in sorted(families.items())
    )
    return "\n\n".join([_FAMILIES_HEAD.format(imports=_imports(needed)), *classes])


def python_handlers() -> str:
    """The whole of `sidecar/engine/handlers/table.py`."""
    rows = [row for row in METHODS.values() if row.sender == "client"]
    families = sorted({_family(row) for row in rows})
    properties = (
        f"    @made_once\n    def {name}(self) -> {name.title()}Handler:\n"
        f"        from sidecar.engine.handlers.{name} import {name.title()}Handler\n\n"
        f"        return {name.title()}Handler(self._engine)\n"
        for name in families
    )
    imports = (f"    from sidecar.engine.handlers.{name} import {name.title()}Handler" for name in families)
    methods = (f'    "{row.name}": lambda handlers: handlers.{_family(row)}.{row.handler},\n' for row in rows)
    head = _HANDLERS_HEAD.format(imports="\n".join(imports))
    return "".join([head, "\n".join(properties), _TABLE, *methods, "}\n"])


def python_askable() -> str:
    """The whole of `askable.py`."""
    results = {row.name: row.result for row in METHODS.values() if row.askable and row.result is not None}
    cases = (
        f'        case "{name}":\n            from {result.__module__} import {result.__name__}\n\n'
        f"            return {result.__name__}\n"
        for name, result in results.items()
    )
    head = _ASKABLE_HEAD.format(names="".join(f'        "{name}",\n' for name in results))
    return "".join([head, *cases, _ASKABLE_END])


def _family(row: Method) -> str:
    return row.params.__module__.removeprefix("protocol.")


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
