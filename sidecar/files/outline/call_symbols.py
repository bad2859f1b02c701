"""Statements shown in an outline: routes, build blocks, script parameters, loops of a script.

They are found by node types that grammars share: at the top of a file, in the bodies of its types, and inside blocks
found there. Each becomes a symbol of kind `call`; neighbouring calls of one function become one symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files import clean_text
from sidecar.files.outline.draft import OutlineDraft, every_draft
from sidecar.files.outline.languages import facts_of, words_of
from sidecar.files.outline.source import Source, shorten_signature
from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.files.structure.values import without_secret_literals
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_CALLS: Final = 200
_CALL_CHARS: Final = 100
_NAME_CHARS: Final = 80
_MAX_DEPTH: Final = 3
_TYPE_KINDS: Final = frozenset({"class", "trait", "object", "module"})
_VALUE_KINDS: Final = frozenset({"constant", "variable", "field", "property"})
_PATTERNS: Final = patterns(Path(__file__), "call_symbols")
_MIN_STEP_LINES: Final = 3
_MAX_STATEMENTS_TO_COMMENT: Final = 20  # statements before a step that may separate the step from its comment
_READ_CHARS: Final = 500
_UNTELLING_CALLS: Final = frozenset(words_of("call_symbols")["untelling"].split())


def add_call_symbols(symbols: list[OutlineDraft], root: Node, source: Source, language: str, *, steps: bool) -> None:
    """Add a file's calls to its symbols, in file order. With `steps`, also add its loops and conditions."""
    listed = facts_of(language).statements
    if listed:
        _add(symbols, root, source, known=_rows(symbols), plain=listed == "all", depth=0)
    if listed and steps:
        _add_steps(symbols, root, source)


def _add_steps(symbols: list[OutlineDraft], root: Node, source: Source) -> None:
    """Add the outermost loops and conditions that hold no symbols, with the comments about them."""
    taken = {row for symbol in every_draft(symbols) for row in range(symbol.start, symbol.end + 1)}
    nodes = root.named_children
    for at, node in enumerate(nodes):
        start, end = node.start_point.row + 1, node.end_point.row + 1
        if (
            not _PATTERNS["step"].match(node.type)
            or end - start + 1 < _MIN_STEP_LINES
            or not taken.isdisjoint(range(start, end + 1))
        ):
            continue
        first = source.text(node)[:_READ_CHARS].partition("\n")[0]
        shown = shorten_signature(_PATTERNS["opened"].sub("", without_secret_literals(first)), _CALL_CHARS)
        if shown and not _PATTERNS["importing"].search(source.text(node)[:_READ_CHARS]):
            doc = _comment_on(nodes[max(0, at - _MAX_STATEMENTS_TO_COMMENT) : at + 1], source)
            symbols.append(OutlineDraft("step", shown, start, end, shown, doc))
    symbols.sort(key=lambda symbol: symbol.start)


def _comment_on(nodes: Sequence[Node], source: Source) -> str | None:
    """Return the comment above the last of `nodes`; none if an empty line is between."""
    row = nodes[-1].start_point.row
    for above in nodes[-2::-1]:
        if above.end_point.row + 1 < row:
            break
        row = above.start_point.row
        if "comment" in above.type:
            return None if source.text(above).startswith("#!") else doc_of(strip_markers(source.text(above)))
    return None


def _rows(symbols: Iterable[OutlineDraft]) -> dict[int, OutlineDraft]:
    """Return the outermost symbol that covers each row. A type covers only its first row."""
    found: dict[int, OutlineDraft] = {}
    todo = list(symbols)
    for draft in todo:
        for row in range(draft.start - 1, draft.start if draft.kind in _TYPE_KINDS else draft.end):
            found.setdefault(row, draft)
        todo.extend(draft.children)
    return found


