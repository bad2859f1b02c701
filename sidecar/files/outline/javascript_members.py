"""Readers of JavaScript nodes, and rules for members of classes, interfaces, enums and object literals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import OutlineDraft, Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import MAX_DEPTH, NodeHandler, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function", "function_declaration"}
)
CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_HIDDEN: Final = ("private", "protected")
_DECLARED: Final = frozenset({"props", "emits", "components", "mixins"})


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
    """Return whether a value is `require(...)`, or a property or call of one."""
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


def _name(walker: Walker, node: Node) -> tuple[str, bool]:
    """Return a member's name and whether the member is public."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return "", False
    name = walker.source.text(name_node)
    modifier = child_of_type(node, "accessibility_modifier")
    hidden = modifier is not None and walker.source.text(modifier) in _HIDDEN
    return name.strip("\"'"), not hidden and not name.startswith("#")


def _method(walker: Walker, node: Node, scope: Scope) -> None:
    name, public = _name(walker, node)
    if scope.owner is None or not name:
        return
    accessor = child_of_type(node, "get", "set")
    existing = next((member for member in scope.into if member.name == name), None)
    if existing is not None and accessor is not None and accessor.type == "set":
        return
    if (
        existing is not None
        and existing.kind == "method"
        and not accessor
        and existing.start <= node.start_point.row + 1
    ):
        existing.end = node.end_point.row + 1  # an overload
        return
    decorators = [child for child in node.children if child.type == "decorator"]
    signature = walker.signature(node, node.child_by_field_name("body"), *decorators)
    walker.add(scope, "property" if accessor else "method", name, node, signature, public=public)


def _field(walker: Walker, node: Node, scope: Scope) -> None:
    name, public = _name(walker, node)
    if scope.owner is None or not name:
        return
    value = node.child_by_field_name("value")
    cuts = [child for child in node.children if child.type == "decorator"]
    if value is not None and value.type in FUNCTIONS:
        method = walker.signature(node, value.child_by_field_name("body"), *cuts)
        walker.add(scope, "method", name, node, method.removesuffix("=>").rstrip(), public=public)
        return
    signature = with_value(walker.signature(node, value, *cuts), walker.value(value))
    walker.add(scope, "field", name, node, signature, public=public)


def _case(walker: Walker, node: Node, scope: Scope) -> None:
    if scope.kind == "enum":
        name_node = node.child_by_field_name("name") or node
        walker.add(scope, "case", walker.source.text(name_node).strip("\"'"), node, walker.signature(node))


def object_members(walker: Walker, value: Node | None, draft: OutlineDraft, scope: Scope) -> None:
    """Add the functions of an object literal, which may be an argument of a call, as children of `draft`.

    Also add nested objects with functions (`methods: {...}`) and a component's `props`, `emits` and `setup`.
    """
    if value is not None and value.type == "call_expression":
        arguments = value.child_by_field_name("arguments")
        value = child_of_type(arguments, "object") if arguments else None
    if value is None or value.type != "object" or scope.depth + 1 >= MAX_DEPTH:
        return
    inner = Scope(draft.children, draft, scope.depth + 1)
    walker.lead = []
    for child in value.named_children[:400]:
        function: Node | None = None
        if child.type == "method_definition":
            _method(walker, child, inner)
            function = child
        elif child.type == "pair":
            function = child.child_by_field_name("value")
            key = child.child_by_field_name("key")
            if function is not None and key is not None:
                name = walker.source.text(key).strip("\"'")[:100]
                if function.type in FUNCTIONS:
                    walker.add(inner, "method", name, child, head(walker, child, function))
                elif name in _DECLARED:
                    walker.add(inner, "property", name, child, walker.signature(child))
                elif function.type == "object":
                    group = OutlineDraft("property", name, child.start_point.row + 1, child.end_point.row + 1, name)
                    object_members(walker, function, group, inner)
                    if group.children and name.strip():
                        inner.into.append(group)
        if function is not None and inner.into and inner.into[-1].name == "setup":
            walker.queue(function.child_by_field_name("body"), inner)
        walker.lead = [child] if child.type == "comment" else []


MEMBER_HANDLERS: Final[dict[str, NodeHandler]] = {
    "method_definition": _method,
    "method_signature": _method,
    "abstract_method_signature": _method,
    "public_field_definition": _field,
    "property_signature": _field,
    "enum_assignment": _case,
    "property_identifier": _case,
    "string": _case,
}
