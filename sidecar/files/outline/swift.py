"""Rules for Swift. Everything is public unless it is private or fileprivate: most projects are one module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS: Final = {
    "enum": "enum",
    "struct": "struct",
    "extension": "extension",
    "actor": "class",
    "class": "class",
}
_LONG_ATTRIBUTE: Final = 40


def _modifiers(walker: Walker, node: Node) -> tuple[list[str], list[Node]]:
    """Words such as "public" without attributes; and long attributes, which signatures leave out."""
    modifiers = child_of_type(node, "modifiers")
    if modifiers is None:
        return [], []
    words = [walker.source.text(one) for one in modifiers.children if one.type != "attribute"]
    attributes = [one for one in modifiers.children if one.type == "attribute"]
    quiet = [
        one
        for one in attributes
        if one.end_byte - one.start_byte > _LONG_ATTRIBUTE
        or walker.source.text(one).startswith(("@available", "@inlin", "@discard"))
    ]
    return words, quiet


def _public(words: list[str], scope: Scope) -> bool:
    return scope.public and "private" not in words and "fileprivate" not in words


def _type(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    kind_node = node.child_by_field_name("declaration_kind")
    word = walker.source.text(kind_node) if kind_node is not None else "class"
    kind = "protocol" if node.type == "protocol_declaration" else _KINDS.get(word, "class")
    words, quiet = _modifiers(walker, node)
    body = node.child_by_field_name("body")
    name = walker.source.text(name_node)
    signature = walker.signature(node, body, *quiet)
    draft = walker.add(scope, kind, name, node, signature, public=_public(words, scope))
    walker.descend(body, draft, scope, public=_public(words, scope) or kind != "extension")
    if scope.owner is None and "@main" in signature.split():
        walker.out.entry_points["@main"] = None


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    name = walker.source.text(name_node) if name_node is not None else ""
    if node.type == "subscript_declaration":
        name = "subscript"
    elif node.type == "init_declaration":
        name = "init"
    words, quiet = _modifiers(walker, node)
    body = node.child_by_field_name("body") or child_of_type(node, "computed_property")
    kind = "method" if scope.owner is not None else "function"
    if name:
        walker.add(
            scope, kind, name, node, walker.signature(node, body, *quiet), public=_public(words, scope)
        )


def _property(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    patterns = node.children_by_field_name("name")
    value = node.child_by_field_name("value")
    computed = node.child_by_field_name("computed_value") or child_of_type(
        node, "protocol_property_requirements", "willset_didset_block"
    )
    binding = child_of_type(node, "value_binding_pattern") or next(
        (one for pattern in patterns[:1] for one in pattern.children if one.type == "value_binding_pattern"),
        None,
    )
    word = walker.source.text(binding)[:3] if binding is not None else "var"
    for pattern in patterns:
        name_node = pattern.child_by_field_name("bound_identifier")
        if name_node is None:
            continue
        name = walker.source.text(name_node)
        if len(patterns) == 1:
            head = walker.signature(node, value or computed, *quiet)
        else:
            annotation = pattern.next_named_sibling
            typed = annotation is not None and annotation.type == "type_annotation"
            head = f"{word} {name}{walker.signature(annotation) if typed and annotation is not None else ''}"
        if node.type == "protocol_property_declaration" and computed is not None:
            head += " " + walker.signature(computed)
        text = None
        if value is not None and len(patterns) == 1:
            text = walker.source.line(value.start_byte, min(value.end_byte, value.start_byte + 300))
        kind = "property" if scope.owner is not None else "constant" if word == "let" else "variable"
        walker.add(scope, kind, name, node, with_value(head, text), public=_public(words, scope))


def _case(walker: Walker, node: Node, scope: Scope) -> None:
    """`case a, b = "x"`: each its own symbol."""
    names = node.children_by_field_name("name")
    for index, name in enumerate(names):
        end = names[index + 1].start_byte if index + 1 < len(names) else node.end_byte
        text = walker.source.line(name.start_byte, min(end, name.start_byte + 400)).rstrip(" ,;")
        walker.add(scope, "case", walker.source.text(name), node, f"case {text}", public=scope.public)


def _plain(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name") or child_of_type(node, "simple_identifier")
    words, quiet = _modifiers(walker, node)
    stop = node.child_by_field_name("definition")
    kind = "macro" if node.type == "macro_declaration" else "type"
    if name_node is not None:
        name = walker.source.text(name_node)
        walker.add(
            scope, kind, name, node, walker.signature(node, stop, *quiet), public=_public(words, scope)
        )


def _import(walker: Walker, node: Node, scope: Scope) -> None:
    name = child_of_type(node, "identifier")
    if name is not None:
        walker.out.add_import(walker.source.text(name).split(".")[0])


RULES: Final = Rules(
    handlers={
        "class_declaration": _type,
        "protocol_declaration": _type,
        "function_declaration": _function,
        "protocol_function_declaration": _function,
        "init_declaration": _function,
        "subscript_declaration": _function,
        "property_declaration": _property,
        "protocol_property_declaration": _property,
        "enum_entry": _case,
        "typealias_declaration": _plain,
        "associatedtype_declaration": _plain,
        "macro_declaration": _plain,
        "import_declaration": _import,
    },
    transparent=frozenset({"source_file", "class_body", "enum_class_body", "protocol_body"}),
    comments=frozenset({"comment", "multiline_comment"}),
    doc_carriers=frozenset({"import_declaration", "directive"}),
)
