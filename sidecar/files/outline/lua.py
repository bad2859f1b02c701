"""Rules for Lua. What is `local` is private, except the table that the file returns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Draft, Scope
from sidecar.files.outline.query import captures
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Rules, Walker, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_REQUIRED: Final = re.compile(rb"\b(?:require|dofile|loadfile)\b")
_REQUIRES: Final = "(function_call name: (identifier) arguments: (arguments . (string))) @call"
_LOADERS: Final = ("require", "dofile", "loadfile")
_TABLE_MEMBERS: Final = 400


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    local = any(child.type == "local" for child in node.children)
    name = "".join(walker.source.text(name_node).split())
    signature = walker.source.line(node.start_byte, _parameters_end(node, name_node))
    _declare(walker, node, scope, name, "function", signature, public=not local)


def _parameters_end(function: Node, fallback: Node) -> int:
    parameters = function.child_by_field_name("parameters")
    return min((parameters or fallback).end_byte, function.start_byte + 2_000)


def _declare(
    walker: Walker, node: Node, scope: Scope, name: str, kind: str, signature: str, *, public: bool
) -> Draft | None:
    """Add `name`; a member of a table goes under the table when the file declares it."""
    owner, separator, member = _split(name)
    if not separator:
        return walker.add(scope, kind, name, node, signature, public=public and not name.startswith("_"))
    public = not member.startswith("_")
    holder = walker.tables.get(owner)
    member_kind = "method" if kind == "function" and separator == ":" else kind
    if holder is None:
        return walker.add(scope, member_kind, name, node, signature, public=public)
    inner = Scope(holder.children, holder, scope.depth + 1)
    return walker.add(inner, member_kind, member, node, signature, public=public)


def _split(name: str) -> tuple[str, str, str]:
    """Owner, separator and member of `a.b:c`."""
    at = max(name.rfind("."), name.rfind(":"))
    return (name[:at], name[at], name[at + 1 :]) if at > 0 else ("", "", name)


def _local(walker: Walker, node: Node, scope: Scope) -> None:
    assignment = child_of_type(node, "assignment_statement")
    if assignment is not None:
        _assignment(walker, assignment, scope, local=True)


def _assignment(walker: Walker, node: Node, scope: Scope, *, local: bool = False) -> None:
    variables, values = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
    if variables is None:
        return
    names = variables.children_by_field_name("name")
    given = values.named_children if values is not None else []
    for index, name_node in enumerate(names):
        name = "".join(walker.source.text(name_node).split())
        value = given[index] if index < len(given) else None
        if "[" in name or not name or (value is not None and _loads(walker, value)):
            continue
        _bind(walker, node, scope, name, value, local=local)


def _bind(walker: Walker, node: Node, scope: Scope, name: str, value: Node | None, *, local: bool) -> None:
    word = "local " if local else ""
    if value is not None and value.type == "function_definition":
        parameters = value.child_by_field_name("parameters")
        signature = (
            f"{word}{name} = function{walker.signature(parameters) if parameters is not None else '()'}"
        )
        _declare(walker, node, scope, name, "function", signature, public=not local)
        return
    if local and value is None:
        return
    text = None
    if value is not None:
        text = walker.source.line(value.start_byte, min(value.end_byte, value.start_byte + 300))
        if value.type == "table_constructor" and len(text) > 60:
            text = "{…}"
    last = _split(name)[2]
    kind = "constant" if last.isupper() and len(last) > 1 else "variable"
    if _split(name)[1] and name in walker.tables:
        return
    draft = _declare(walker, node, scope, name, kind, with_value(word + name, text), public=not local)
    if (
        draft is None
        or value is None
        or value.type not in ("table_constructor", "function_call", "binary_expression")
    ):
        return
    walker.tables.setdefault(name, draft)
    if value.type == "table_constructor":
        _members(walker, value, draft, scope)


def _loads(walker: Walker, value: Node) -> bool:
    name = value.child_by_field_name("name") if value.type == "function_call" else None
    return name is not None and walker.source.text(name) in _LOADERS


def _members(walker: Walker, table: Node, draft: Draft, scope: Scope) -> None:
    """Functions that stand in a table constructor."""
    inner = Scope(draft.children, draft, scope.depth + 1)
    for one in table.named_children[:_TABLE_MEMBERS]:
        walker_lead, walker.lead = walker.lead, []
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if (
            one.type == "field"
            and name is not None
            and value is not None
            and value.type == "function_definition"
        ):
            parameters = value.child_by_field_name("parameters")
            text = walker.source.text(name)
            if text.isidentifier():
                shown = walker.signature(parameters) if parameters is not None else "()"
                walker.add(inner, "function", text, one, f"{text} = function{shown}")
        walker.lead = walker_lead


def _return(walker: Walker, node: Node, scope: Scope) -> None:
    """The file's value: the names in it are what other files get."""
    values = child_of_type(node, "expression_list")
    for value in values.named_children if values is not None else []:
        if value.type == "identifier":
            walker.exported = (walker.exported or set()) | {walker.source.text(value)}
        elif value.type == "function_call":  # return setmetatable(M, {...})
            arguments = value.child_by_field_name("arguments")
            for one in arguments.named_children[:8] if arguments is not None else []:
                if one.type == "identifier":
                    walker.exported = (walker.exported or set()) | {walker.source.text(one)}
        elif value.type == "table_constructor":
            for one in value.named_children[:_TABLE_MEMBERS]:
                inner, name = one.child_by_field_name("value"), one.child_by_field_name("name")
                if inner is not None and inner.type == "identifier":
                    walker.exported = (walker.exported or set()) | {walker.source.text(inner)}
                elif inner is not None and name is not None and inner.type == "function_definition":
                    parameters = inner.child_by_field_name("parameters")
                    shown = walker.signature(parameters) if parameters is not None else "()"
                    text = walker.source.text(name)
                    walker.lead = []
                    walker.add(scope, "function", text, one, f"{text} = function{shown}")


def _if(walker: Walker, node: Node, scope: Scope) -> None:
    walker.inline(node)


def _finish(walker: Walker) -> None:
    for one in walker.out.symbols:
        if walker.exported and one.name in walker.exported:
            one.public = True
        one.end = max(one.end, one.start)
    if _REQUIRED.search(walker.source.data):
        for call in captures(walker.language, _REQUIRES, walker.root):
            name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
            if name is not None and arguments is not None and walker.source.text(name) in _LOADERS:
                walker.out.add_import(walker.source.text(arguments.named_children[0]).strip("\"'[]"))


RULES: Final = Rules(
    handlers={
        "function_declaration": _function,
        "variable_declaration": _local,
        "assignment_statement": _assignment,
        "return_statement": _return,
        "if_statement": _if,
        "do_statement": _if,
    },
    transparent=frozenset({"chunk", "block", "else_statement", "elseif_statement"}),
    doc_carriers=frozenset({"variable_declaration"}),
    finish=_finish,
)