def _add(
    into: list[OutlineDraft],
    container: Node,
    source: Source,
    *,
    known: dict[int, OutlineDraft],
    plain: bool,
    depth: int,
) -> None:
    found: list[OutlineDraft] = []
    for node in _level(container):
        if len(found) >= _MAX_CALLS:
            break
        row = node.start_point.row
        draft = known.get(row)
        if draft is not None:
            if draft.kind in _TYPE_KINDS and not depth and draft.children is not into:
                _add(draft.children, node, source, known=known, plain=plain, depth=depth)
            continue
        draft = _statement(node, source, depth)
        if draft is None:
            continue
        inner = [symbol for symbol in into if draft.start < symbol.start <= draft.end]
        if any(symbol.kind not in _VALUE_KINDS for symbol in inner):
            continue  # its members are listed themselves
        for symbol in inner:  # local to the block
            into.remove(symbol)
        if not plain and not depth and draft.start == draft.end and "." not in draft.name:
            continue
        last = found[-1] if found else None
        single = draft.start == draft.end
        if last is not None and single and last.name == draft.name and last.end >= draft.start - 2:
            arguments = draft.signature.removeprefix(draft.name).strip()
            last.signature = shorten_signature(_with(last.signature, arguments), 120)
            last.end = draft.end
            continue
        found.append(draft)
        if depth + 1 < _MAX_DEPTH and not single:
            _add(draft.children, node, source, known=known, plain=plain, depth=depth + 1)
    for draft in found:
        draft.name = clean_text.shorten(draft.signature, _NAME_CHARS)
    into += found
    into.sort(key=lambda symbol: symbol.start)


def _with(signature: str, given: str) -> str:
    """Add the arguments of the next call to a call's signature."""
    if signature.endswith(")") and given.startswith("(") and given.endswith(")"):
        return f"{signature[:-1]}, {given[1:-1]})"
    return f"{signature}, {given}"


def _level(container: Node) -> Iterator[Node]:
    """Yield the statements of a file, body or block. A node that only contains statements is opened."""
    stack = container.named_children[::-1]
    inside = container.parent is not None
    while stack:
        node = stack.pop()
        kind = node.type
        call = _PATTERNS["call"].match(kind) is not None
        if call and inside and node.start_byte == container.start_byte:
            stack.extend(reversed(node.named_children))  # `get("/")(action { … })`
        elif call or kind == "param_block":
            yield node
        elif (
            kind.endswith("identifier")
            and _PATTERNS["call"].match(container.type)
            and _PATTERNS["wrapper"].match(node.parent.type if node.parent else "")
        ):
            yield node  # `plugins { java }`
        elif _PATTERNS["wrapper"].match(kind) or (inside and _PATTERNS["inside"].match(kind)):
            stack.extend(reversed(node.named_children))
        elif not inside or node.end_point.row > node.start_point.row:
            yield node


def _statement(node: Node, source: Source, depth: int) -> OutlineDraft | None:
    """Return the symbol of a call or parameter block; None if it is not worth showing."""
    start, end = node.start_point.row + 1, node.end_point.row + 1
    text = source.slice(node.start_byte, min(node.end_byte, node.start_byte + _READ_CHARS))
    text = without_secret_literals(text)
    if node.type == "param_block":
        names = [
            match
            for part in node.named_children
            for parameter in part.named_children
            for match in re.findall(r"(\$\w+)\s*(?:=|,?\s*\Z)", source.text(parameter))[-1:]
        ]
        signature = shorten_signature(f"param({', '.join(names)})", 400)
        return OutlineDraft("call", "param", start, end, signature) if names else None
    if node.type.endswith("identifier"):
        return OutlineDraft("call", text, start, end, text) if depth else None
    match = _PATTERNS["head"].match(" ".join(text.split())) if _PATTERNS["call"].match(node.type) else None
    if match is None or match["callee"] in _UNTELLING_CALLS or match["callee"] == "function":
        return None
    block = end > start
    if node.has_error and not block:
        return None
    if not depth and not match["text"] and not (block and _opens(node)):
        return None
    first = _PATTERNS["cut"].sub("", match["first"] or "").strip().removesuffix("function")
    shown = f"{match['callee']}({first})" if "(" in match["gap"] else f"{match['callee']} {first}".strip()
    event = _PATTERNS["listens"].match(" ".join(text.split()))
    shown = f"{shown}{event[1]})" if event is not None else shown
    return OutlineDraft("call", match["callee"], start, end, shorten_signature(shown, _CALL_CHARS))


def _opens(node: Node) -> bool:
    return any(
        _PATTERNS["wrapper"].match(child.type)
        or any(_PATTERNS["function"].match(argument.type) for argument in child.named_children)
        for child in node.named_children
    )
