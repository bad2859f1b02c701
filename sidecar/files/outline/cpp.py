"""Rules for C and C++, both parsed with the C++ grammar.

Macros that the grammar cannot place are blanked before parsing. `static` functions and variables and members of an
unnamed namespace are private; a member defined outside its class is named `A::b`, unless the file contains the class
and the class declares the member.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.cpp_macros import mask
from sidecar.files.outline.draft import OutlineDraft, Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import NodeHandler, Walker, WalkerRules, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_SPECIFIERS: Final = {
    "class_specifier": "class",
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
}
_FUNCTION_POINTER: Final = re.compile(r"[A-Za-z_][\w \t*]*?\(\s*\*\s*(\w+)\s*\)\s*\(")
_GUARD: Final = re.compile(rb"^[ \t]*#[ \t]*(?:ifndef[ \t]+|if[ \t]+!defined[ \t(]+)(\w+)", re.MULTILINE)

_NAMES: Final = frozenset(
    {"identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "qualified_identifier"}
    | {"template_function", "template_method", "primitive_type", "literal_operator_name"}
)
_STEPS: Final = 200


def _public(walker: Walker, node: Node, scope: Scope) -> bool:
    if not scope.public:
        return False
    if scope.owner is not None and scope.kind != "module":
        return True
    words = [walker.source.text(child) for child in node.children if child.type == "storage_class_specifier"]
    return "static" not in words or "inline" in words


def _outer(walker: Walker, node: Node) -> Node:
    """Return the template declaration around a declaration, else the declaration."""
    return walker.outer if walker.outer is not None else node


def _template(walker: Walker, node: Node, scope: Scope) -> None:
    inner: Node | None = node
    while inner is not None and inner.type == "template_declaration":
        inner = inner.named_children[-1] if inner.named_child_count > 1 else None
    handler = RULES.handlers.get(inner.type) if inner is not None else None
    if inner is None or handler is None:
        return
    walker.outer = node
    handler(walker, inner, scope)
    walker.outer = None


def _specifier(walker: Walker, node: Node, scope: Scope) -> None:
    body = node.child_by_field_name("body")
    if body is None:
        return
    name_node = node.child_by_field_name("name")
    kind = _SPECIFIERS[node.type]
    if name_node is None:
        if kind == "enum":
            walker.queue(body, scope)
        return
    _define(walker, node, scope, kind, walker.source.text(name_node), body)


def _define(walker: Walker, node: Node, scope: Scope, kind: str, name: str, body: Node) -> None:
    signature = walker.signature(_outer(walker, node), body)
    draft = walker.add(scope, kind, " ".join(name.split()), _outer(walker, node), signature, public=scope.public)
    walker.descend(body, draft, scope, public=kind != "class")


def _access(walker: Walker, node: Node, scope: Scope) -> None:
    scope.public = walker.source.text(node).startswith(("public", "signals", "Q_SIGNALS"))


def _namespace(walker: Walker, node: Node, scope: Scope) -> None:
    body = node.child_by_field_name("body")
    name_node = node.child_by_field_name("name")
    if body is None:
        return
    if name_node is None:
        walker.queue(body, Scope(scope.into, scope.owner, scope.depth, public=False))
        return
    name = walker.source.text(name_node)
    draft = walker.add(scope, "module", name, node, walker.signature(node, body), public=scope.public)
    walker.descend(body, draft, scope, public=scope.public)


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    declarator = node.child_by_field_name("declarator")
    name = declared_name(walker, declarator)
    if declarator is None or not name:
        return
    body = node.child_by_field_name("body") or child_of_type(node, "try_statement")
    stop = child_of_type(node, "field_initializer_list") or body
    signature = walker.signature(_outer(walker, node), stop)
    _callable(walker, node, scope, name, signature)


def _callable(walker: Walker, node: Node, scope: Scope, name: str, signature: str) -> None:
    member = (scope.owner is not None and scope.kind != "module") or "::" in name
    walker.add(
        scope,
        "method" if member else "function",
        name,
        _outer(walker, node),
        signature,
        public=_public(walker, node, scope),
    )
    if name == "main" and scope.owner is None:
        walker.out.entry_points["int main"] = None


def _declaration(walker: Walker, node: Node, scope: Scope) -> None:
    """Add prototypes, variables and fields, and types defined in the same statement."""
    type_node = node.child_by_field_name("type")
    body = type_node.child_by_field_name("body") if type_node is not None and type_node.type in _SPECIFIERS else None
    if type_node is not None and body is not None:
        name_node = type_node.child_by_field_name("name")
        if name_node is not None:
            _define(walker, type_node, scope, _SPECIFIERS[type_node.type], walker.source.text(name_node), body)
        elif type_node.type == "enum_specifier":
            walker.queue(body, scope)
        elif not node.children_by_field_name("declarator"):
            walker.queue(body, scope)  # the members of an unnamed struct or union belong to the owner
    declarators = node.children_by_field_name("declarator")
    for declarator in declarators:
        name = declared_name(walker, declarator)
        if not name:
            continue
        if declares_function(declarator):
            _callable(
                walker,
                node,
                scope,
                name,
                walker.signature(_outer(walker, node), node.child_by_field_name("default_value")),
            )
        else:
            _variable(walker, node, declarator, scope, name, type_node if body is not None else None)


def _variable(walker: Walker, node: Node, declarator: Node, scope: Scope, name: str, long_type: Node | None) -> None:
    member = scope.owner is not None and scope.kind != "module"
    first = node.child_by_field_name("declarator") or declarator
    if long_type is not None:
        body = long_type.child_by_field_name("body")
        head = walker.signature(node, body)
    else:
        head = walker.signature(_outer(walker, node), first)
    value = declarator.child_by_field_name("value") or (node.child_by_field_name("default_value") if member else None)
    own = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
    if own is None:
        return
    text = walker.value(value)
    words = head.split()
    constant = "constexpr" in words or ("const" in words and "*" not in walker.source.text(own) and not member)
    kind = "field" if member else "constant" if constant else "variable"
    signature = with_value(f"{head} {walker.signature(own)}".strip(), text)
    walker.add(scope, kind, name, _outer(walker, node), signature, public=_public(walker, node, scope))


def _expression(walker: Walker, node: Node, scope: Scope) -> None:
    """Add the variable of `int (*name)(Type *x);`, which the grammar parses as a call."""
    match = _FUNCTION_POINTER.match(walker.source.text(node)[:400])
    if match and scope.kind in ("", "module"):
        walker.add(scope, "variable", match.group(1), node, walker.signature(node), public=scope.public)


def _typedef(walker: Walker, node: Node, scope: Scope) -> None:
    type_node = node.child_by_field_name("type")
    body = type_node.child_by_field_name("body") if type_node is not None and type_node.type in _SPECIFIERS else None
    names = [
        name for declarator in node.children_by_field_name("declarator") if (name := declared_name(walker, declarator))
    ]
    if type_node is None or not names:
        return
    if body is None:
        for name in names:
            walker.add(scope, "type", name, node, walker.signature(node), public=scope.public)
        return
    kind = _SPECIFIERS[type_node.type]
    signature = f"{walker.signature(node, body)} {names[0]}"
    draft = walker.add(scope, kind, names[0], node, signature, public=scope.public)
    walker.descend(body, draft, scope)
    tag = type_node.child_by_field_name("name")
    if tag is not None and (tag_name := walker.source.text(tag)) not in names:
        tagged = walker.add(scope, kind, tag_name, node, walker.signature(type_node, body), public=scope.public)
        tagged.doc = None
    for name in names[1:]:
        walker.add(scope, "type", name, node, f"typedef {names[0]} {name}", public=scope.public)


def _named(kind: str) -> NodeHandler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        walker.add(
            scope,
            kind,
            walker.name(node),
            _outer(walker, node),
            walker.signature(_outer(walker, node), None),
            public=scope.public,
        )

    return handle


def _macro(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node)
    parameters = node.child_by_field_name("parameters")
    value_node = node.child_by_field_name("value")
    value = walker.source.line(value_node.start_byte, value_node.end_byte).replace("\\ ", "") if value_node else None
    if value is None and parameters is None and _guards(walker, name):
        return
    if value is not None:
        value = value.split("//")[0].split("/*")[0].strip()
    head = f"#define {name}{walker.signature(parameters) if parameters is not None else ''}"
    shown = value if value is None or len(value) <= 60 else "…"
    walker.add(scope, "macro", name, node, f"{head} {shown}" if shown else head)


def _guards(walker: Walker, name: str) -> bool:
    """Return whether the file tests `name` before defining the macro, as include guards do."""
    if not walker.guards:
        walker.guards.update(guard.decode() for guard in _GUARD.findall(walker.source.data))
        walker.guards.add("")
    return name in walker.guards


def _include(walker: Walker, node: Node, scope: Scope) -> None:
    if (path := node.child_by_field_name("path")) is not None:
        walker.out.add_import(walker.source.text(path))


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


def merge(walker: Walker) -> None:
    """Sort the symbols of the file and of its namespaces, and merge repeated declarations."""
    lists = [walker.out.symbols]
    while lists:
        symbols = lists.pop()
        symbols[:] = _merged(symbols, walker.language)
        lists.extend(symbol.children for symbol in symbols if symbol.kind == "module")


def _merged(symbols: list[OutlineDraft], language: str) -> list[OutlineDraft]:
    """Drop prototypes of defined functions, and move members defined outside their class into the class."""
    symbols.sort(key=lambda symbol: symbol.start)
    classes = {symbol.name: symbol for symbol in symbols if symbol.kind in ("class", "struct")}
    seen: dict[tuple[str, str], OutlineDraft] = {}
    kept: list[OutlineDraft] = []
    for symbol in symbols:
        if symbol.kind == "method" and "::" in symbol.name:
            owner, _, name = symbol.name.rpartition("::")
            holder = classes.get(owner)
            if holder is not None and any(child.name == name for child in holder.children):
                continue
        overloaded = language != "c" and symbol.kind in ("function", "method")
        key = (symbol.name, symbol.signature.rstrip(" ;") if overloaded else "")
        earlier = seen.get(key)
        if earlier is not None and earlier.kind == symbol.kind == "module" and kept[-1] is not earlier:
            kept.append(symbol)  # far from its other part
            seen[key] = symbol
            continue
        if earlier is not None and earlier.kind == symbol.kind == "module":
            earlier.children.extend(symbol.children)  # a reopened namespace
            earlier.end = max(earlier.end, symbol.end)
            continue
        if earlier is not None and earlier.kind == symbol.kind:
            if symbol.end - symbol.start > earlier.end - earlier.start and symbol.kind == "function":
                earlier.start, earlier.end, earlier.signature = symbol.start, symbol.end, symbol.signature
                earlier.doc = symbol.doc or earlier.doc
            continue
        seen[key] = symbol
        kept.append(symbol)
    return kept


RULES: Final = WalkerRules(
    handlers={
        **dict.fromkeys(_SPECIFIERS, _specifier),
        "template_declaration": _template,
        "access_specifier": _access,
        "namespace_definition": _namespace,
        "function_definition": _function,
        "declaration": _declaration,
        "field_declaration": _declaration,
        "expression_statement": _expression,
        "type_definition": _typedef,
        "alias_declaration": _named("type"),
        "concept_definition": _named("type"),
        "enumerator": _named("case"),
        "preproc_def": _macro,
        "preproc_function_def": _macro,
        "preproc_include": _include,
    },
    transparent=frozenset(
        {"translation_unit", "linkage_specification", "declaration_list", "field_declaration_list", "enumerator_list"}
        | {"friend_declaration"}
    ),
    doc_carriers=frozenset({"preproc_include", "preproc_def", "using_declaration"}),
    mask=mask,
    finish=merge,
)
