"""An import inside a function delays something: what it imports is not loaded with its module already."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for folder in ("sidecar", "protocol") for path in (ROOT / folder).rglob("*.py")}


def imports_in(node: ast.AST, late: bool = False) -> Iterator[tuple[bool, int, list[str]]]:
    """Yield each import that runs: whether it is in a function, its line, and the modules that it loads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield late, child.lineno, [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom) and child.module:
            names = [f"{child.module}.{alias.name}" for alias in child.names]
            yield late, child.lineno, [name for name in names if name in MODULES] or [child.module]
        else:
            yield from imports_in(child, late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def imports_of(module: str) -> list[tuple[bool, int, list[str]]]:
    return list(imports_in(ast.parse(MODULES[module].read_text(encoding="utf-8"))))


@cache
def loaded_with(module: str) -> set[str]:
    """Return all modules that are loaded once `module` is, as far as its imports and those of its imports say."""
    loaded, waiting = set[str](), [module]
    while waiting:
        parts = waiting.pop().split(".")
        for name in (".".join(parts[:length]) for length in range(1, len(parts) + 1)):
            if name not in loaded:
                loaded.add(name)
                if name in MODULES:
                    waiting += [each for late, _, names in imports_of(name) if not late for each in names]
    return loaded


def test_an_import_in_a_function_loads_something_that_its_module_did_not() -> None:
    useless = [
        f"{MODULES[module].relative_to(ROOT)}:{line} imports {', '.join(names)}, which is loaded already"
        for module in sorted(MODULES)
        for late, line, names in imports_of(module)
        if late and loaded_with(module).issuperset(names)
    ]
    assert not useless, "\n".join(useless)
