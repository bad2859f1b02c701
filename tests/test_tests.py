"""What every test keeps to, read from the source."""

from __future__ import annotations

import ast
import gc
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {"time.monotonic", "time.perf_counter", "time.time", "time.process_time"}
FAILING = {"raises", "fail", "warns", "result"}
"""Calls that fail a test; the last is a future's."""

NO_SUBJECT = re.compile(
    r"test_(?:it|they|that|those|what|who|one|so|nor|none_of_them|again|(?:each|both|neither|another)_(?:is|takes|does|edit|s))(?:_|$)"
    r"|test_\w+_does_not_do_it\w*"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef

PUBLIC_UNDERSCORE_NAMES = {"_replace", "_fields", "_asdict", "_exit"}
"""Public names of named tuples and of `os` that begin with an underscore."""

MOST_PRIVATE_NAMES = 43
"""Maximum uses of other modules' private names in all tests together. Lower it when there are fewer."""


@pytest.fixture(scope="module")
def sources() -> dict[Path, list[ast.AST]]:
    """Every node of each file of the tests."""
    paths = (path for path in TESTS.rglob("*.py") if "samples" not in path.parts and "bench" not in path.parts)
    gc.disable()  # half a million nodes stay, and looking through them for garbage takes most of the time
    try:
        return {path: list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in sorted(paths)}
    finally:
        gc.enable()


def doings(nodes: list[ast.AST]) -> tuple[list[int], list[str]]:
    """Return the lines on which something is called, asserted or raised, in order, and the last name of what it is."""
    found: list[tuple[int, str]] = []
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                found.append((node.lineno, name))
            case ast.Assert() | ast.Raise():
                found.append((node.lineno, type(node).__name__))
    found.sort()
    return [line for line, _ in found], [name for _, name in found]


def test_every_test_can_fail(sources: dict[Path, list[ast.AST]]) -> None:
    """It asserts something, or calls a function of the tests that does."""
    calls: dict[str, set[str]] = defaultdict(set)
    asserting = {*FAILING, "Assert"}
    tests: list[tuple[str, set[str]]] = []
    for path, nodes in sources.items():
        lines, done = doings(nodes)
        for node in nodes:
            if isinstance(node, Function):
                begins = min(part.lineno for part in (node, *node.decorator_list))
                names = set(done[bisect_left(lines, begins) : bisect_right(lines, node.end_lineno or node.lineno)])
                calls[node.name] |= names
                if "Raise" in names:
                    asserting.add(node.name)
                if node.name.startswith("test_") and path.name.startswith("test_"):
                    tests.append((f"{path}:{node.lineno} {node.name}", names))
    while more := {name for name, names in calls.items() if name not in asserting and names & asserting}:
        asserting |= more
    wrong = [test for test, names in tests if not names & asserting]
    assert not wrong, "\n".join(wrong)


def test_no_test_fails_because_the_machine_is_busy(sources: dict[Path, list[ast.AST]]) -> None:
    """No time that has passed is held to a bound; `pytest.mark.timeout` ends what would never end."""

    def is_span(node: ast.expr) -> bool:
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Sub)
            and any(isinstance(part, ast.Call) and ast.unparse(part.func) in CLOCKS for part in ast.walk(node))
        )

    wrong = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, nodes in sources.items()
        for node in nodes
        if isinstance(node, ast.Assert)
        for part in ast.walk(node.test)
        if isinstance(part, ast.Compare) and is_span(part.left) and isinstance(part.ops[0], ast.Lt | ast.LtE)
    ]
    assert not wrong, "\n".join(wrong)


def test_names_of_tests_say_what_they_are_about(sources: dict[Path, list[ast.AST]]) -> None:
    """A failing line of CI names the test alone."""
    wrong = [
        f"{path}:{node.lineno} {node.name}"
        for path, nodes in sources.items()
        for node in nodes
        if isinstance(node, Function) and NO_SUBJECT.match(node.name)
    ]
    assert not wrong, "\n".join(wrong)


def test_names_of_tests_make_a_claim(sources: dict[Path, list[ast.AST]]) -> None:
    """A name has three words at least, because a subject alone makes no claim."""
    wrong = [
        f"{path}:{node.lineno} {node.name}"
        for path, nodes in sources.items()
        for node in nodes
        if isinstance(node, Function) and node.name.startswith("test_") and node.name.count("_") < 3
    ]
    assert not wrong, "\n".join(wrong)


def private_names(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield each use of a name that belongs to something else and begins with an underscore, also as text to patch."""
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            names = [node.attr] if ast.unparse(node.value) not in ("self", "cls") else []
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr"):
            names = [str(part.value).rpartition(".")[2] for part in node.args[:2] if isinstance(part, ast.Constant)]
        if any(
            name.startswith("_") and not name.startswith("__") and name not in PUBLIC_UNDERSCORE_NAMES for name in names
        ):
            yield node


def test_private_names_in_tests_become_fewer(sources: dict[Path, list[ast.AST]]) -> None:
    """A test that looks inside breaks with each change inside; it asks by public names, and observes what holds."""
    uses = [f"{path}:{node.lineno}" for path, nodes in sources.items() for node in private_names(nodes)]  # type: ignore[attr-defined]
    assert len(uses) <= MOST_PRIVATE_NAMES, "\n".join(uses)
