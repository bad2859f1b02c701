"""Rules for Java. A type is public unless private; a member when marked so or in an interface."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Handler, Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

# Annotations for the compiler, which tell a reader nothing about what a member is for.
_QUIET: Final = re.compile(
    r"@(?:Override|SuppressWarnings|SafeVarargs|Nullable|Nonnull|NonNull|NotNull|CanIgnoreReturnValue"
    r"|Generated)\b"
)
_WORDS: Final = re.compile(r"\b(?:public|private|protected)\b")


def _modifiers(walker: Walker, node: Node) -> tuple[str, list[Node]]:
    """Words such as "public static" without annotations, and the quiet annotations to leave out."""
    modifiers = child_of_type(node, "modifiers")
    if modifiers is None:
        return "", []
    annotations = [one for one in modifiers.children if "annotation" in one.type]
    words = [walker.source.text(one) for one in modifiers.children if "annotation" not in one.type]
    quiet = [
        one
        for one in annotations
        if _QUIET.match(walker.source.text(one)) or one.end_byte - one.start_byte > 60
    ]
    return " ".join(words), quiet


def _member_public(words: str, scope: Scope) -> bool:
    return "public" in words or (scope.public and "private" not in words)


def _type(kind: str) -> Handler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        words, quiet = _modifiers(walker, node)
        body = node.child_by_field_name("body")
        draft = walker.add(
            scope,
            kind,
            walker.source.text(name_node),
            node,
            walker.signature(node, body, *quiet),
            public="private" not in words,
        )
        walker.descend(body, draft, scope, public=kind == "interface")

    return handle


def _method(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    words, quiet = _modifiers(walker, node)
    name = walker.source.text(name_node)
    signature = walker.signature(node, node.child_by_field_name("body"), *quiet)
    walker.add(scope, "method", name, node, signature, public=_member_public(words, scope))
    if name == "main" and "static" in words:
        walker.out.entry_points["static void main"] = None


def _field(walker: Walker, node: Node, scope: Scope) -> None:
    words, quiet = _modifiers(walker, node)
    constant = node.type == "constant_declaration" or ("static" in words and "final" in words)
    declarators = node.children_by_field_name("declarator")
    if not declarators:
        return
    head = walker.signature(node, declarators[0], *quiet)
    for one in declarators:
        name_node = one.child_by_field_name("name")
        value = one.child_by_field_name("value")
        if name_node is None:
            continue
        name = walker.source.text(name_node)
        text = walker.value(value)
        walker.add(
            scope,
            "constant" if constant else "field",
            name,
            node,
            with_value(f"{head} {name}", text),
            public=_member_public(words, scope),
        )


def _case(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        signature = walker.signature(node, node.child_by_field_name("body"))
        walker.add(scope, "case", walker.source.text(name_node), node, signature)


def _import(walker: Walker, node: Node, scope: Scope) -> None:
    words = walker.source.text(node).rstrip("; \n").split()
    walker.out.add_import("".join(one for one in words if one not in ("import", "static")))


RULES: Final = Rules(
    handlers={
        "class_declaration": _type("class"),
        "interface_declaration": _type("interface"),
        "annotation_type_declaration": _type("interface"),
        "enum_declaration": _type("enum"),
        "record_declaration": _type("record"),
        "method_declaration": _method,
        "constructor_declaration": _method,
        "compact_constructor_declaration": _method,
        "annotation_type_element_declaration": _method,
        "field_declaration": _field,
        "constant_declaration": _field,
        "enum_constant": _case,
        "import_declaration": _import,
    },
    transparent=frozenset({"program", "enum_body_declarations"}),
    comments=frozenset({"line_comment", "block_comment"}),
    doc_carriers=frozenset({"package_declaration", "import_declaration"}),
)
