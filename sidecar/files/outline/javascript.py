"""Rules for JavaScript and TypeScript, including JSX and TSX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.grammars import captures
from sidecar.files.outline.javascript_exports import commonjs, finish
from sidecar.files.outline.javascript_members import (
    CLASSES,
    FUNCTIONS,
    MEMBER_HANDLERS,
    export,
    head,
    is_require,
    object_members,
    string_text,
    target,
)
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import NodeHandler, Walker, WalkerRules, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_WRAPPERS: Final = ("parenthesized_expression", "unary_expression", "member_expression")
_MAX_NAMES: Final = 60
_CALLED: Final = re.compile(rb"\b(?:require|import)\s*\(")
_CALLS: Final = """
(call_expression
  function: [(identifier) (import)]
  arguments: (arguments . [(string) (template_string)])) @call
"""
# Variance of type parameters (`<in out T>`), which the grammar does not know.
_VARIANCE: Final = re.compile(
    rb"(?<=[<,\n])([ \t]*)(in[ \t]+out|in|out)(?=[ \t]+[A-Z]\w*\b(?:[ \t]*[,>=]|[ \t]+extends\b))"
)
_REFERENCE: Final = re.compile(rb"^///\s*<reference\s+(?:path|types)\s*=\s*[\"']([^\"'\n]+)[\"']", re.MULTILINE)


def _export(walker: Walker, node: Node, scope: Scope) -> None:
    """Handle `export ...`: make declarations public, and remember exported names until the end."""
    walker.export()
    default = child_of_type(node, "default") is not None
    source = node.child_by_field_name("source")
    if source is not None:
        walker.out.add_import(string_text(walker, source))
    inner = node.child_by_field_name("declaration") or target(node.child_by_field_name("value"))
    if inner is None:
        clause = child_of_type(node, "export_clause")
        if clause is not None and source is None:
            for specifier in clause.named_children:
                export(walker, specifier.child_by_field_name("name"))
        return
    before = len(scope.into)
    walker.lead = [*walker.lead, *(child for child in node.children if child.type == "decorator")]
    handler = RULES.handlers.get(inner.type)
    if inner.type == "identifier":
        export(walker, inner)
    elif handler is not None and inner.type != "expression_statement":
        handler(walker, inner, scope)
    elif inner.type in FUNCTIONS:
        walker.add(scope, "function", "default", node, head(walker, node, inner))
    elif inner.type in CLASSES:
        _class(walker, inner, scope)
    elif default:
        draft = walker.add(scope, "variable", "default", node, _default_value(walker, inner))
        object_members(walker, inner, draft, scope)
    for draft in scope.into[before:]:
        draft.start = min(draft.start, walker.start_row(node) + 1)
        if default and not draft.signature.startswith("export"):
            draft.signature = f"export default {draft.signature}"
        walker.export(draft.name)


def _default_value(walker: Walker, inner: Node) -> str:
    value = walker.source.line(inner.start_byte, min(inner.end_byte, inner.start_byte + 200))
    if inner.type == "call_expression" and len(value) > 60:
        value = value.split("(", 1)[0] + "(…)"
    return f"export default {value if len(value) <= 60 else '{…}' if value.startswith('{') else '…'}"


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    signature = walker.signature(node, node.child_by_field_name("body"))
    walker.add(scope, "function", walker.name(node) or "default", node, signature)


def _class(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node) or "default"
    body = node.child_by_field_name("body")
    cuts = [child for child in node.children if child.type == "decorator"]
    nodes = cuts + [above for above in walker.lead if above.type == "decorator"]
    decorators = [_short(walker.source.line(*decorator.byte_range)) for decorator in nodes]
    draft = walker.add(scope, "class", name, node, " ".join([*decorators, walker.signature(node, body, *cuts)]))
    walker.descend(body, draft, scope)


def _short(decorator: str) -> str:
    return decorator if len(decorator) <= 60 or "(" not in decorator else decorator[: decorator.index("(")] + "(…)"


def _shape(kind: str) -> NodeHandler:
    def handle(walker: Walker, node: Node, scope: Scope) -> None:
        body = node.child_by_field_name("body")
        draft = walker.add(scope, kind, walker.name(node), node, walker.signature(node, body))
        walker.descend(body, draft, scope)

    return handle


def _type_alias(walker: Walker, node: Node, scope: Scope) -> None:
    value = node.child_by_field_name("value")
    shaped = value is not None and value.type == "object_type" and value.end_byte - value.start_byte > 60
    signature = walker.signature(node, value) + " = {…}" if shaped else walker.signature(node)
    draft = walker.add(scope, "type", walker.name(node), node, signature)
    if shaped:
        walker.descend(value, draft, scope)


def _module(walker: Walker, node: Node, scope: Scope) -> None:
    body = node.child_by_field_name("body")
    name = walker.name(node).strip("\"'`")
    draft = walker.add(scope, "module", name, node, walker.signature(node, body))
    walker.descend(body, draft, scope)


def _variables(walker: Walker, node: Node, scope: Scope) -> None:
    keyword = walker.source.text(node.children[0]) if node.child_count else "var"
    for declarator in node.named_children:
        if declarator.type == "variable_declarator":
            variable(walker, node, declarator, keyword, scope)


def _expression(walker: Walker, node: Node, scope: Scope) -> None:
    inner = node.named_children[0] if node.named_child_count else None
    if inner is None:
        return
    if inner.type == "assignment_expression":
        commonjs(walker, inner, scope)
    elif inner.type == "internal_module":
        _module(walker, inner, scope)
    elif scope.owner is None and inner.type == "call_expression":
        body = _wrapped_body(inner)
        if body is not None and 2 * (body.end_byte - body.start_byte) < walker.root.end_byte:
            shown = "async function run at once" if "async" in walker.source.text(inner)[:9] else "function run at once"
            walker.descend(body, walker.add(scope, "call", shown, node, shown), scope)
        elif body is not None:
            walker.queue(body, scope)
        else:
            _defining_call(walker, node, inner, scope)


def _labelled(walker: Walker, node: Node, scope: Scope) -> None:
    """Add the variable of Svelte's `$: doubled = count * 2`."""
    body = node.child_by_field_name("body")
    inner = body.named_children[0] if body is not None and body.named_child_count else None
    left = inner.child_by_field_name("left") if inner is not None else None
    if left is not None and left.type == "identifier" and scope.owner is None:
        walker.add(scope, "variable", walker.source.text(left), node, walker.signature(node))


