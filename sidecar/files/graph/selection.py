"""Which symbols the map shows, and their lines, so that the whole text stays inside the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.files.graph.definitions import Definition, definitions, matched
from sidecar.files.graph.links import Node
from sidecar.store.records import SymbolRecord
from sidecar.text.tokens import estimate

LINE_CHARS: Final = 120
ROUNDS: Final = 4
MOST_SKIPPED: Final = 60

Outlines = Callable[[str], Sequence[SymbolRecord]]
"""The symbols of the file at a path; none when it cannot be read."""


class Wanted(NamedTuple):
    """A symbol that the map could show: its file and its place in the file's scan; -1 for the file alone."""

    path: str
    place: int


class Drawn(NamedTuple):
    """The map: its text, its size in tokens as estimated, and the files in it, in their order."""

    text: str
    tokens: int
    files: tuple[str, ...]


class _File:
    """What is known of one file for showing it."""

    def __init__(self, node: Node, outlines: Outlines) -> None:
        self.defined: list[Definition] = []
        self.places: list[int] = []
        self.lines: dict[int, tuple[str, int]] = {}
        if node.names:
            self.defined = definitions(outlines(node.path))
            self.places = matched(node.names, node.lines, self.defined)


class Lines:
    """The lines of symbols and what each costs, kept until the file changes."""

    def __init__(self) -> None:
        self._known: dict[str, _File] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def forget(self, path: str) -> None:
        """The file at `path` has changed."""
        self._known.pop(path, None)

    def learn(self, node: Node, outlines: Outlines) -> None:
        """Look at the outline of a file, unless it is known."""
        if node.path not in self._known:
            self._known[node.path] = _File(node, outlines)

    def with_parents(self, path: str, place: int) -> list[int] | None:
        """A definition of the scan and what it is a member of, as indexes of the outline; None when it has none."""
        known = self._known[path]
        if place >= len(known.places):
            return None
        index = known.places[place] if place >= 0 else -1
        if place >= 0 and index < 0:
            return None
        return _with_parents(known.defined, index)

    def of(self, path: str, index: int) -> tuple[str, int]:
        """The line of a symbol, and at most how many tokens it adds to a text; index -1: the file's own line."""
        known = self._known[path]
        found = known.lines.get(index)
        if found is None:
            line = _line(known.defined, index) if index >= 0 else f"{path}:\n"
            found = known.lines[index] = line, estimate(line) + 1
        return found


def draw(
    wanted: Iterable[Wanted],
    nodes: Mapping[str, Node],
    outlines: Outlines,
    order: Mapping[str, int],
    budget: int,
    lines: Lines,
) -> Drawn:
    """As much of what is wanted, the most wanted first, as fits into `budget` tokens. `order` is that of the files.

    A symbol brings along the lines of what it is a member of. Lines are counted one by one, which gives a little
    more than the whole text has (see `estimate`), so the room that this leaves is filled in further rounds. What
    does not fit is skipped: it is not the end. What the outline of its file does not know is left out.
    """
    queue = list(wanted)
    picked: dict[str, set[int]] = {}
    text, tokens = "", 0
    for _ in range(ROUNDS):
        room, skipped, added = budget - tokens, 0, 0
        rest: list[Wanted] = []
        todo = iter(queue)
        for one in todo:
            path, place = one
            lines.learn(nodes[path], outlines)
            members = lines.with_parents(path, place)
            if members is None:
                continue
            shown = picked.get(path, ())
            fresh = [each for each in members if each not in shown]
            cost = sum(lines.of(path, each)[1] for each in fresh)
            if path not in picked:
                cost += lines.of(path, -1)[1]
            if cost > room:
                rest.append(one)
                skipped += 1
                if skipped > MOST_SKIPPED:
                    break
                continue
            room -= cost
            added += 1
            picked.setdefault(path, set()).update(fresh)
        queue = [*rest, *todo]
        if not added:
            break
        text = _text(picked, order, lines)
        tokens = estimate(text)
    return Drawn(text, tokens, tuple(sorted(picked, key=lambda path: (order[path], path))))


def _line(defined: Sequence[Definition], index: int) -> str:
    """Where a symbol begins and its signature, indented below what it is a member of."""
    one, depth = defined[index], len(_with_parents(defined, index)) - 1
    signature = one.signature if len(one.signature) <= LINE_CHARS else one.signature[: LINE_CHARS - 1] + "…"
    return f"{'  ' * depth}{one.line:>5} {signature}\n"


def _text(picked: Mapping[str, set[int]], order: Mapping[str, int], lines: Lines) -> str:
    parts: list[str] = []
    for path in sorted(picked, key=lambda path: (order[path], path)):
        for index in (-1, *sorted(picked[path])):
            parts.append(lines.of(path, index)[0])
    return "".join(parts)


def _with_parents(defined: Sequence[Definition], index: int) -> list[int]:
    found: list[int] = []
    while index >= 0:
        found.append(index)
        index = defined[index].parent
    return found
