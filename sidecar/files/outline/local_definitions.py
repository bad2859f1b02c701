"""Definitions inside long functions of JavaScript and Python: functions, and a component's state and effects.

Without them, a file that is one component or one factory would be only a name with a range of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.builder import OutlineBuilder
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.source import shorten_signature, with_value
from sidecar.files.structure.comments import doc_of, strip_markers

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTION_NODES: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_SHORT_CHARS: Final = 2  # letters of names in minified code
_MIN_FUNCTION_LINES: Final = 30  # minimum number of lines of a function that is searched
_MAX_SYMBOLS: Final = 40  # maximum number of symbols from one function
_HOLDER_KINDS: Final = frozenset({"function", "method", "constant", "variable"})
_HOOK: Final = re.compile(r"(?:\w+\.)?use[A-Z]\w*(?:<.*>)?")
_LIBRARIES: Final = ("React.", "Vue.", "_.")
_WRAPPERS: Final = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
_LABELS: Final = ("array", "identifier", "member_expression", "string")
_BODIES: Final = ("statement_block", "block")


def add_local_definitions(builder: OutlineBuilder) -> None:
    """Add what is defined at the top level of each long function's body, unless the function has members."""
    if builder.language != "python" and builder.rules.query != "javascript":
        return
    read = _python if builder.language == "python" else _script
    todo = list(builder.out.symbols)
    while todo:
        draft = todo.pop()
        if draft.kind in _HOLDER_KINDS and not draft.children and draft.end - draft.start >= _MIN_FUNCTION_LINES:
            body = _body(builder.root, draft)
            found_in = read(builder, body) if body is not None else ()
            named = (found for found in found_in if len(found.name) > _SHORT_CHARS)
            draft.children = list(islice(named, _MAX_SYMBOLS))
        else:
            following = [*(child.start for child in draft.children[1:]), draft.end + 1]
            todo += [child for child, start in zip(draft.children, following, strict=False) if start > child.end]


def _body(root: Node, draft: OutlineDraft) -> Node | None:
    """Return the body that takes up most of a definition's lines."""
    stack = [root.descendant_for_point_range((draft.start - 1, 0), (draft.end - 1, 0))]
    while stack:
        node = stack.pop()
        if node is None or 2 * (node.end_point.row - node.start_point.row) < draft.end - draft.start:
            continue
        if node.type in _BODIES and node.start_point.row >= draft.start - 1:
            return node
        stack.extend(reversed([child for child in node.children if draft.start <= child.end_point.row + 1]))
    return None


def _draft(builder: OutlineBuilder, kind: str, name: str, node: Node, signature: str) -> OutlineDraft:
    above = node.prev_named_sibling
    doc = None
    if above is not None and above.type in builder.rules.comments and above.end_point.row + 1 == node.start_point.row:
        doc = doc_of(strip_markers(builder.source.text(above)))
    start, end = node.start_point.row + 1, node.end_point.row + 1
    return OutlineDraft(kind, name, start, end, shorten_signature(signature), doc, public=False)


def _name(builder: OutlineBuilder, node: Node) -> str:
    name = node.child_by_field_name("name")
    return builder.source.text(name) if name is not None else ""


def _python(builder: OutlineBuilder, body: Node) -> Iterator[OutlineDraft]:
    for node in body.named_children:
        inner = (node.child_by_field_name("definition") or node) if node.type == "decorated_definition" else node
        if inner.type in ("function_definition", "class_definition"):
            signature = builder.signature(node, inner.child_by_field_name("body")).rstrip(": ")
            kind = "function" if inner.type == "function_definition" else "class"
            yield _draft(builder, kind, _name(builder, inner), node, signature)


