"""Rules for Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.comments import docstring
from sidecar.files.outline.draft import OutlineDraft, Scope
from sidecar.files.outline.source import SIGNATURE_CHARS, shorten_signature, signature_line, with_value
from sidecar.files.outline.walker import Walker, WalkerRules, child_of_type
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

_FORMS: Final = patterns(Path(__file__), "python")
_INDENTED_IMPORT: Final = re.compile(rb"^[ \t]+(import|from)[ \t]", re.MULTILINE)
_DECORATOR_CHARS: Final = 60
_PROPERTY: Final = ("property", "cached_property", "functools.cached_property", "abc.abstractproperty")


def _decorators(walker: Walker, node: Node) -> list[str]:
    texts = [signature_line(walker.source.text(child)) for child in node.children if child.type == "decorator"]
    return [shorten_signature(text, _DECORATOR_CHARS) for text in texts]


def _signed(decorators: list[str], head: str) -> str:
    while decorators and sum(map(len, decorators)) + len(decorators) + len(head) > SIGNATURE_CHARS:
        decorators = decorators[:-1]
    return " ".join([*decorators, head])


def _decorated(walker: Walker, node: Node, scope: Scope) -> None:
    definition = node.child_by_field_name("definition")
    if definition is None:
        return
    decorators = _decorators(walker, node)
    if any(decorator.endswith((".setter", ".deleter")) for decorator in decorators):
        return
    handle = _class if definition.type == "class_definition" else _function
    handle(walker, definition, scope, decorators, node.start_point.row)


def _function(
    walker: Walker, node: Node, scope: Scope, decorators: list[str] | None = None, start: int | None = None
) -> None:
    name = walker.name(node)
    decorators = decorators or []
    body = node.child_by_field_name("body")
    kind = "method" if scope.owner is not None else "function"
    if kind == "method" and any(decorator[1:] in _PROPERTY for decorator in decorators):
        kind = "property"
    signature = _signed(decorators, walker.signature(node, body).rstrip(": "))
    walker.add(
        scope, kind, name, node, signature, public=_public(name), doc=_docstring(walker, body, node), start=start
    )


def _class(
    walker: Walker, node: Node, scope: Scope, decorators: list[str] | None = None, start: int | None = None
) -> None:
    name = walker.name(node)
    body = node.child_by_field_name("body")
    signature = _signed(decorators or [], walker.signature(node, body).rstrip(": "))
    bases = node.child_by_field_name("superclasses")
    kind = "enum" if bases is not None and _FORMS["enum_base"].search(walker.source.text(bases)) else "class"
    draft = walker.add(
        scope, kind, name, node, signature, public=_public(name), doc=_docstring(walker, body, node), start=start
    )
    walker.descend(body, draft, scope)


def _docstring(walker: Walker, body: Node | None, node: Node | None) -> str | None:
    """Return the docstring of a body, else the comments right before `node`."""
    first = next((child for child in body.children if child.type != "comment"), None) if body is not None else None
    if first is not None and first.type == "expression_statement" and first.child_count:
        first = first.children[0]
    if first is not None and first.type == "string":
        return docstring(walker.source.text(first))
    return walker.doc(node) if node is not None else None


def _public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _expression(walker: Walker, node: Node, scope: Scope) -> None:
    for child in node.children:
        if child.type == "assignment":
            _assignment(walker, child, scope)
        elif child.type == "augmented_assignment":
            left = child.child_by_field_name("left")
            if left is not None and walker.source.text(left) == "__all__":
                _all(walker, child)


def _assignment(walker: Walker, node: Node, scope: Scope) -> None:
    lefts: list[Node] = []
    annotation: str | None = None
    right: Node | None = node
    while right is not None and right.type == "assignment":  # a = b = value
        left = right.child_by_field_name("left")
        type_node = right.child_by_field_name("type")
        if type_node is not None:
            annotation = signature_line(walker.source.text(type_node))
        if left is not None:
            lefts.append(left)
        right = right.child_by_field_name("right")
    value = (
        signature_line(walker.source.slice(right.start_byte, min(right.end_byte, right.start_byte + 400)))
        if right is not None
        else None
    )
    for left in lefts:
        several = left.type in ("pattern_list", "tuple_pattern")
        for target in left.named_children if several else [left]:
            if target.type != "identifier":
                continue
            name = walker.source.text(target)
            if name == "__all__":
                _all(walker, node)
                continue
            head = name if annotation is None else f"{name}: {annotation}"
            signature = head if several else with_value(head, value)
            walker.add(scope, _variable_kind(scope, name, annotation), name, node, signature, public=_public(name))


def _variable_kind(scope: Scope, name: str, annotation: str | None) -> str:
    if scope.kind == "enum" and annotation is None and not name.startswith("_"):
        return "case"
    if annotation is not None and annotation.endswith("TypeAlias"):
        return "type"
    if scope.owner is not None:
        return "field"
    return "constant" if name.isupper() else "variable"


def _all(walker: Walker, node: Node) -> None:
    right = node.child_by_field_name("right")
    if right is not None and right.type in ("list", "tuple"):
        walker.export(*_FORMS["names_in_all"].findall(walker.source.text(right)))


def _type_alias(walker: Walker, node: Node, scope: Scope) -> None:
    left = node.child_by_field_name("left")
    if left is None:
        return
    name = walker.source.text(left).split("[")[0]
    walker.add(scope, "type", name, node, walker.signature(node), public=_public(name))


def _if(walker: Walker, node: Node, scope: Scope) -> None:
    condition = node.child_by_field_name("condition")
    if scope.owner is None and condition is not None and _FORMS["main"].search(walker.source.text(condition)):
        walker.out.entry_points['if __name__ == "__main__"'] = None
        return
    walker.inline(node)


def _finish(walker: Walker) -> None:
    for node in _import_nodes(walker):
        _import(walker, node)
    for symbol in walker.out.symbols:
        symbol.public = symbol.public if walker.exported is None else symbol.name in walker.exported
        _drop_overloads(symbol.children)
    _drop_overloads(walker.out.symbols)


def _drop_overloads(symbols: list[OutlineDraft]) -> None:
    """Drop the stubs of implemented overloads, and all but the first definition of a name."""
    implemented = {symbol.name for symbol in symbols if not _FORMS["overload"].match(symbol.signature)}
    seen: set[str] = set()
    kept = []
    for symbol in symbols:
        if _FORMS["overload"].match(symbol.signature):
            if symbol.name not in implemented:
                kept.append(symbol)
        elif symbol.name not in seen:
            seen.add(symbol.name)
            kept.append(symbol)
    symbols[:] = kept


def _import_nodes(walker: Walker) -> list[Node]:
    """Return every import statement in source order, including those inside functions."""
    found = [statement for statement in walker.root.children if statement.type.startswith("import")]
    seen = {statement.start_byte for statement in found}
    for match in _INDENTED_IMPORT.finditer(walker.source.data):
        word = walker.root.descendant_for_byte_range(match.start(1), match.end(1))
        node = word.parent if word is not None and word.type in ("import", "from") else None
        if node is not None and node.start_byte not in seen and node.type.startswith("import"):
            seen.add(node.start_byte)
            found.append(node)
    found.sort(key=lambda statement: statement.start_byte)
    return found


def _import(walker: Walker, node: Node) -> None:
    module_node = node.child_by_field_name("module_name")
    module = "".join(walker.source.text(module_node).split()) if module_node is not None else None
    if module is not None and module.strip("."):
        walker.out.add_import(module)
    for child in node.children_by_field_name("name"):
        target = child.child_by_field_name("name") if child.type == "aliased_import" else child
        name = "".join(walker.source.text(target).split()) if target is not None else ""
        if module is None:
            walker.out.add_import(name)
        elif name and not (name[0].isupper() and module.strip(".")):
            walker.out.add_import(module + name if module.endswith(".") else f"{module}.{name}")
    if module is not None and not module.strip(".") and child_of_type(node, "wildcard_import") is not None:
        walker.out.add_import(module)


RULES: Final = WalkerRules(
    handlers={
        "decorated_definition": _decorated,
        "function_definition": _function,
        "class_definition": _class,
        "expression_statement": _expression,
        "type_alias_statement": _type_alias,
        "if_statement": _if,
    },
    transparent=frozenset(
        {"block", "else_clause", "elif_clause", "try_statement", "except_clause", "except_group_clause"}
        | {"finally_clause", "with_statement", "module"}
    ),
    finish=_finish,
    module_doc=lambda walker: _docstring(walker, walker.root, None),
)
