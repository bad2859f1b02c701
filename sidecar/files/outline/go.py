"""Rules for Go. A method goes under its receiver's type; when that is in another file, it is `T.Method`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Draft, Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Rules, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_RECEIVER: Final = re.compile(r"\*?\s*([\w.]+)\s*(?:\[[^\]]*\])?\s*,?\s*\)\s*$")
_PACKAGE_MAIN: Final = re.compile(rb"^package[ \t]+main\b", re.MULTILINE)
_BODIES: Final = {"struct_type": "struct", "interface_type": "interface"}


def _public(name: str) -> bool:
    return name[:1].isupper()


def _type(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    type_node = node.child_by_field_name("type")
    if name_node is None:
        return
    name = walker.source.text(name_node)
    kind = _BODIES.get(type_node.type, "type") if type_node is not None else "type"
    body = _body(type_node)
    if body is not None:
        word = "struct" if kind == "struct" else "interface"
        signature = f"type {walker.signature(node, type_node)} {word}"
    else:
        signature = f"type {walker.signature(node)}"
    draft = walker.add(scope, kind, name, node, signature, public=_public(name))
    if kind in ("struct", "interface"):
        walker.descend(body, draft, scope)


def _body(type_node: Node | None) -> Node | None:
    """Where the members stand: the field list of a struct, or the interface type itself."""
    if type_node is None:
        return None
    if type_node.type == "struct_type":
        return next((one for one in type_node.children if one.type == "field_declaration_list"), None)
    return type_node if type_node.type == "interface_type" else None


def _field(walker: Walker, node: Node, scope: Scope) -> None:
    type_node = node.child_by_field_name("type")
    text = walker.signature(type_node) if type_node is not None else ""
    names = [walker.source.text(one) for one in node.children_by_field_name("name")]
    if names:
        for name in names:
            walker.add(scope, "field", name, node, f"{name} {text}", public=_public(name))
        return
    embedded = text.lstrip("*").split("[")[0].rsplit(".", 1)[-1]
    pointer = "*" if node.child_count and node.children[0].type == "*" else ""
    walker.add(scope, "field", embedded, node, pointer + text, public=_public(embedded))


def _interface_method(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        name = walker.source.text(name_node)
        walker.add(scope, "method", name, node, walker.signature(node), public=_public(name))


def _embedded_interface(walker: Walker, node: Node, scope: Scope) -> None:
    text = walker.signature(node)
    name = text.split("[")[0].rsplit(".", 1)[-1]
    if name.isidentifier():
        walker.add(scope, "field", name, node, text, public=_public(name))


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    name = walker.source.text(name_node)
    signature = walker.signature(node, node.child_by_field_name("body"))
    walker.add(scope, "function", name, node, signature, public=_public(name))
    if name == "main" and _PACKAGE_MAIN.search(walker.source.data):
        walker.out.entry_points["func main"] = None


def _method(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    receiver = node.child_by_field_name("receiver")
    if name_node is None or receiver is None:
        return
    name = walker.source.text(name_node)
    match = _RECEIVER.search(walker.source.text(receiver))
    owner = match.group(1) if match else "?"
    signature = walker.signature(node, node.child_by_field_name("body"))
    draft = walker.add(
        scope, "method", f"{owner}.{name}", node, signature, public=_public(name) and _public(owner)
    )
    walker.owned.append((owner, name, draft))


def _value(walker: Walker, node: Node, scope: Scope) -> None:
    constant = node.type == "const_spec"
    names = [
        walker.source.text(one) for one in node.children_by_field_name("name") if one.type == "identifier"
    ]
    type_node = node.child_by_field_name("type")
    value_node = node.child_by_field_name("value")
    value = walker.signature(value_node) if value_node is not None else None
    for name in names:
        if name == "_":
            continue
        head = f"{'const' if constant else 'var'} {name}"
        if type_node is not None:
            head += " " + walker.signature(type_node)
        kind = "constant" if constant else "variable"
        shown = value if len(names) == 1 else None
        walker.add(scope, kind, name, node, with_value(head, shown), public=_public(name))


def _import(walker: Walker, node: Node, scope: Scope) -> None:
    path = node.child_by_field_name("path")
    if path is not None:
        walker.out.add_import(walker.source.text(path).strip('"`'))


def _finish(walker: Walker) -> None:
    """Methods go under the types of this file."""
    types: dict[str, Draft] = {
        one.name: one for one in walker.out.symbols if one.kind in ("struct", "interface", "type")
    }
    moved: set[int] = set()
    for owner, name, draft in walker.owned:
        holder = types.get(owner)
        if holder is not None:
            draft.name = name
            draft.public = _public(name)
            holder.children.append(draft)
            moved.add(id(draft))
    walker.out.symbols[:] = [one for one in walker.out.symbols if id(one) not in moved]


RULES: Final = Rules(
    handlers={
        "type_spec": _type,
        "type_alias": _type,
        "field_declaration": _field,
        "method_elem": _interface_method,
        "method_spec": _interface_method,
        "type_elem": _embedded_interface,
        "function_declaration": _function,
        "method_declaration": _method,
        "const_spec": _value,
        "var_spec": _value,
        "import_spec": _import,
    },
    transparent=frozenset(
        {"source_file", "type_declaration", "const_declaration", "var_declaration", "var_spec_list"}
        | {"import_declaration", "import_spec_list"}
    ),
    doc_carriers=frozenset({"package_clause"}),
    finish=_finish,
)