def _script(builder: OutlineBuilder, body: Node) -> Iterator[OutlineDraft]:
    for node in body.named_children:
        if node.type in ("function_declaration", "generator_function_declaration"):
            yield _draft(builder, "function", _name(builder, node), node, _head(builder, node, node))
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in node.named_children:
                value, name = map(declarator.child_by_field_name, ("value", "name"))
                value = _unwrapped(value)
                if value is not None and name is not None:
                    yield from _declared(builder, node, name, value)
        elif node.type == "expression_statement" and node.named_children[0].type == "call_expression":
            yield from _effect(builder, node, node.named_children[0])
        elif node.type == "expression_statement" and node.named_children[0].type == "assignment_expression":
            left, value = (node.named_children[0].child_by_field_name(side) for side in ("left", "right"))
            if left is not None and value is not None and value.type in _FUNCTION_NODES:
                yield _draft(builder, "function", builder.source.text(left), node, _head(builder, node, value))
        elif node.type == "return_statement" and node.named_child_count:
            yield from _promised(builder, node.named_children[0])


def _unwrapped(value: Node | None) -> Node | None:
    """Return the expression inside parentheses and assertions of a type."""
    while value is not None and value.named_child_count and value.type in _WRAPPERS:
        value = value.named_children[0]
    return value


def _head(builder: OutlineBuilder, node: Node, function: Node) -> str:
    """Return the text from the start of `node` to the body of `function`, which is inside `node`."""
    return builder.signature(node, function.child_by_field_name("body")).removesuffix("=>").rstrip(" {")


def _promised(builder: OutlineBuilder, value: Node) -> Iterator[OutlineDraft]:
    """Yield the definitions in the function of a returned promise: `return new Promise(() => {...})`."""
    arguments = value.child_by_field_name("arguments") if value.type == "new_expression" else None
    given = arguments.named_children[:1] if arguments is not None else []
    for function in given:
        body = function.child_by_field_name("body") if function.type in _FUNCTION_NODES else None
        if body is not None:
            yield from _script(builder, body)


def _declared(builder: OutlineBuilder, node: Node, name_node: Node, value: Node) -> Iterator[OutlineDraft]:
    name = " ".join(builder.source.text(name_node).split()).strip("[]{} ").partition(",")[0]
    if value.type in _FUNCTION_NODES:
        yield _draft(builder, "function", name, node, _head(builder, node, value))
    elif value.type == "call_expression":
        callee, given = _call(builder, value)
        function = next((argument for argument in given[:1] if argument.type in _FUNCTION_NODES), None)
        wrapped = "." not in callee or callee.startswith(_LIBRARIES)  # not `rows.map((row) => ...)`
        if function is not None and wrapped and value.end_point.row > value.start_point.row:
            yield _draft(builder, "function", name, node, f"{_head(builder, node, function)} …)")
        elif _HOOK.fullmatch(callee):
            signature = with_value(builder.source.line(node.start_byte, name_node.end_byte), builder.signature(value))
            yield _draft(builder, "variable", name, node, signature)


def _effect(builder: OutlineBuilder, node: Node, call: Node) -> Iterator[OutlineDraft]:
    """Yield a call with a function of several lines as its argument: `useEffect [open]`, `onMounted`, `app.get "/"`."""
    callee, given = _call(builder, call)
    if node.end_point.row - node.start_point.row >= 2 and any(argument.type in _FUNCTION_NODES for argument in given):
        first, chained, _ = callee.partition("(")
        callee = f"{''.join(first.split())}(…){_last(builder, call)}" if chained else callee
        shown = " ".join([callee, *(builder.signature(label) for label in given if label.type in _LABELS)])
        yield _draft(builder, "call", shorten_signature(shown, 80), node, shorten_signature(shown, 120))


def _last(builder: OutlineBuilder, call: Node) -> str:
    """Return the last method of a chain of calls."""
    function = call.child_by_field_name("function")
    method = function.child_by_field_name("property") if function is not None else None
    return f".{builder.source.text(method)}" if method is not None else ""


def _call(builder: OutlineBuilder, call: Node) -> tuple[str, list[Node]]:
    function, arguments = map(call.child_by_field_name, ("function", "arguments"))
    start, end = function.byte_range if function is not None else (0, 0)
    return builder.source.line(start, min(end, start + 80)), arguments.named_children if arguments is not None else []
