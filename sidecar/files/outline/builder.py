"""The outline of one file while it is made: its symbols, imports and entry points, and the texts about them.

The number of symbols is bounded; an outline that reaches the bound is partial.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import Outline, OutlineDraft
from sidecar.files.outline.languages import LanguageRules, facts_of
from sidecar.files.outline.source import Source, shorten_signature
from sidecar.files.structure.comments import doc_of, strip_markers

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SYMBOLS: Final = 5_000
MAX_DEPTH: Final = 6  # the maximum number of levels of symbols
NAME_CHARS: Final = 200


class OutlineBuilder:
    """The outline of the file `source`, whose tree is below `root`. Without `documented`, it has no docs."""

    def __init__(self, source: Source, root: Node, language: str, *, documented: bool = True) -> None:
        self.source: Final = source
        self.root: Final = root
        self.rules: Final[LanguageRules] = facts_of(language)
        self.language: Final = language
        self.documented: Final = documented
        self.out: Final = Outline()
        self.cut = False
        self._symbols = 0

    def add(
        self, into: list[OutlineDraft], kind: str, name: str, node: Node, signature: str, *, doc: str | None, start: int
    ) -> OutlineDraft:
        """Append a symbol declared by `node` to the list `into`; `start` is the row of its first line."""
        draft = OutlineDraft(
            kind,
            " ".join(name[:NAME_CHARS].split()),
            start + 1,
            self.source.last_row(node) + 1,
            shorten_signature(signature),
            doc,
        )
        if not draft.name:  # the parser made up a missing name: the members stand alone
            draft.children = into
            return draft
        self._symbols += 1
        if self._symbols > MAX_SYMBOLS:
            self.cut = True
        else:
            into.append(draft)
        return draft

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

    def signature(self, node: Node, stop: Node | None = None) -> str:
        """Return the text of `node` as one line, without comments, up to `stop` (usually its body)."""
        start, end = node.start_byte, node.end_byte if stop is None else stop.start_byte
        ranges: list[tuple[int, int]] = []
        end = min(end, start + 4_000)
        raw = self.source.data[start:end]
        if b"//" in raw or b"/*" in raw or b"#" in raw or b"--" in raw:
            comments = (child for child in descendants(node, end, 500) if child.type in self.rules.comments)
            ranges = [comment.byte_range for comment in comments]
        return self.source.line(start, end, ranges).rstrip(" {=;:," if stop is not None else " ;,{")


def descendants(node: Node, end: int, limit: int) -> Iterator[Node]:
    """Yield at most `limit` nodes below `node` that begin before the byte `end`, in source order."""
    stack = [node]
    while stack and limit:
        current = stack.pop()
        limit -= 1
        yield current
        if current.child_count:
            stack.extend(child for child in reversed(current.children) if child.start_byte < end)


def child_of_type(node: Node, *types: str) -> Node | None:
    return next((child for child in node.children if child.type in types), None)
