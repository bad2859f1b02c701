"""Rules for PHP. Members are public unless they are marked private or protected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.query import captures
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Handler, Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_INCLUDED: Final = re.compile(rb"\b(?:require|include)(?:_once)?\b")
_INCLUDES: Final = (
    "[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @i"
)
_DIRECTORY: Final = re.compile(r"^(?:__DIR__|dirname\(\s*__FILE__\s*\))\s*\.\s*")
_LITERAL: Final = re.compile(r"^(['\"])([^'\"]*)\1$")


def _public(walker: Walker, node: Node) -> bool:
    modifier = child_of_type(node, "visibility_modifier")
    return modifier is None or walker.source.text(modifier) not in ("private", "protected")


def _name(walker: Walker, node: Node) -> str:
    name_node = node.child_by_field_name("name")
    return walker.source.text(name_node) if name_node is not None else ""


def _attributes(node: Node) -> list[Node]:
    return [one for one in node.children if one.type == "attribute_list"]


def _type(kind: str) -> Handler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        body = node.child_by_field_name("body")
        signature = walker.signature(node, body, *_attributes(node))
        draft = walker.add(scope, kind, _name(walker, node), node, signature)
        walker.descend(body, draft, scope)

    return handle


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    kind = "method" if scope.owner is not None and scope.kind != "module" else "function"
    signature = walker.signature(node, node.child_by_field_name("body"), *_attributes(node))
    walker.add(scope, kind, _name(walker, node), node, signature, public=_public(walker, node))


def _constants(walker: Walker, node: Node, scope: Scope) -> None:
    elements = [one for one in node.children if one.type == "const_element"]
    for one in elements:
        name_node = one.named_children[0] if one.named_child_count else None
        if name_node is None:
            continue
        value = one.named_children[-1] if one.named_child_count > 1 else None
        text = walker.value(value)
        name = walker.source.text(name_node)
        head = f"{walker.signature(node, elements[0], *_attributes(node))} {name}"
        walker.add(scope, "constant", name, node, with_value(head, text), public=_public(walker, node))


def _properties(walker: Walker, node: Node, scope: Scope) -> None:
    elements = [one for one in node.children if one.type == "property_element"]
    for one in elements:
        name = _name(walker, one).lstrip("$")
        value = one.child_by_field_name("default_value")
        text = walker.value(value)
        head = f"{walker.signature(node, elements[0], *_attributes(node))} ${name}"
        walker.add(scope, "property", name, node, with_value(head, text), public=_public(walker, node))


def _case(walker: Walker, node: Node, scope: Scope) -> None:
    walker.add(scope, "case", _name(walker, node), node, walker.signature(node, None, *_attributes(node)))


def _namespace(walker: Walker, node: Node, scope: Scope) -> None:
    body = node.child_by_field_name("body")
    if body is None:
        return
    name = _name(walker, node)
    if not name:
        walker.inline(body)
        return
    draft = walker.add(scope, "module", name, node, walker.signature(node, body))
    walker.descend(body, draft, scope)


def _use(walker: Walker, node: Node, scope: Scope) -> None:
    group = node.child_by_field_name("body")
    prefix = ""
    if group is not None:
        name = child_of_type(node, "namespace_name")
        prefix = walker.source.text(name).strip("\\") + "\\" if name is not None else ""
    for clause in (group or node).named_children:
        if clause.type in ("namespace_use_clause", "namespace_use_group_clause"):
            target = child_of_type(clause, "qualified_name", "name", "namespace_name")
            if target is not None:
                walker.out.add_import(prefix + walker.source.text(target).strip("\\"))


def _expression(walker: Walker, node: Node, scope: Scope) -> None:
    """`define("NAME", value)` at the top."""
    call = node.named_children[0] if node.named_child_count else None
    if call is None or call.type != "function_call_expression":
        return
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if (
        function is None
        or arguments is None
        or walker.source.text(function) != "define"
        or arguments.named_child_count < 2
    ):
        return
    match = _LITERAL.match(walker.source.text(arguments.named_children[0]))
    if match:
        value = walker.signature(arguments.named_children[1])
        shown = value if len(value) <= 60 else "…"
        walker.add(scope, "constant", match.group(2), node, f"define('{match.group(2)}', {shown})")


def _if(walker: Walker, node: Node, scope: Scope) -> None:
    """Declarations inside `if (!function_exists(...))`."""
    if scope.kind in ("", "module"):
        walker.inline(node)


def _finish(walker: Walker) -> None:
    if not _INCLUDED.search(walker.source.data):
        return
    for node in captures(walker.language, _INCLUDES, walker.root):
        if not node.named_child_count:
            continue
        text = walker.source.text(node.named_children[0]).strip("()").strip()
        rest = _DIRECTORY.sub("", text)
        match = _LITERAL.match(rest)
        if match:
            path = match.group(2)
            walker.out.add_import(f".{path}" if rest != text and path.startswith("/") else path)


RULES: Final = Rules(
    handlers={
        "class_declaration": _type("class"),
        "interface_declaration": _type("interface"),
        "trait_declaration": _type("trait"),
        "enum_declaration": _type("enum"),
        "function_definition": _function,
        "method_declaration": _function,
        "const_declaration": _constants,
        "property_declaration": _properties,
        "enum_case": _case,
        "namespace_definition": _namespace,
        "namespace_use_declaration": _use,
        "expression_statement": _expression,
        "if_statement": _if,
    },
    transparent=frozenset({"program", "compound_statement", "else_clause", "colon_block"}),
    doc_carriers=frozenset({"namespace_definition", "namespace_use_declaration", "declare_statement"}),
    finish=_finish,
)
