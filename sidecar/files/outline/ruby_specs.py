"""Test files of Ruby: groups and examples are calls with a title and a block, `describe "..." do it "..." do`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.walker import MAX_DEPTH, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

GROUPS: Final = frozenset(
    "describe context feature shared_examples shared_examples_for shared_context".split()
)
EXAMPLES: Final = frozenset("it specify scenario example test should".split())


def spec(walker: Walker, node: Node, scope: Scope) -> bool:
    """Take in a group with its examples, or an example, that `node` (a call) stands for; False for other calls."""
    todo = [(node, scope)]
    found = False
    while todo:
        call, into = todo.pop()
        word, title, block = _word(walker, call), _title(walker, call), call.child_by_field_name("block")
        if word not in GROUPS | EXAMPLES or not title or block is None:
            continue
        if found:
            walker.lead = []
        found = True
        group = word in GROUPS
        draft = walker.add(into, "suite" if group else "test", title, call, f'{word} "{title}"')
        body = block.child_by_field_name("body")
        if group and body is not None and into.depth + 1 < MAX_DEPTH:
            inner = Scope(draft.children, draft, into.depth + 1)
            todo += [(one, inner) for one in reversed(body.named_children) if one.type == "call"]
    return found


def _word(walker: Walker, call: Node) -> str:
    """The name of the method called, on `RSpec` or on nothing."""
    receiver, method = call.child_by_field_name("receiver"), call.child_by_field_name("method")
    if method is None or (receiver is not None and walker.source.text(receiver)[:10] != "RSpec"):
        return ""
    return walker.source.text(method)


def _title(walker: Walker, call: Node) -> str:
    arguments = call.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None else []
    if not values or values[0].type not in ("string", "constant", "scope_resolution", "simple_symbol"):
        return ""
    return " ".join(walker.source.text(values[0])[:120].strip("\"':").split())
