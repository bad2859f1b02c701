"""What a `const`, `let` or `var` statement declares: functions, classes, values, destructured names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.javascript_exports import commonjs
from sidecar.files.outline.javascript_members import object_members
from sidecar.files.outline.javascript_names import CLASSES, FUNCTIONS, head, is_require, target
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_NAMES: Final = 60


def variable(walker: Walker, node: Node, one: Node, keyword: str, scope: Scope) -> None:
    """One declarator of `node`, a `const`, `let` or `var` statement."""
    name_node = one.child_by_field_name("name")
    value = one.child_by_field_name("value")
    if name_node is None or (value is not None and is_require(walker, value)):
        return
    kind = "constant" if keyword == "const" else "variable"
    if name_node.type != "identifier":
        for leaf in _pattern_names(name_node):
            walker.add(
                scope, kind, walker.source.text(leaf), node, f"{keyword} {walker.signature(name_node)} = …"
            )
        return
    name = walker.source.text(name_node)
    while value is not None and value.type == "assignment_expression":
        commonjs(walker, value, scope)  # var app = module.exports = {}
        if walker.exported is not None:
            walker.exported.add(name)
        value = value.child_by_field_name("right")
    inner = target(value)
    if inner is not None and inner.type in FUNCTIONS:
        walker.add(scope, "function", name, node, f"{keyword} {head(walker, one, inner)}")
    elif inner is not None and inner.type in CLASSES:
        body = inner.child_by_field_name("body")
        draft = walker.add(scope, "class", name, node, f"{keyword} {walker.signature(one, body)}")
        walker.descend(body, draft, scope)
    else:
        annotation = one.child_by_field_name("type")
        start = f"{keyword} {name}{walker.signature(annotation) if annotation is not None else ''}"
        draft = walker.add(scope, kind, name, node, with_value(start, walker.value(value)))
        object_members(walker, inner, draft, scope)


def _pattern_names(pattern: Node) -> list[Node]:
    """The names that a destructuring pattern binds, in order."""
    found: list[Node] = []
    stack = [pattern]
    while stack and len(found) < _MOST_NAMES:
        node = stack.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(node)
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            stack.extend(reversed(node.named_children))
        elif node.type in ("pair_pattern", "object_assignment_pattern", "assignment_pattern"):
            stack.append(node.named_children[-1 if node.type == "pair_pattern" else 0])
    return found
