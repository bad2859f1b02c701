"""Rules for C#. A type is public unless private; a member when public or internal, or in an interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.conditions import without_conditions
from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Handler, Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node


def _words(walker: Walker, node: Node) -> list[str]:
    return [walker.source.text(one) for one in node.children if one.type == "modifier"]


def _attributes(node: Node) -> list[Node]:
    return [one for one in node.children if one.type == "attribute_list"]


def _public(words: list[str], scope: Scope) -> bool:
    if scope.owner is None or scope.kind == "module":
        return "private" not in words and "file" not in words
    if "public" in words or "internal" in words:
        return True
    return scope.public and "private" not in words and "protected" not in words


def _name(walker: Walker, node: Node) -> str:
    name_node = node.child_by_field_name("name")
    return walker.source.text(name_node) if name_node is not None else ""


def _namespace(walker: Walker, node: Node, scope: Scope) -> None:
    body = node.child_by_field_name("body")
    if body is None:  # file-scoped: what follows stands beside it, or inside it in older grammars
        walker.inline(node)
        return
    draft = walker.add(scope, "module", _name(walker, node), node, walker.signature(node, body))
    walker.descend(body, draft, scope)


def _type(kind: str) -> Handler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        body = node.child_by_field_name("body")
        public = _public(_words(walker, node), scope)
        signature = walker.signature(node, body, *_attributes(node))
        draft = walker.add(scope, kind, _name(walker, node), node, signature, public=public)
        walker.descend(body, draft, scope, public=kind in ("interface", "enum"))

    return handle


def _method(walker: Walker, node: Node, scope: Scope) -> None:
    name = _name(walker, node)
    if node.type == "indexer_declaration":
        name = "this[]"
    elif node.type == "operator_declaration":
        operator = node.child_by_field_name("operator")
        name = f"operator {walker.source.text(operator)}" if operator is not None else "operator"
    elif node.type == "conversion_operator_declaration":
        target = node.child_by_field_name("type")
        name = f"operator {walker.source.text(target)}" if target is not None else "operator"
    elif node.type == "destructor_declaration":
        name = f"~{name}"
    words = _words(walker, node)
    body = child_of_type(node, "constructor_initializer", "block", "arrow_expression_clause", "accessor_list")
    signature = walker.signature(node, body, *_attributes(node)).rstrip(": ")
    kind = "property" if node.type == "indexer_declaration" else "method"
    walker.add(scope, kind, name, node, signature, public=_public(words, scope))
    if name == "Main" and "static" in words:
        walker.out.entry_points["static Main"] = None


def _property(walker: Walker, node: Node, scope: Scope) -> None:
    """`public string Name { get; set; }`: the accessors stay when they have no bodies."""
    accessors = node.child_by_field_name("accessors")
    value = node.child_by_field_name("value")
    head = walker.signature(node, accessors or value, *_attributes(node)).removesuffix("=>").rstrip(" =")
    if accessors is not None:
        parts = []
        for one in accessors.named_children:
            name = one.child_by_field_name("name")
            if one.type == "accessor_declaration" and name is not None:
                parts.append(
                    walker.source.line(one.start_byte, name.end_byte, [_range(a) for a in _attributes(one)])
                )
        head += " { " + " ".join(f"{part};" for part in parts) + " }" if parts else ""
    public = _public(_words(walker, node), scope)
    kind = "event" if node.type == "event_declaration" else "property"
    walker.add(scope, kind, _name(walker, node), node, head, public=public)


def _range(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _field(walker: Walker, node: Node, scope: Scope) -> None:
    declaration = child_of_type(node, "variable_declaration")
    if declaration is None:
        return
    declarators = [one for one in declaration.children if one.type == "variable_declarator"]
    words = _words(walker, node)
    kind = "event" if node.type == "event_field_declaration" else "constant" if "const" in words else "field"
    for one in declarators:
        name = _name(walker, one)
        head = walker.signature(node, declarators[0], *_attributes(node))
        value = one.named_children[-1] if one.named_child_count > 1 else None
        text = walker.value(value)
        walker.add(scope, kind, name, node, with_value(f"{head} {name}", text), public=_public(words, scope))


def _plain(kind: str) -> Handler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        public = _public(_words(walker, node), scope)
        walker.add(
            scope,
            kind,
            _name(walker, node),
            node,
            walker.signature(node, None, *_attributes(node)),
            public=public,
        )

    return handle


def _using(walker: Walker, node: Node, scope: Scope) -> None:
    target = node.named_children[-1] if node.named_child_count else None
    if target is not None:
        walker.out.add_import("".join(walker.source.text(target).split()))


def _statement(walker: Walker, node: Node, scope: Scope) -> None:
    """A program of top-level statements."""
    walker.out.entry_points["top-level statements"] = None
    function = child_of_type(node, "local_function_statement")
    if function is not None:
        body = function.child_by_field_name("body")
        walker.add(scope, "function", _name(walker, function), function, walker.signature(function, body))


RULES: Final = Rules(
    handlers={
        "namespace_declaration": _namespace,
        "file_scoped_namespace_declaration": _namespace,
        "class_declaration": _type("class"),
        "struct_declaration": _type("struct"),
        "interface_declaration": _type("interface"),
        "enum_declaration": _type("enum"),
        "record_declaration": _type("record"),
        "record_struct_declaration": _type("record"),
        "method_declaration": _method,
        "constructor_declaration": _method,
        "destructor_declaration": _method,
        "operator_declaration": _method,
        "conversion_operator_declaration": _method,
        "indexer_declaration": _method,
        "property_declaration": _property,
        "event_declaration": _property,
        "field_declaration": _field,
        "event_field_declaration": _field,
        "enum_member_declaration": _plain("case"),
        "delegate_declaration": _plain("type"),
        "using_directive": _using,
        "global_statement": _statement,
    },
    transparent=frozenset({"compilation_unit", "declaration_list"}),
    doc_carriers=frozenset(
        {
            "using_directive",
            "namespace_declaration",
            "file_scoped_namespace_declaration",
            "extern_alias_directive",
        }
    ),
    mask=without_conditions,
)
