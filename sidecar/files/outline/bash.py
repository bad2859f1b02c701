"""Rules for shell scripts. Functions are public unless their name starts with an underscore."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Rules, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT: Final = re.compile(r"^(?:readonly\b|(?:declare|typeset)\s+-\w*r)")
_EXPORTED: Final = re.compile(r"^(?:export\b|(?:declare|typeset)\s+-\w*x)")
_SOURCE: Final = ("source", ".")


def _function(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None or scope.owner is not None:
        return
    name = walker.source.text(name_node)
    walker.add(scope, "function", name, node, f"{name}()", public=not name.startswith("_"))


def _declaration(walker: Walker, node: Node, scope: Scope) -> None:
    text = walker.source.line(node.start_byte, min(node.end_byte, node.start_byte + 300))
    word = text.split(" ", 1)[0]
    if word == "local":
        return
    kind = "constant" if _CONSTANT.match(text) else "variable"
    first = next((one for one in node.named_children if one.type.startswith("variable")), node)
    shown = walker.source.line(node.start_byte, min(first.start_byte, node.start_byte + 60))
    for one in node.named_children:
        if one.type == "variable_assignment":
            _assign(walker, one, scope, kind, f"{shown} ")
        elif one.type == "variable_name" and _EXPORTED.match(text):
            name = walker.source.text(one)
            if not any(earlier.name == name for earlier in scope.into):
                walker.add(scope, kind, name, node, f"{shown} {name}")


def _variable(walker: Walker, node: Node, scope: Scope) -> None:
    """A plain assignment counts when it looks like a setting: `MAX_JOBS=4`."""
    name_node = node.child_by_field_name("name")
    if name_node is not None and walker.source.text(name_node).isupper():
        _assign(walker, node, scope, "variable", "")


def _assign(walker: Walker, node: Node, scope: Scope, kind: str, prefix: str) -> None:
    name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None or name_node.type != "variable_name":
        return
    name = walker.source.text(name_node)
    if any(earlier.name == name for earlier in scope.into):
        return
    text = (
        walker.source.line(value.start_byte, min(value.end_byte, value.start_byte + 300))
        if value is not None
        else ""
    )
    signature = with_value(prefix + name, text).replace(" = ", "=", 1)
    walker.add(scope, kind, name, node, signature, public=not name.startswith("_"))


def _command(walker: Walker, node: Node, scope: Scope) -> None:
    name_node = node.child_by_field_name("name")
    argument = node.child_by_field_name("argument")
    if name_node is None or argument is None:
        return
    word = walker.source.text(name_node)
    if word in _SOURCE:
        walker.out.add_import("".join(walker.source.text(argument).split()).replace('"', "").replace("'", ""))
    elif word == "alias":
        name, equals, value = walker.signature(argument).partition("=")
        if equals and name:
            walker.add(scope, "function", name, node, f"alias {name}={value}")


def _inline(walker: Walker, node: Node, scope: Scope) -> None:
    walker.inline(node)


RULES: Final = Rules(
    handlers={
        "function_definition": _function,
        "declaration_command": _declaration,
        "variable_assignment": _variable,
        "command": _command,
    },
    transparent=frozenset(
        {
            "program",
            "if_statement",
            "elif_clause",
            "else_clause",
            "list",
            "compound_statement",
            "redirected_statement",
        }
        | {"variable_assignments", "case_statement", "case_item", "negated_command", "subshell"}
    ),
    doc_carriers=frozenset({"command", "list", "declaration_command", "variable_assignment"}),
)
