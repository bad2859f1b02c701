"""The tree walk that all languages share, over declarations and the comments and attributes before each.

The `WalkerRules` of a language name the node types of declarations, with their handlers, and of wrappers, comments and
attributes. An explicit stack and a queue of bodies allow deep nesting. The numbers of nodes and symbols are bounded;
an outline that reaches a bound is partial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.comments import doc_of, strip_markers
from sidecar.files.outline.draft import Outline, OutlineDraft, Scope
from sidecar.files.outline.source import Source, shorten_signature

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NODES: Final = 100_000
MAX_SYMBOLS: Final = 5_000
MAX_DEPTH: Final = 6  # the maximum number of levels of symbols
NAME_CHARS: Final = 200

NodeHandler = Callable[["Walker", "Node", Scope], None]


@dataclass(frozen=True, slots=True)
class WalkerRules:
    """The node types of a language.

    `transparent` nodes are replaced by their children. `comments` and `attributes` belong to the declaration that
    follows. `inner_docs` begin comments about the definition around them. A comment before one of `doc_carriers`
    describes the file.
    """

    handlers: Mapping[str, NodeHandler]
    transparent: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset({"comment"})
    attributes: frozenset[str] = frozenset()
    inner_docs: tuple[str, ...] = ("/*!", "//!")
    doc_carriers: frozenset[str] = frozenset()
    mask: Callable[[bytes], bytes] | None = None  # blanks what the grammar cannot read, keeping length and lines
    finish: Callable[[Walker], None] | None = None


class Walker:
    """The walk over one file. Handlers call `add`, `descend` and `out.add_import`. Unless `documented`, omit docs."""

    def __init__(
        self, source: Source, root: Node, rules: WalkerRules, language: str, *, documented: bool = True
    ) -> None:
        self.source: Final = source
        self.root: Final = root
        self.rules: Final = rules
        self.language: Final = language
        self.documented: Final = documented
        self.out: Final = Outline()
        self.lead: list[Node] = []  # comments and attributes right before the handled node
        self.exported: set[str] | None = None  # the public names, if the file lists them
        self.cut = False
        self._stack: list[Node] = []
        self._nodes = 0
        self._symbols = 0
        self._todo: list[tuple[Node, Scope]] = []

    def run(self) -> Outline:
        self._todo.append((self.root, Scope(self.out.symbols)))
        while self._todo:
            self._level(*self._todo.pop())
        if self.rules.finish is not None:
            self.rules.finish(self)
        return self.out

    def _level(self, container: Node, scope: Scope) -> None:
        rules = self.rules
        handlers = rules.handlers
        stack = self._stack = container.children[::-1]
        lead: list[Node] = []
        row = -1
        while stack:
            node = stack.pop()
            kind = node.type
            if kind in rules.comments:
                if node.start_point.row == row:
                    self._trailing(node, scope)
                else:
                    lead.append(node)
                continue
            self._nodes += 1
            if self._nodes > MAX_NODES:
                self.cut = True
                return
            if kind in rules.attributes:
                lead.append(node)
                continue
            handler = handlers.get(kind)
            if handler is not None:
                self.lead = lead
                handler(self, node, scope)
            elif kind in rules.transparent or kind == "ERROR":
                stack.extend(reversed(node.children))
                continue
            row = node.end_point.row
            if lead and node.is_named:
                lead = []

    def _trailing(self, comment: Node, scope: Scope) -> None:
        if not scope.into or not self.documented:
            return
        last = scope.into[-1]
        if last.doc is None and last.end == comment.start_point.row + 1 == last.start and not last.children:
            last.doc = doc_of(strip_markers(self.source.text(comment)))

    def add(
        self,
        scope: Scope,
        kind: str,
        name: str,
        node: Node,
        signature: str,
        *,
        public: bool = True,
        doc: str | None = None,
        start: int | None = None,
    ) -> OutlineDraft:
        """Append a symbol declared by `node`; take its doc and first line from the nodes before it."""
        first = self.start_row(node) if start is None else start
        end_row = self.source.last_row(node)
        draft = OutlineDraft(
            kind,
            " ".join(name[:NAME_CHARS].split()),
            first + 1,
            end_row + 1,
            shorten_signature(signature),
            doc if doc is not None else self.doc(node),
            public,
        )
        if not draft.name:  # the parser made up a missing name: the members stand alone
            draft.children = scope.into
            return draft
        self._symbols += 1
        if self._symbols > MAX_SYMBOLS:
            self.cut = True
        else:
            scope.into.append(draft)
        return draft

    def descend(self, body: Node | None, draft: OutlineDraft, scope: Scope, *, public: bool = True) -> None:
        """Queue `body`; its declarations become children of `draft`."""
        if body is None:
            return
        if scope.depth + 1 >= MAX_DEPTH:
            self.cut = True
            return
        self._todo.append((body, Scope(draft.children, draft, scope.depth + 1, public)))

    def inline(self, node: Node) -> None:
        """Walk the children of the handled node next."""
        self._stack.extend(reversed(node.children))

    def queue(self, body: Node | None, scope: Scope) -> None:
        """Queue `body` as a further part of a scope."""
        if body is not None:
            self._todo.append((body, scope))

    def start_row(self, node: Node) -> int:
        """Return the row of the declaration's first line, including attributes."""
        rows = (above.start_point.row for above in self.lead if above.type in self.rules.attributes)
        return min(next(rows, node.start_point.row), node.start_point.row)

    def doc(self, node: Node) -> str | None:
        """Return the first sentence of the comments directly above `node`."""
        lead = self.lead
        if not lead or not self.documented:
            return None
        row = node.start_point.row
        block: list[Node] = []
        for above in reversed(lead):
            end = above.end_point.row - (1 if above.end_point.column == 0 else 0)
            if end + 1 < row:
                break
            row = above.start_point.row
            if above.type in self.rules.attributes:
                continue
            block.append(above)
        if block and node.type in self.rules.doc_carriers and self.opens_file(block[-1]):
            return None  # the comment describes the file
        return self.doc_of(block[::-1])

    def opens_file(self, comment: Node) -> bool:
        """Return whether nothing but an optional shebang line precedes a comment."""
        before = self.source.data[: comment.start_byte]
        return not before.strip() or (before.startswith(b"#!") and not before.partition(b"\n")[2].strip())

    def doc_of(self, comments: list[Node]) -> str | None:
        if not comments:
            return None
        texts = [self.source.text(comment) for comment in comments]
        last = texts[-1]
        if last.startswith("/*"):
            texts = texts[-1:]
        elif last.startswith("///"):
            texts = [text for text in texts if text.startswith("///")]
        return doc_of(strip_markers("\n".join(text.rstrip("\n") for text in texts)))

    def signature(self, node: Node, stop: Node | None = None, *cuts: Node | None) -> str:
        """Return the text of `node` up to `stop` (usually its body) as one line, without `cuts` and comments."""
        start, end = node.start_byte, node.end_byte if stop is None else stop.start_byte
        ranges = [cut.byte_range for cut in cuts if cut is not None]
        end = min(end, start + 4_000)
        raw = self.source.data[start:end]
        if b"//" in raw or b"/*" in raw or b"#" in raw or b"--" in raw:
            comments = (child for child in descendants(node, end, 500) if child.type in self.rules.comments)
            ranges += [comment.byte_range for comment in comments]
        return self.source.line(start, end, ranges).rstrip(" {=;:," if stop is not None else " ;,{")

    def name(self, node: Node) -> str:
        name = node.child_by_field_name("name")
        return self.source.text(name) if name is not None else ""

    def export(self, *names: str) -> None:
        """Make the named symbols public, and all symbols never named private."""
        self.exported = {*(self.exported or ()), *names}

    def value(self, node: Node | None) -> str | None:
        """Return the beginning of a value as one line without comments; None if there is no value."""
        return self.signature(node) if node is not None else None


def descendants(node: Node, end: int, limit: int) -> Iterator[Node]:
    """Yield at most `limit` nodes below `node` that begin before byte `end`, in source order."""
    stack = [node]
    while stack and limit:
        current = stack.pop()
        limit -= 1
        yield current
        if current.child_count:
            stack.extend(child for child in reversed(current.children) if child.start_byte < end)


def child_of_type(node: Node, *types: str) -> Node | None:
    return next((child for child in node.children if child.type in types), None)
