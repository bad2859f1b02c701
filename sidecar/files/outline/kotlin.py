"""Rules for Kotlin. Everything is public unless it is marked private or protected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

# The grammar does not know `fun interface`.
_FUN_INTERFACE: Final = re.compile(rb"\bfun(?=[ \t]+interface\b)")
_QUIET: Final = re.compile(r"@(?:Suppress|JvmStatic|JvmField|JvmOverloads|JvmName|Throws|Deprecated)\b")
_HIDDEN: Final = re.compile(r"\b(?:private|protected)\b")
_BODIES: Final = ("class_body", "enum_class_body")


def _mask(data: bytes) -> bytes:
    return _FUN_INTERFACE.sub(b"   ", data) if b"interface" in data else data


def _modifiers(walker: Walker, node: Node) -> tuple[str, list[Node]]:
    """The modifiers without annotations, and the annotations to leave out of signatures."""
    modifiers = child_of_type(node, "modifiers")
    if modifiers is None:
        return "", []
    annotations = [one for one in modifiers.children if one.type == "annotation"]
    words = " ".join(walker.source.text(one) for one in modifiers.children if one.type != "annotation")
    quiet = [
        one
        for one in annotations
        if one.end_byte - one.start_byte > 60 or _QUIET.match(walker.source.text(one))
    ]
    return words, quiet


def _name(walker: Walker, node: Node) -> str:
    name_node = node.child_by_field_name("name") or child_of_type(node, "identifier")
    return walker.source.text(name_node).strip("`") if name_node is not None else ""


def _class(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    kind = "class"
    if any(one.type == "interface" for one in node.children):
        kind = "interface"
    elif "enum" in words.split():
        kind = "enum"
    elif node.type == "object_declaration":
        kind = "object"
    body = child_of_type(node, *_BODIES)
    name = _name(walker, node)
    draft = walker.add(
        scope, kind, name, node, walker.signature(node, body, *quiet), public=not _HIDDEN.search(words)
    )
    constructor = child_of_type(node, "primary_constructor")
    parameters = child_of_type(constructor, "class_parameters") if constructor is not None else None
    for one in parameters.named_children if parameters is not None else []:
        keyword = next((child for child in one.children if child.type in ("val", "var")), None)
        if one.type == "class_parameter" and keyword is not None:
            hidden = _HIDDEN.search(_modifiers(walker, one)[0]) is not None
            walker.lead = []
            inner = Scope(draft.children, draft, scope.depth + 1)
            walker.add(inner, "property", _name(walker, one), one, walker.signature(one), public=not hidden)
    walker.descend(body, draft, scope)


def _companion(walker: Walker, node: Node, scope: Scope) -> None:
    body = child_of_type(node, *_BODIES)
    words, quiet = _modifiers(walker, node)
    name = _name(walker, node) or "Companion"
    draft = walker.add(
        scope, "object", name, node, walker.signature(node, body, *quiet), public=not _HIDDEN.search(words)
    )
    walker.descend(body, draft, scope)


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    body = child_of_type(node, "function_body", "block")
    name = _name(walker, node) if node.type == "function_declaration" else "constructor"
    kind = "method" if scope.owner is not None else "function"
    stop = (
        body
        if node.type == "function_declaration"
        else child_of_type(node, "constructor_delegation_call", "block")
    )
    signature = walker.signature(node, stop, *quiet).rstrip(" :")
    walker.add(scope, kind, name, node, signature, public=not _HIDDEN.search(words))
    if name == "main" and scope.owner is None:
        walker.out.entry_points["fun main"] = None


def _property(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    declaration = child_of_type(node, "variable_declaration", "multi_variable_declaration")
    if declaration is None:
        return
    stop = child_of_type(node, "getter", "setter", "property_delegate")
    value = _value(node)
    head = walker.signature(node, value or stop, *quiet)
    text = walker.value(value)
    if child_of_type(node, "property_delegate") is not None and value is None:
        head = head.removesuffix(" by")
    names = (
        [one for one in declaration.named_children if one.type == "variable_declaration"]
        if declaration.type == "multi_variable_declaration"
        else [declaration]
    )
    kind = "constant" if "const" in words.split() else "property"
    for one in names:
        walker.add(
            scope, kind, _name(walker, one), node, with_value(head, text), public=not _HIDDEN.search(words)
        )


def _value(node: Node) -> Node | None:
    """The expression behind `=`, if any."""
    after = False
    for child in node.children:
        if after and child.is_named:
            return child
        after = after or child.type == "="
    return None


def _case(walker: Walker, node: Node, scope: Scope) -> None:
    body = child_of_type(node, *_BODIES)
    walker.add(scope, "case", _name(walker, node), node, walker.signature(node, body))


def _alias(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    name_node = node.child_by_field_name("type") or child_of_type(node, "identifier")
    if name_node is not None:
        name = walker.source.text(name_node)
        walker.add(
            scope, "type", name, node, walker.signature(node, None, *quiet), public=not _HIDDEN.search(words)
        )


def _import(walker: Walker, node: Node, scope: Scope) -> None:
    name = child_of_type(node, "qualified_identifier", "identifier")
    if name is not None:
        star = ".*" if any(child.type == "*" for child in node.children) else ""
        walker.out.add_import("".join(walker.source.text(name).split()) + star)


RULES: Final = Rules(
    handlers={
        "class_declaration": _class,
        "object_declaration": _class,
        "companion_object": _companion,
        "function_declaration": _function,
        "secondary_constructor": _function,
        "property_declaration": _property,
        "enum_entry": _case,
        "type_alias": _alias,
        "import": _import,
    },
    transparent=frozenset({"source_file", "class_body", "import_list"}),
    comments=frozenset({"line_comment", "block_comment"}),
    doc_carriers=frozenset({"package_header", "import", "import_list", "file_annotation"}),
    mask=_mask,
)
