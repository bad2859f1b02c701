"""The briefing of a file: the text that an agent gets in place of the file.

The names and lines of the public top-level symbols come first. The remaining room goes to their signatures, to the
names and lines of members, to the signatures of callables, then to docs, values and private symbols. The same record
always gives the same text.

File content is untrusted, so all of it loses its control characters and is neutralised like stored text
(`sidecar.text.fence`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from posixpath import commonpath
from typing import Final

from sidecar.files.briefing.layout import (
    BRIEF_DOC,
    ESSENTIAL,
    FILLING,
    FULL_DOC,
    HIDDEN,
    INSIDE,
    NAME,
    PLACED,
    ROW,
    SIGNATURE,
    LayoutNode,
    attach_records,
    body,
    build_nodes,
    in_order,
)
from sidecar.files.briefing.purpose import purpose
from sidecar.files.clean_text import clean, shorten
from sidecar.files.outline.target import CEILING_TOKENS, FLOOR_TOKENS, target
from sidecar.files.structure.body_rows import LINE
from sidecar.store.records import ContentRecord, SymbolRecord
from sidecar.text import fence
from sidecar.text.tokens import estimate

_MAX_LIBRARIES: Final = 8
_LIBRARY_LANGUAGES: Final = frozenset("javascript jsx typescript tsx vue svelte python elixir ruby julia".split())
_LIBRARY: Final = re.compile(r"(?!(?:node:|(?:fs|path|os|util)$))(@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*)(?!://)")

_TITLE_TOKENS = 40  # tokens of the first line besides the path and the doc
_MAX_PRIVATE_NODES = 60
_MAX_VALUES = 6  # private constants whose values are worth showing
_MEASURED_BELOW_TOKENS = 60  # with fewer tokens left, measure each step, because the sum of the estimates is too high
_MIN_LARGE_LINES = 25
"""A private definition of at least this many lines is named as early as public ones."""
_MAX_IMPORTS = 12
_MAIN_ENTRY = re.compile(r"^#!|\bmain\b(?!__)")
_MAX_ENTRY_POINTS = 8
_MIN_UNPARSED_LINES = 5  # fewer unparsed lines than this are not mentioned
_MAX_TEST_LEVELS = 3  # the number of levels of tests below a titled one
_NAME_CHARS = 32  # length above which a name is shown with its lines or not at all


def render(record: ContentRecord, *, path: str, project_imports: Sequence[str], budget: int | None = None) -> str:
    """Return the briefing of the file at `path`, within `budget` tokens (a hard limit) if given.

    It has the tokens that `target` allows. If the names of the public top-level symbols alone need more, the briefing
    says how many it leaves out.
    """
    if budget is not None and budget <= 0:
        return ""
    room = target(record.file_tokens)
    if record.inside and record.inside[0].kind == ROW:  # as many as are worth it
        room = max(room, min(CEILING_TOKENS, _tokens(record.inside) + estimate(f"{path} {record.doc}") + _TITLE_TOKENS))
    small = budget is not None and budget < FLOOR_TOKENS // 2
    briefing = _Briefing(record, path, project_imports, room if budget is None else min(room, budget), small=small)
    briefing.tight = budget is not None and budget < FLOOR_TOKENS // 4
    briefing.fill()
    text = fence.clean(briefing.text(), markup=False)
    return text if budget is None else _cut(text, budget)


def _tokens(rows: Iterable[SymbolRecord]) -> int:
    return sum(estimate(row.signature) + 6 + _tokens(row.children) for row in rows)


class _Briefing:
    """A briefing being filled: the head, which is always shown, the nodes, and the steps that raised them."""

    def __init__(
        self, record: ContentRecord, path: str, project_imports: Sequence[str], target: int, *, small: bool
    ) -> None:
        self.target = target
        self.roots, self.tops, self.private = build_nodes(record.symbols)
        tops, private = self.tops, self.private
        self.names = [node.name for node in self.tops]
        if record.inside and record.inside[0].kind == ROW:
            self.roots, self.tops, self.private = [], [], []
        self.loose, self.held = attach_records(record.inside, self.roots)
        self.tight = False
        self.steps: list[tuple[LayoutNode, int]] = []
        self.title = _title(record, path)
        self.doc = purpose(record, path, project_imports, tops, None if small else private)
        self.roots = sorted([*self.roots, *self.loose], key=in_order) if self.loose else self.roots
        for row in [*self.loose[:3], *self.held[:3]]:
            if not row.children and row.signature.strip("#…. ") in clean(record.doc or "", 240):
                for rows in (self.roots, self.loose, self.held, row.parent.children if row.parent else []):
                    if row in rows:
                        rows.remove(row)
        for node in self.loose:
            if node.kind not in FILLING:
                node.top, node.level = True, NAME
                self.tops.append(node)
        for node in self.tops:
            if node.doc and node.doc in self.doc:
                node.doc = node.brief = ""
        if estimate(self.doc) > target // 2:
            self.doc = shorten(self.doc, 100)
        imports = [clean(name, 200) for name in project_imports]
        shared = commonpath([f"/{name}" for name in imports])[1:] if len(imports) > 1 else ""
        imports = [name[len(shared) :].lstrip("/") for name in imports]
        shown = any(node.name == "main" for node in tops)
        points = [clean(point, 100) for point in record.entry_points if not (shown and _MAIN_ENTRY.search(point))]
        ranged = tuple(node.signature.replace("'", '"') for node in tops if node.kind == "step")
        points = [point for point in points if not point.startswith(("#!", *ranged))]
        self.extras = [
            line
            for line in (
                _listing(f"imports from {shared}/" if shared else "imports", imports, _MAX_IMPORTS, target // 6),
                _listing("runs", points, _MAX_ENTRY_POINTS, target // 4),
            )
            if line
        ]
        self.sample = [clean(line, 200) for line in (record.head or "").split("\n")] if record.head else []
        if not self.tops and not self.loose and self.doc[:60] in (record.head or ""):
            self.doc = ""  # the sample begins with it

        self.libraries = f"uses: {', '.join(used)}" if (used := libraries(record)) and not small else ""

    def text(self) -> str:
        lines = [f"{self.title}: {self.doc}" if self.doc else self.title, *self.extras]
        lines += body(self.roots)
        if not self.tops and not self.loose:
            lines += self.sample
        return "\n".join(lines)

    def fill(self) -> None:
        """Add detail until the target is reached. If the whole turns out larger than estimated, take some back."""
        used = estimate(self.text())
        if used > self.target and len(self.doc) > 100:
            self.doc = shorten(self.doc, 100)
            used = estimate(self.text())
        if used > self.target:
            self._drop()
            return
        for nodes, level in self._passes():
            before, used = used, self._promote(nodes, level, used)
            if used > before and self.target - used < max(_MEASURED_BELOW_TOKENS, self.target // 5):
                used = estimate(self.text())
        if self.libraries and used + estimate(self.libraries) + 1 <= self.target:
            self.extras.insert(0, self.libraries)
        while self.steps and estimate(self.text()) > self.target:
            for _ in range(max(1, len(self.steps) // 16)):
                node, level = self.steps.pop()
                node.level = level

    def _drop(self) -> None:
        """Drop parts until the text fits: the end of a sample, the extras and the doc, and the last names."""
        while self.sample and not self.tops and estimate(self.text()) > self.target:
            self.sample.pop()
        held = [node for node in self.tops if not (node.transparent and node.children)]
        short = shorten(self.doc, 60)
        for doc, extras, order in (
            (self.doc, self.extras, held),
            (self.doc, self.extras, self.tops),
            (short, [], self.tops),
            ("", [], self.tops),
        ):
            self.doc, self.extras = doc, extras
            low, high = 0, min(len(order), self.target // 2)  # a name takes at least two tokens
            while low < high:
                middle = (low + high + 1) // 2
                _show_first(order, middle)
                low, high = (middle, high) if estimate(self.text()) <= self.target else (low, middle - 1)
            _show_first(order, low)
            if low == len(order) or (not self.tight and (order is self.tops or estimate(self.text()) <= self.target)):
                return

    def _passes(self) -> Iterator[tuple[Iterable[LayoutNode], int]]:
        """Yield the next additions in order: nodes, and the level to which they rise."""
        own = [node for node in self.tops if node.promotable]
        own.sort(key=lambda node: node.rank if not node.children else ESSENTIAL)
        holders = [node for node in own if node.children]
        values = [node for node in self.tops if node.grouped]
        members = sorted(
            (child for node in self.tops for child in node.children if not child.top and child.kind != LINE),
            key=lambda node: node.rank,
        )
        public = [child for child in members if child.public]
        called = [child for child in public if child.rank <= ESSENTIAL]
        inner = sorted(_below(public), key=lambda node: node.rank)
        private = sorted(self.private, key=lambda node: node.end - node.start < _MIN_LARGE_LINES)
        within = [node for node in [*private, *members] if not node.public]
        within.sort(key=lambda node: (node.held, node.end - node.start < _MIN_LARGE_LINES))
        yield (node for node in self.tops if not node.grouped), PLACED
        yield (node for node in private if node.end - node.start >= _MIN_LARGE_LINES), PLACED
        yield holders, SIGNATURE
        yield (node for node in public if len(node.name) <= _NAME_CHARS and node.kind != "call"), NAME
        yield public, PLACED
        yield private[:_MAX_PRIVATE_NODES], PLACED
        yield values, PLACED
        yield own, SIGNATURE
        yield own, BRIEF_DOC
        yield [child for child in public if child.children], SIGNATURE
        yield [child for child in public if child.children], BRIEF_DOC
        yield _promotable(called), SIGNATURE
        yield _promotable(node for node in private if node.end - node.start >= _MIN_LARGE_LINES), SIGNATURE
        yield inner, PLACED
        yield within[:_MAX_PRIVATE_NODES], PLACED
        yield _promotable(node for node in inner if node.rank <= ESSENTIAL), SIGNATURE
        yield _promotable(public), SIGNATURE
        yield values, SIGNATURE
        yield called, BRIEF_DOC
        yield own, FULL_DOC
        yield [*members, *private], BRIEF_DOC
        yield called, FULL_DOC
        hidden = [node for node in private if node.grouped]
        yield hidden if len(hidden) <= _MAX_VALUES else [], SIGNATURE
        yield _promotable(within[:_MAX_PRIVATE_NODES]), SIGNATURE
        yield within[:_MAX_PRIVATE_NODES], BRIEF_DOC
        deep = list(_below(within))
        yield deep, PLACED
        yield _promotable(node for node in deep if not node.brief_value), SIGNATURE
        yield inner, PLACED
        yield _promotable(inner), SIGNATURE
        others = [node for node in (*self.loose, *self.held) if node.kind != LINE]
        yield sorted(others, key=lambda node: node.kind == INSIDE and node.start - node.end), SIGNATURE
        below = list(_below(others))
        for _ in range(_MAX_TEST_LEVELS):
            yield (node for node in below if node.kind == "test"), PLACED
            yield (node for node in below if node.kind in (ROW, "test")), SIGNATURE
        lines = [node for node in (*self.loose, *self.held) if node.kind == LINE]
        lines = sorted([*lines, *_below(lines)], key=lambda node: node.depth)
        yield (node for node in lines if node.public), SIGNATURE
        yield lines, SIGNATURE

    def _promote(self, nodes: Iterable[LayoutNode], level: int, used: int) -> int:
        """Raise nodes to a level while there is room. Return about how many tokens are used then, `used` included."""
        for node in nodes:
            if used >= self.target:
                break
            if not (node.level == level - 1 or node.level < level == PLACED) or not node.reachable:
                continue
            if level == BRIEF_DOC and not node.doc:
                continue
            if level == FULL_DOC and node.doc == node.brief:
                continue
            cost = _cost(node, level)
            if used + cost <= self.target:
                self.steps.append((node, node.level))
                node.level = level
                used += max(cost, 1)
        return used


def _show_first(nodes: Sequence[LayoutNode], count: int) -> None:
    for at, node in enumerate(nodes):
        node.level = NAME if at < count and node.kind != "more" else HIDDEN


def _below(nodes: Iterable[LayoutNode]) -> Iterator[LayoutNode]:
    for node in nodes:
        yield from (
            child for child in node.children if child.kind != INSIDE and (child.kind != LINE) == (node.kind != LINE)
        )
        yield from _below(node.children)


def _promotable(nodes: Iterable[LayoutNode]) -> Iterator[LayoutNode]:
    return (node for node in nodes if node.promotable)


def _cost(node: LayoutNode, level: int) -> int:
    if level == NAME:
        return estimate(f"{node.name}, ")
    if level == PLACED:
        name = f"{node.name}, " if node.level == HIDDEN else ""
        members = " (+9)" if node.children else ""
        return estimate(name) + 1 if node.held else estimate(f"{name} {node.lines}{members}")
    if level == SIGNATURE:
        members = " (+9 members)" if node.children else ""
        if node.kind in FILLING:
            return estimate(node.line()) + 1
        return estimate(f"  {node.signature}{members}") + 1 - estimate(node.name)
    return estimate(f" — {node.brief if level == BRIEF_DOC else node.doc}")


def _title(record: ContentRecord, path: str) -> str:
    lines = "1 line" if record.lines == 1 else f"{record.lines} lines"
    where = ", ".join(f"L{start}-{end}" for start, end in record.unparsed if end - start >= _MIN_UNPARSED_LINES)
    partial = f", {f'not parsed: {where}' if where else 'partial: parts could not be parsed'}" if record.partial else ""
    rowed = bool(record.inside) and record.inside[0].kind == ROW
    read = record.unparsed or any(row.kind == "test" for row in record.inside)
    partial = partial if not rowed and (where or not read) else ""
    return f"{clean(path, 300)} ({clean(record.language, 40)}, {lines}{partial})"


def _listing(label: str, names: Sequence[str], most: int, tokens: int) -> str:
    """Render `label: a, b … and 3 more` with as many names as fit (at least one); empty without names.

    If not all fit, whatever follows a colon in a name (a script's command) is dropped first.
    """
    names = [name for name in names if name]
    if not names:
        return ""
    if len(names) > most or estimate(", ".join(names)) > tokens:
        names = [name.partition(": ")[0] for name in names]
        most *= 3
    count = min(len(names), most)
    while True:
        left = len(names) - count
        text = f"{label}: {', '.join(names[:count])}" + (f" … and {left} more" if left else "")
        if count == 1 or estimate(text) <= tokens:
            return text
        count -= 1


def _cut(text: str, budget: int) -> str:
    low, high = 0, len(text)
    while estimate(text) > budget and low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle]) <= budget else (low, middle - 1)
    return text[:low] if estimate(text) > budget else text


def libraries(record: ContentRecord) -> list[str]:
    """Return the libraries that a file imports, in the file's order; none if there are many."""
    found: dict[str, None] = {}
    for imported in record.imports if record.language in _LIBRARY_LANGUAGES else ():
        match = _LIBRARY.match(imported)
        name = match[1] if match else ""
        name = name.partition(".")[0] if record.language == "python" else name
        if name and not (record.language == "python" and name in sys.stdlib_module_names):
            found[clean(name, 60)] = None
    return list(found) if len(found) <= _MAX_LIBRARIES else []
