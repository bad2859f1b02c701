"""A typed method for each request, for the Python client: made from the table of methods."""

from __future__ import annotations

from collections import defaultdict

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


def python_calls() -> str:
    """The whole file."""
    needed: dict[str, set[str]] = defaultdict(set)
    calls = []
    for method in METHODS.values():
        if method.sender != "client":
            continue
        for struct in filter(None, (method.params, method.result)):
            needed[struct.__module__].add(struct.__name__)
        head = f"    def {method.handler}(self, params: {method.params.__name__}) -> "
        if method.result is None:
            calls.append(f'{head}None:\n        """{method.summary}"""\n        self.notify("{method.name}", params)\n')
        else:
            name = method.result.__name__
            calls.append(
                f'{head}{name}:\n        """{method.summary}"""\n'
                f'        result: {name} = self.request("{method.name}", params)\n        return result\n'
            )
    return "\n".join([_HEAD.format(imports="\n".join(map(_imported, sorted(needed.items())))), *calls])


def _imported(named: tuple[str, set[str]]) -> str:
    module, names = named
    line = f"from {module} import {', '.join(sorted(names))}"
    return (
        line if len(line) <= 120 else f"from {module} import (\n" + "".join(f"    {n},\n" for n in sorted(names)) + ")"
    )
