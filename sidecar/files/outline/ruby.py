"""Rules for Ruby. Sections, `private def` and `private :name` decide visibility."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Scope
from sidecar.files.outline.languages import words_of
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import MAX_DEPTH, Walker, WalkerRules, child_of_type
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS: Final = frozenset(words_of("ruby")["accessors"].split())
_SECTIONS: Final = {
    "private": False,
    "protected": False,
    "private_class_method": False,
    "public": True,
    "module_function": True,
}
_REQUIRES: Final = frozenset({"require", "require_relative", "load", "autoload"})
_DSL: Final = frozenset(words_of("ruby")["dsl"].split())
_BLOCKS: Final = {word: kind for kind, words in words_of("ruby")["blocks"].items() for word in words.split()}

_FORMS: Final = patterns(Path(__file__), "ruby")


def _module(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node)
    kind = "class" if node.type == "class" else "module"
    body = node.child_by_field_name("body")
    superclass = node.child_by_field_name("superclass")
    signature = f"{node.type} {name}"
    if superclass is not None:
        signature += " " + walker.signature(superclass)
    draft = walker.add(scope, kind, name, node, signature)
    walker.descend(body, draft, scope)


def _singleton_class(walker: Walker, node: Node, scope: Scope) -> None:
    """Add the methods of `class << self` as class methods of the owner."""
    body = node.child_by_field_name("body")
    if body is not None:
        walker.queue(body, Scope(scope.into, scope.owner, scope.depth))


def _method(walker: Walker, node: Node, scope: Scope, *, public: bool | None = None) -> None:
    name = walker.name(node)
    singleton = node.type == "singleton_method"
    kind = "method" if scope.owner is not None else "function"
    walker.add(
        scope, kind, name, node, _head(walker, node), public=(scope.public or singleton) if public is None else public
    )


def _head(walker: Walker, node: Node) -> str:
    parameters = node.child_by_field_name("parameters")
    name_node = node.child_by_field_name("name")
    last = parameters or name_node
    end = last.end_byte if last is not None else node.end_byte
    return walker.source.line(node.start_byte, min(end, node.start_byte + 2_000))


def _assignment(walker: Walker, node: Node, scope: Scope) -> None:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    if left is None:
        return
    targets = left.named_children if left.type == "left_assignment_list" else [left]
    text = walker.value(right)
    for target in targets:
        if target.type not in ("constant", "scope_resolution"):
            if right is not None and right.type == "call":
                _inside(walker, right, scope)
            continue
        name = walker.source.text(target)
        built = right is not None and right.type == "call" and _builds_class(walker, right)
        if right is not None and built:
            body = child_of_type(right, "do_block", "block")
            head = f"{name} = {walker.signature(right, body)}"
            draft = walker.add(scope, "class", name, node, head)
            inner = body.child_by_field_name("body") if body is not None else None
            walker.descend(inner, draft, scope)
        else:
            walker.add(scope, "constant", name, node, with_value(name, text if len(targets) == 1 else "…"))


def _builds_class(walker: Walker, call: Node) -> bool:
    receiver, method = call.child_by_field_name("receiver"), call.child_by_field_name("method")
    if receiver is None or method is None:
        return False
    made = f"{walker.source.text(receiver)[:20]}.{walker.source.text(method)}"
    return made in ("Struct.new", "Class.new", "Module.new", "Data.define")


def _call(walker: Walker, node: Node, scope: Scope) -> None:
    method, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
    word = walker.source.text(method) if method is not None else ""
    if receiver is not None and walker.source.text(receiver)[:10] != "RSpec":
        word = ""
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None else []
    if word in _REQUIRES:
        _require(walker, word, values)
    elif word in _SECTIONS:
        _section(walker, word, values, scope)
    elif word in ("private_constant", "public_class_method"):
        _mark(walker, values, scope, word != "private_constant")
    elif word and values and node.child_by_field_name("block") is not None:
        _titled(walker, node, word, values[0], scope)
    elif word in _ACCESSORS or (scope.owner is not None and word in _DSL):
        if word == "def_delegator":
            values = values[-1:]
        for value in values[:1] if word in _DSL else values:
            name = _symbol(walker, value)
            if name and not name.startswith("@") and (value.type != "pair" or word in _DSL):
                kind = "method" if word == "scope" or word.startswith("de") else "property"
                walker.add(scope, kind, name, node, f"{word} :{name}", public=scope.public)
    elif word in ("define_method", "alias_method") and values:
        name = _symbol(walker, values[0])
        if name:
            rest = ", ".join(walker.signature(value) for value in values[:2])
            walker.add(scope, "method", name, node, f"{word} {rest}", public=scope.public)
    else:
        for value in values:  # `memoize def total`
            if value.type in ("method", "singleton_method"):
                _method(walker, value, scope)
        _inside(walker, node, scope)


def _titled(walker: Walker, node: Node, word: str, value: Node, scope: Scope) -> None:
    """Handle a call with a title and a block: `describe "..." do`, `task name: :needed do`, `let(:name) { }`."""
    written = value.type in ("string", "simple_symbol", "constant", "scope_resolution")
    title = _symbol(walker, value) or (walker.source.text(value) if written else "")
    kind = _BLOCKS.get(word, "block")
    if (
        not title
        or _FORMS["hook"].match(word)
        or (kind == "block" and scope.kind == "test")
        or (kind != "task" and value.type == "pair")
    ):
        _inside(walker, node, scope)
        return
    title = " ".join(title[:120].split())
    shown = f":{title}" if value.type != "string" and kind not in ("suite", "test") else f'"{title}"'
    draft = walker.add(scope, kind, title, node, f"{word} {shown}", public=scope.public)
    _inside(walker, node, Scope(draft.children, draft, scope.depth + 1) if scope.depth + 1 < MAX_DEPTH else scope)


def _inside(walker: Walker, call: Node, scope: Scope) -> None:
    """Add the definitions in a call's block to the call's scope: `included do`, `Class.new do`."""
    block = call.child_by_field_name("block")
    if block is not None and block.child_by_field_name("body") is not None:
        walker.queue(block.child_by_field_name("body"), Scope(scope.into, scope.owner, scope.depth))


def _symbol(walker: Walker, node: Node) -> str:
    if node.type == "pair":
        node = node.child_by_field_name("key") or node
    match = (
        _FORMS["symbol"].match(walker.source.text(node))
        if node.type in ("simple_symbol", "string", "delimited_symbol", "hash_key_symbol")
        else None
    )
    return (match.group(1) or match.group(2) or match.group(3) or "") if match else ""


def _require(walker: Walker, word: str, values: list[Node]) -> None:
    for value in values[:2]:
        if value.type == "string" and child_of_type(value, "interpolation") is None:
            path = walker.source.text(value).strip("\"'")
            if word == "require_relative" and not path.startswith("."):
                path = f"./{path}"
            walker.out.add_import(path)


def _section(walker: Walker, word: str, values: list[Node], scope: Scope) -> None:
    public = _SECTIONS[word]
    if not values and word != "private_class_method":
        scope.public = public
        return
    for value in values:
        if value.type in ("method", "singleton_method"):
            _method(walker, value, scope, public=public)
        elif value.type == "call":
            _call(walker, value, Scope(scope.into, scope.owner, scope.depth, public))
    _mark(walker, values, scope, public)


def _mark(walker: Walker, values: list[Node], scope: Scope, public: bool) -> None:
    """Apply `private :a, :b` to the definitions above it."""
    names = {name for value in values if (name := _symbol(walker, value))}
    for symbol in scope.into:
        if symbol.name in names:
            symbol.public = public


def _word(walker: Walker, node: Node, scope: Scope) -> None:
    """Handle `private` on a line of its own."""
    word = walker.source.text(node)
    if word in _SECTIONS and scope.owner is not None:
        scope.public = _SECTIONS[word]


def _alias(walker: Walker, node: Node, scope: Scope) -> None:
    name = walker.name(node).lstrip(":")
    if scope.owner is not None:
        walker.add(scope, "method", name, node, walker.signature(node), public=scope.public)


def _if(walker: Walker, node: Node, scope: Scope) -> None:
    condition = node.child_by_field_name("condition")
    if condition is not None and _FORMS["main"].search(walker.source.text(condition)[:200]):
        walker.out.entry_points["if __FILE__ == $0"] = None
        return
    walker.inline(node)


def _finish(walker: Walker) -> None:
    walker.out.symbols.sort(
        key=lambda symbol: symbol.start
    )  # the walk visits blocks after the statements that follow them


RULES: Final = WalkerRules(
    handlers={
        "module": _module,
        "class": _module,
        "singleton_class": _singleton_class,
        "method": _method,
        "singleton_method": _method,
        "assignment": _assignment,
        "operator_assignment": _assignment,
        "call": _call,
        "identifier": _word,
        "alias": _alias,
        "if": _if,
        "unless": _if,
        "if_modifier": _if,
    },
    transparent=frozenset({"program", "body_statement", "then", "else", "begin", "block_body"}),
    doc_carriers=frozenset({"call"}),
    finish=_finish,
)
