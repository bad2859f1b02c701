"""JavaScript test files: suites and tests are calls with a title, `describe("...", () => { it("...") })`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.javascript_names import FUNCTIONS, string_text
from sidecar.files.outline.walker import MAX_DEPTH, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

SUITES: Final = frozenset({"describe", "context", "suite"})
TESTS: Final = frozenset({"it", "test", "specify", "bench"})


def spec(walker: Walker, node: Node, call: Node, scope: Scope) -> bool:
    """Add the suite with its tests, or the single test, that statement `node` calls; return False for other calls."""
    todo = [(node, call, scope)]
    found = False
    while todo:
        statement, call, into = todo.pop()
        word = _word(walker, call)
        title, body = _title(walker, call), _body(call)
        if word not in SUITES | TESTS or not title or body is None:
            continue
        if found:
            walker.lead = []
        found = True
        suite = word in SUITES
        draft = walker.add(into, "suite" if suite else "test", title, statement, f'{word} "{title}"')
        if suite and into.depth + 1 < MAX_DEPTH:
            inner = Scope(draft.children, draft, into.depth + 1)
            calls = [(one, one.named_children[0]) for one in body.named_children if _is_call(one)]
            todo += [(one, inner_call, inner) for one, inner_call in reversed(calls)]
    return found


def _is_call(node: Node) -> bool:
    return (
        node.type == "expression_statement"
        and node.named_child_count > 0
        and node.named_children[0].type == "call_expression"
    )


def _word(walker: Walker, call: Node) -> str:
    """Return `it` for `it(...)`, `it.only(...)` and `it.each([...])(...)`."""
    node: Node | None = call
    for _ in range(5):
        if node is None or node.type == "identifier":
            break
        node = node.child_by_field_name("object" if node.type == "member_expression" else "function")
    return walker.source.text(node) if node is not None and node.type == "identifier" else ""


def _values(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else []


def _title(walker: Walker, call: Node) -> str:
    values = _values(call)
    if not values or values[0].type not in ("string", "template_string"):
        return ""
    return " ".join(string_text(walker, values[0])[:120].split())


def _body(call: Node) -> Node | None:
    for value in _values(call)[1:3]:
        if value.type in FUNCTIONS:
            return value.child_by_field_name("body")
    return None
