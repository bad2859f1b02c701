"""Helpers that read JavaScript nodes, shared by several rule modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.outline.walker import Walker

FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function", "function_declaration"}
)
CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration", "class"})


def string_text(walker: Walker, node: Node) -> str:
    return walker.source.text(node).strip("\"'`")


def export(walker: Walker, node: Node | None) -> None:
    if node is not None:
        walker.export(walker.source.text(node))


def target(value: Node | None) -> Node | None:
    """Return the expression inside parentheses, `as`, `satisfies` and `!`, and behind `&&`."""
    for _ in range(6):
        if value is None:
            return None
        if value.type in ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"):
            value = value.named_children[0] if value.named_child_count else None
        elif value.type == "binary_expression" and any(child.type == "&&" for child in value.children):
            value = value.child_by_field_name("right")
        else:
            return value
    return value


def is_require(walker: Walker, value: Node) -> bool:
    """Return whether the value is `require(...)`, a property of it, or a call of it."""
    for _ in range(4):
        if value.type == "call_expression":
            function = value.child_by_field_name("function")
            if function is None:
                return False
            if function.type == "identifier":
                return walker.source.text(function) == "require"
            value = function
        elif value.type == "member_expression":
            inner = value.child_by_field_name("object")
            if inner is None:
                return False
            value = inner
        else:
            return False
    return False


def head(walker: Walker, node: Node, function: Node) -> str:
    """Return the text from the start of `node` to the body of the `function` inside it."""
    text = walker.signature(node, function.child_by_field_name("body"))
    return text.removesuffix("=>").rstrip(" {")
