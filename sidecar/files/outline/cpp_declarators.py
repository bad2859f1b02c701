"""A reader of C declarators, in which the name is in the middle: `int (*names[3])(void)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.outline.walker import Walker

_NAMES: Final = frozenset(
    {"identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "qualified_identifier"}
    | {"template_function", "template_method", "primitive_type", "literal_operator_name"}
)
_STEPS: Final = 200


def _inner(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator")
    if inner is not None:
        return inner
    for child in node.named_children:
        if child.type.endswith("_declarator") or child.type in _NAMES or child.type == "operator_cast":
            return child
    return None


def declared_name(walker: Walker, node: Node | None) -> str:
    """Return the declared name with its scopes (`A::b`) and without template arguments; "" if there is none."""
    for _ in range(_STEPS):
        if node is None:
            return ""
        if node.type == "qualified_identifier":
            return _qualified(walker, node)
        if node.type in _NAMES or node.type == "operator_cast":
            return _leaf(walker, node)
        node = _inner(node)
    return ""


def _qualified(walker: Walker, node: Node) -> str:
    parts: list[str] = []
    current: Node | None = node
    for _ in range(_STEPS):
        if current is None:
            break
        if current.type != "qualified_identifier":
            parts.append(_leaf(walker, current))
            break
        scope = current.child_by_field_name("scope")
        if scope is not None:
            parts.append(walker.source.text(scope).split("<")[0])
        current = current.child_by_field_name("name")
    return "::".join(part for part in parts if part)


def _leaf(walker: Walker, node: Node) -> str:
    if node.type == "operator_cast":
        type_node = node.child_by_field_name("type")
        return f"operator {walker.signature(type_node)}" if type_node is not None else ""
    name_node = node.child_by_field_name("name") if node.type.startswith("template_") else None
    return " ".join(walker.source.text(name_node or node).split())


def declares_function(node: Node | None) -> bool:
    """Return whether a declarator declares a function: `*f(int)`, but not the pointer `(*f)(int)`."""
    for _ in range(_STEPS):
        if node is None:
            return False
        if node.type == "operator_cast":
            return True
        if node.type == "function_declarator":
            inner = node.child_by_field_name("declarator")
            return inner is None or inner.type != "parenthesized_declarator" or not _pointer(inner)
        if node.type in _NAMES and node.type != "qualified_identifier":
            return False
        node = node.child_by_field_name("name") if node.type == "qualified_identifier" else _inner(node)
    return False


def _pointer(node: Node) -> bool:
    return any(child.type in ("pointer_declarator", "reference_declarator") for child in node.named_children)