def _defining_call(walker: Walker, node: Node, call: Node, scope: Scope) -> None:
    """Add `secure` of `defineGetter(req, "secure", function secure() {})` as a member of `req`."""
    arguments = call.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None and arguments.named_child_count < 8 else []
    if len(values) < 2 or values[-1].type != "function_expression" or values[0].type != "identifier":
        return
    name_node = values[-1].child_by_field_name("name")
    holder = next((symbol for symbol in scope.into if symbol.name == walker.source.text(values[0])), None)
    if name_node is not None and holder is not None:
        inner = Scope(holder.children, holder, scope.depth + 1)
        walker.add(inner, "method", walker.source.text(name_node), node, head(walker, values[-1], values[-1]))


def _wrapped_body(node: Node) -> Node | None:
    """Return the body of an immediately invoked function: `(function () { ... })()`."""
    for _ in range(4):
        if node.type in FUNCTIONS:
            return node.child_by_field_name("body")
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is None or function.type in ("identifier", "import"):
                return None
            node = function
        elif node.type in _WRAPPERS and node.named_child_count:
            node = node.named_children[0]
        else:
            return None
    return None


def _import(walker: Walker, node: Node, scope: Scope) -> None:
    source = node.child_by_field_name("source")
    if source is None:
        clause = child_of_type(node, "import_require_clause")
        source = clause.child_by_field_name("source") if clause is not None else None
    if source is not None:
        walker.out.add_import(string_text(walker, source))


