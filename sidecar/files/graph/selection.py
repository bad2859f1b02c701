"""Choose the symbols that the map shows, and their lines, so that the whole text fits the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.files.graph.node import Node
from sidecar.text import fence
from sidecar.text.tokens import estimate

LINE_CHARS: Final = 120
MAX_ROUNDS: Final = 4
MAX_SKIPPED: Final = 60

Heads = Callable[[str], Sequence[str]]  # the head of each definition of a file, in scan order; "" to hide it


class MapCandidate(NamedTuple):
    """A symbol that the map may show: an index in its file's scan, or -1 for the file itself."""

    path: str
    place: int


class RenderedMap(NamedTuple):
    text: str
    tokens: int
    files: tuple[str, ...]


class _File:
    def __init__(self, node: Node, heads: Heads) -> None:
        self.numbers = node.lines
        self.owners = node.owners
        lines = heads(node.path) if node.names else ()
        self.heads = lines if len(lines) == len(node.lines) else [""] * len(node.lines)
        self.lines: dict[int, tuple[str, int]] = {}


class Lines:
    """The lines of symbols and what they cost, kept until the file changes."""

    def __init__(self) -> None:
        self._known: dict[str, _File] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def forget(self, path: str) -> None:
        self._known.pop(path, None)

    def load(self, node: Node, heads: Heads) -> None:
        if node.path not in self._known:
            self._known[node.path] = _File(node, heads)

    def with_owners(self, path: str, place: int) -> list[int] | None:
        """Return the indices of a definition and its owners; none if the definition has no head to show."""
        known = self._known[path]
        if place >= 0 and (place >= len(known.heads) or not known.heads[place]):
            return None
        return [symbol for symbol in _with_owners(known.owners, place) if known.heads[symbol]]

    def line_cost(self, path: str, place: int) -> tuple[str, int]:
        """Return a symbol's line and the most tokens that it adds. Index -1 means the file's own line."""
        known = self._known[path]
        line_cost = known.lines.get(place)
        if line_cost is None:
            line = fence.clean(_line(known, place), markup=False) if place >= 0 else _file_line(path)
            line_cost = known.lines[place] = line, estimate(line) + 1
        return line_cost


def draw(
    wanted: Iterable[MapCandidate],
    nodes: Mapping[str, Node],
    heads: Heads,
    order: Mapping[str, int],
    budget: int,
    lines: Lines,
) -> RenderedMap:
    """Draw as many of the wanted symbols, with their owners, as fit into `budget` tokens, most wanted first.

    A line costs slightly fewer tokens in the whole text than alone, so further rounds fill the room left. A symbol that
    does not fit is skipped; one without a head is left out. `order` is that of the files.
    """
    queue = list(wanted)
    selected: dict[str, set[int]] = {}
    text, tokens = "", 0
    for _ in range(MAX_ROUNDS):
        room, added = budget - tokens, 0
        skipped: list[MapCandidate] = []
        unseen = iter(queue)
        for candidate in unseen:
            cost: int | None = None
            if candidate.path in selected or file_cost(candidate.path) <= room:  # else its heads need not be read
                lines.load(nodes[candidate.path], heads)
                members = lines.with_owners(*candidate)
                if members is None:
                    continue
                cost = _fit(candidate.path, members, selected, lines, room)
            if cost is None:
                skipped.append(candidate)
                if len(skipped) > MAX_SKIPPED:
                    break
            else:
                room -= cost
                added += 1
        queue = [*skipped, *unseen]
        if not added:
            break
        text = _text(selected, order, lines)
        tokens = estimate(text)
    return RenderedMap(text, tokens, tuple(sorted(selected, key=lambda path: (order[path], path))))


def file_cost(path: str) -> int:
    """Return the most tokens that a file's own line adds."""
    return estimate(_file_line(path)) + 1


def _file_line(path: str) -> str:
    return fence.clean(f"{path}:\n", markup=False)


def _fit(path: str, members: list[int], selected: dict[str, set[int]], lines: Lines, room: int) -> int | None:
    """Select definitions of a file; return the tokens that this adds, None if they exceed `room`."""
    added = set(members).difference(selected.get(path, ()))
    cost = sum(lines.line_cost(path, member)[1] for member in added)
    if path not in selected:
        cost += lines.line_cost(path, -1)[1]
    if cost > room:
        return None
    selected.setdefault(path, set()).update(added)
    return cost


def _line(known: _File, place: int) -> str:
    """Render a symbol's line number and head, indented below its owners."""
    depth = len(_with_owners(known.owners, place)) - 1
    head = known.heads[place]
    head = head if len(head) <= LINE_CHARS else head[: LINE_CHARS - 1] + "…"
    return f"{'  ' * depth}{known.numbers[place]:>5} {head}\n"


def _text(selected: Mapping[str, set[int]], order: Mapping[str, int], lines: Lines) -> str:
    parts: list[str] = []
    for path in sorted(selected, key=lambda path: (order[path], path)):
        for index in (-1, *sorted(selected[path])):
            parts.append(lines.line_cost(path, index)[0])
    return "".join(parts)


def _with_owners(owners: Sequence[int], place: int) -> list[int]:
    chain: list[int] = []
    while place >= 0:
        chain.append(place)
        place = owners[place]
    return chain
