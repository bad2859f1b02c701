"""Rules for Rust. Members of an `impl` are listed under their type; `pub(crate)` counts as public."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import NodeHandler, Walker, WalkerRules, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST: Final = r"\A#\[(?:\w+::)*(?:test|rstest|test_case|bench)\b"
_HOLDERS: Final = ("struct", "enum", "union", "type", "trait")
_USE_CHARS: Final = 8_000
_USE_TOKEN: Final = re.compile(r"::|[{},*]|\bas\b|r#\w+|\w+")
_TYPE_NAME: Final = re.compile(r"(?:&(?:'\w+ )?(?:mut )?)?(?:dyn )?(?:\w+::)*(\w+)")


def _public(node: Node, scope: Scope) -> bool:
    return scope.public or child_of_type(node, "visibility_modifier") is not None


def _has_attribute(walker: Walker, pattern: str) -> bool:
    attributes = (walker.source.text(above) for above in walker.lead if above.type == "attribute_item")
    return any(re.search(pattern, attribute) for attribute in attributes)


def _container(kind: str) -> NodeHandler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        body = node.child_by_field_name("body")
        name = walker.name(node)
        tuple_body = body is not None and body.type == "ordered_field_declaration_list"
        signature = walker.signature(node) if tuple_body else walker.signature(node, body)
        draft = walker.add(scope, kind, name, node, signature, public=_public(node, scope))
        if not tuple_body:
            walker.descend(body, draft, scope, public=kind in ("trait", "enum"))

    return handle


def _module(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node)
    body = node.child_by_field_name("body")
    if body is None:
        walker.out.add_import(f"self::{name}")
        return
    tests = _has_attribute(walker, r"cfg\(test\)")
    draft = walker.add(scope, "module", name, node, walker.signature(node, body), public=_public(node, scope))
    if not tests:
        walker.descend(body, draft, scope, public=False)


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node)
    kind = "method" if scope.kind in ("trait", "extension") else "function"
    signature = walker.signature(node, node.child_by_field_name("body"))
    test = _has_attribute(walker, _TEST)
    public = test or _public(node, scope)
    walker.add(scope, "test" if test else kind, name, node, signature, public=public)
    if name == "main" and scope.owner is None:
        walker.out.entry_points["fn main"] = None


def _value(kind: str) -> NodeHandler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        value = node.child_by_field_name("value")
        signature = with_value(walker.signature(node, value), walker.value(value))
        if walker.name(node) not in ("", "_"):
            walker.add(scope, kind, walker.name(node), node, signature, public=_public(node, scope))

    return handle


def _plain(kind: str) -> NodeHandler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        if name := walker.name(node):
            walker.add(scope, kind, name, node, walker.signature(node), public=_public(node, scope))

    return handle


def _macro(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node)
    public = _has_attribute(walker, "macro_export")
    walker.add(scope, "macro", name, node, f"macro_rules! {name}", public=public)


def _impl(walker: Walker, node: Node, scope: Scope) -> None:
    """Add an extension; `_finish` moves its members under their type."""
    type_node = node.child_by_field_name("type")
    trait = node.child_by_field_name("trait")
    body = node.child_by_field_name("body")
    if type_node is None:
        return
    match = _TYPE_NAME.match(walker.source.text(type_node))
    owner = match.group(1) if match else walker.source.text(type_node)
    name = owner if trait is None else walker.source.text(trait).split("<")[0].rsplit("::", 1)[-1]
    draft = walker.add(scope, "extension", name, node, walker.signature(node, body))
    walker.descend(body, draft, scope, public=trait is not None)
    walker.impls.append((owner, trait is not None, draft, scope.into))


def _use(walker: Walker, node: Node, scope: Scope) -> None:
    argument = node.child_by_field_name("argument")
    if argument is None:
        return
    end = min(argument.end_byte, argument.start_byte + _USE_CHARS)
    for path in use_paths(walker.source.slice(argument.start_byte, end)):
        walker.out.add_import(path)


def use_paths(text: str) -> list[str]:
    """Return every path of a `use` tree: `a::{b as c, d::*, self}` gives `a::b`, `a::d`, `a`."""
    found: list[str] = []
    prefixes: list[list[str]] = []
    path: list[str] = []
    base: list[str] = []
    skip = False  # the word after `as`

    def close() -> None:
        if len(path) > len(base) or (path and not prefixes):
            found.append("::".join(path))
        path[:] = base

    for part in _USE_TOKEN.findall(text):
        if part == "::":
            continue
        if part == "{":
            prefixes.append(base)
            base = list(path)
        elif part == ",":
            close()
        elif part == "}":
            close()
            base = prefixes.pop() if prefixes else []
            path[:] = base
        elif part == "as":
            skip = True
        elif skip:
            skip = False
        elif part in ("*", "self") and path:
            found.append("::".join(path))
            path[:] = base
        else:
            path.append(part)
    close()
    return list(dict.fromkeys(filter(None, found)))


def _finish(walker: Walker) -> None:
    for owner, of_trait, draft, into in walker.impls:
        holders = [symbol for symbol in into if symbol.name == owner and symbol.kind in _HOLDERS]
        holder = holders[0] if holders else None
        if holder is None:
            draft.name = owner
            continue
        into[:] = [symbol for symbol in into if symbol is not draft]
        holder.children += [draft] if of_trait else draft.children


RULES: Final = WalkerRules(
    handlers={
        "mod_item": _module,
        "struct_item": _container("struct"),
        "enum_item": _container("enum"),
        "union_item": _container("union"),
        "trait_item": _container("trait"),
        "impl_item": _impl,
        "function_item": _function,
        "function_signature_item": _function,
        "const_item": _value("constant"),
        "static_item": _value("variable"),
        "type_item": _plain("type"),
        "associated_type": _plain("type"),
        "trait_alias": _plain("type"),
        "field_declaration": _plain("field"),
        "enum_variant": _plain("case"),
        "macro_definition": _macro,
        "use_declaration": _use,
        "extern_crate_declaration": lambda walker, node, _: walker.out.add_import(walker.name(node)),
    },
    transparent=frozenset({"source_file", "foreign_mod_item", "declaration_list"}),
    comments=frozenset({"line_comment", "block_comment"}),
    attributes=frozenset({"attribute_item"}),
    doc_carriers=frozenset({"use_declaration", "inner_attribute_item", "extern_crate_declaration"}),
    top_public=False,
    finish=_finish,
)