def _finish(walker: Walker) -> None:
    for match in _REFERENCE.finditer(walker.source.data[:4_000]):
        walker.out.add_import(match.group(1).decode("utf-8", "replace"))
    if _CALLED.search(walker.source.data):
        for call in captures(walker.language, _CALLS, walker.root):
            function = call.child_by_field_name("function")
            arguments = call.child_by_field_name("arguments")
            if function is not None and arguments is not None and walker.source.text(function) in ("require", "import"):
                module = string_text(walker, arguments.named_children[0])
                walker.out.add_import("" if "${" in module else module)
    finish(walker)


def _mask(data: bytes) -> bytes:
    if b"out " not in data and b"in " not in data:
        return data
    return _VARIANCE.sub(lambda match: b" " * len(match.group()), data)


RULES: Final = WalkerRules(
    handlers={
        **MEMBER_HANDLERS,
        "export_statement": _export,
        "function_declaration": _function,
        "generator_function_declaration": _function,
        "function_signature": _function,
        "class_declaration": _class,
        "abstract_class_declaration": _class,
        "interface_declaration": _shape("interface"),
        "enum_declaration": _shape("enum"),
        "type_alias_declaration": _type_alias,
        "internal_module": _module,
        "module": _module,
        "ambient_declaration": lambda walker, node, _: walker.inline(node),
        "lexical_declaration": _variables,
        "variable_declaration": _variables,
        "expression_statement": _expression,
        "import_statement": _import,
        "labeled_statement": _labelled,
    },
    transparent=frozenset({"program", "statement_block"}),
    comments=frozenset({"comment", "html_comment"}),
    attributes=frozenset({"decorator"}),
    doc_carriers=frozenset({"import_statement"}),
    mask=_mask,
    finish=_finish,
)


def variable(walker: Walker, node: Node, declarator: Node, keyword: str, scope: Scope) -> None:
    """Add one declarator of `node`, a `const`, `let` or `var` statement."""
    name_node = declarator.child_by_field_name("name")
    value = declarator.child_by_field_name("value")
    if name_node is None or (value is not None and is_require(walker, value)):
        return
    kind = "constant" if keyword == "const" else "variable"
    if name_node.type != "identifier":
        for leaf in _pattern_names(name_node):
            walker.add(scope, kind, walker.source.text(leaf), node, f"{keyword} {walker.signature(name_node)} = …")
        return
    name = walker.source.text(name_node)
    while value is not None and value.type == "assignment_expression":
        commonjs(walker, value, scope)  # var app = module.exports = {}
        if walker.exported is not None:
            walker.export(name)
        value = value.child_by_field_name("right")
    inner = target(value)
    if inner is not None and inner.type in FUNCTIONS:
        walker.add(scope, "function", name, node, f"{keyword} {head(walker, declarator, inner)}")
    elif inner is not None and inner.type in CLASSES:
        body = inner.child_by_field_name("body")
        draft = walker.add(scope, "class", name, node, f"{keyword} {walker.signature(declarator, body)}")
        walker.descend(body, draft, scope)
    else:
        annotation = declarator.child_by_field_name("type")
        start = f"{keyword} {name}{walker.signature(annotation) if annotation is not None else ''}"
        draft = walker.add(scope, kind, name, node, with_value(start, walker.value(value)))
        object_members(walker, inner, draft, scope)


def _pattern_names(pattern: Node) -> list[Node]:
    """Return the names that a destructuring pattern binds, in order."""
    found: list[Node] = []
    stack = [pattern]
    while stack and len(found) < _MAX_NAMES:
        node = stack.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(node)
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            stack.extend(reversed(node.named_children))
        elif node.type in ("pair_pattern", "object_assignment_pattern", "assignment_pattern"):
            stack.append(node.named_children[-1 if node.type == "pair_pattern" else 0])
    return found
