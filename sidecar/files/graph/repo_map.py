"""The repository map of one checkout, kept up with its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.files.graph.links import Links
from sidecar.files.graph.page_rank import rank_from
from sidecar.files.graph.ranking import OWN, Ranked, rank
from sidecar.files.graph.selection import Drawn, Heads, Lines, Wanted, draw
from sidecar.files.graph.snapshot import Held, packed, renewed, unpacked
from sidecar.files.scan.record import Scan

IN_PLAY: Final = 0.6
"""Share of the rank that comes from the files and identifiers in play, where there are any."""

CROWDING: Final = 0.93
"""What each further symbol of a file counts beside the one before it, so that no file fills the map alone."""

NAMED: Final = 10.0
LEAST_MENTION: Final = 3
LEAST_NEAR: Final = 0.004
CANDIDATES_A_TOKEN: Final = 0.3
"""Symbols considered for each token of the budget; a line takes about a dozen."""

SHOWN_A_TOKEN: Final = 0.07
"""Symbols shown for each token of the budget, about."""

FEWEST_NAMES: Final = 20_000
"""Names that may be there without a look whether files still have them."""


class Plan(NamedTuple):
    """What a map would show: symbols, the most wanted first, the order of the files, and the budget."""

    wanted: list[Wanted]
    order: dict[str, int]
    budget: int


class RepoMap:
    """Files by path, ranked when a map is asked for. Not safe between threads: the owner holds a lock."""

    def __init__(self) -> None:
        self._links = Links()
        self._lines = Lines()
        self._names: dict[str, dict[str, list[int]]] = {}
        self._ranked: Ranked | None = None
        self._most_names = FEWEST_NAMES

    def __len__(self) -> int:
        return len(self._links.nodes)

    def __contains__(self, path: object) -> bool:
        return path in self._links.nodes

    def put(self, path: str, scan: Scan) -> None:
        """What stands at a path now."""
        self._links.put(path, scan)
        self._forget(path)

    def remove(self, path: str) -> None:
        """Forget a path."""
        self._links.remove(path)
        self._forget(path)

    def _forget(self, path: str) -> None:
        self._lines.forget(path)
        self._names.pop(path, None)
        self._ranked = None

    def packed(self, held: Held) -> bytes | None:
        """All of it as bytes; `held` tells the content of each file. None while it is not ranked."""
        if self._ranked is None or held.keys() != self._links.nodes.keys():
            return None
        return packed(self._links, self._ranked, held)

    def defined(self, path: str) -> tuple[Sequence[str], Sequence[int]]:
        """Names and lines of what the file at a path defines, in the order of its scan."""
        node = self._links.nodes.get(path)
        return (node.names, node.lines) if node is not None else ((), ())

    def restore(self, data: bytes) -> Held | None:
        """Become what was packed; the content of each file. None, and no change, when it cannot be read."""
        found = unpacked(data)
        if found is None:
            return None
        self._links, self._ranked, held = found
        self._lines, self._names = Lines(), {}
        return held

    def settle(self, most: int, give_way: Callable[[], None]) -> bool:
        """Make the links of at most so many files, then the ranks, ahead of the next map; whether all is done.

        `give_way` is called about each millisecond.
        """
        if not self._links.make(most, give_way):
            return False
        self._current(give_way)
        return True

    def plan(
        self,
        budget: int,
        files: Collection[str] = (),
        identifiers: Collection[str] = (),
        near: Mapping[str, float] | None = None,
    ) -> Plan:
        """What a map of `budget` tokens would show, seen from `files` and `identifiers`; `near` adds weighted files.

        Without them it is seen from everywhere. Files and identifiers that are unknown change nothing.
        """
        ranked = self._current()
        start = self._start(ranked, files, identifiers, near or {})
        around = rank_from(ranked.edges, start)
        share = IN_PLAY if around else 0.0
        total = [(1.0 - share) * mass for mass in ranked.rank]
        for number, mass in around.items():
            total[number] += share * mass
        order = sorted(range(len(total)), key=lambda number: (-total[number], number))
        place = {ranked.paths[number]: at for at, number in enumerate(order)}
        most = int(budget * CANDIDATES_A_TOKEN) + 50
        scores = self._symbols(ranked, around, share, identifiers, most)
        seen: dict[int, int] = defaultdict(int)
        queue: list[tuple[float, int, int]] = []
        for score, number, index in scores:
            queue.append((-score * CROWDING ** seen[number], number, index))
            seen[number] += 1
        # A file without symbols (a script, a configuration) is told by its name alone.
        nodes = self._links.nodes
        for number in order[: len(scores) // 2]:
            path = ranked.paths[number]
            if not path.rpartition("/")[2].startswith("."):
                queue.append((-OWN * total[number] * nodes[path].weight, number, -1))
        queue.sort()
        wanted = [Wanted(ranked.paths[number], index) for _, number, index in queue]
        return Plan(wanted, place, budget)

    def unknown(self, plan: Plan) -> list[str]:
        """Files that the plan is likely to show and that were not looked at yet."""
        first = plan.wanted[: int(plan.budget * SHOWN_A_TOKEN) + 1]
        nodes = self._links.nodes
        return sorted(
            {
                one.path
                for one in first
                if one.place >= 0 and one.path in nodes and one.path not in self._lines
            }
        )

    def draw(self, plan: Plan, heads: Heads) -> Drawn:
        """The map of a plan; `heads` is asked for files not looked at yet."""
        nodes = self._links.nodes
        wanted = [one for one in plan.wanted if one.path in nodes]
        return draw(wanted, nodes, heads, plan.order, plan.budget, self._lines)

    def look_again(self, paths: Iterable[str]) -> None:
        """Keep nothing of the lines of these files: their heads could not be told."""
        for path in paths:
            self._lines.forget(path)

    def neighbours(self, path: str) -> list[tuple[str, float]]:
        """Files that a file refers to, with the share of its links, most first."""
        ranked = self._current()
        number = ranked.numbers.get(path)
        if number is None:
            return []
        return [(ranked.paths[target], share) for target, share in zip(*ranked.edges[number], strict=True)]

    def rank(self, path: str) -> float:
        """The rank of a file as seen from everywhere; all add up to 1."""
        ranked = self._current()
        number = ranked.numbers.get(path)
        return ranked.rank[number] if number is not None else 0.0

    def _start(
        self, ranked: Ranked, files: Collection[str], identifiers: Collection[str], near: Mapping[str, float]
    ) -> dict[int, float]:
        start: dict[int, float] = defaultdict(float)
        for path in files:
            if path in ranked.numbers:
                start[ranked.numbers[path]] += 1.0
        for path, weight in near.items():
            if path in ranked.numbers:
                start[ranked.numbers[path]] += weight
        for identifier in identifiers:
            definers = self._links.definers(_last(identifier))
            for path in definers:
                start[ranked.numbers[path]] += 1.0 / len(definers)
        words = {identifier.lower() for identifier in identifiers if len(identifier) >= LEAST_MENTION}
        if words:
            for path, number in ranked.numbers.items():
                name = path.rsplit("/", 1)[-1].lower()
                if name in words or name.split(".", 1)[0] in words:
                    start[number] += 1.0
        return dict(start)

    def _symbols(
        self,
        ranked: Ranked,
        around: Mapping[int, float],
        share: float,
        identifiers: Collection[str],
        most: int,
    ) -> list[tuple[float, int, int]]:
        """(score, file, definition) of the symbols most worth showing, best first."""
        everywhere = ranked.best[:most]
        if not around:
            return everywhere
        scores = {(number, index): (1.0 - share) * score for score, number, index in everywhere}

        def add(number: int, name: str, amount: float) -> None:
            for index in self._by_name(ranked.paths[number]).get(name, ()):
                before = scores.get((number, index))
                if before is None:
                    before = (1.0 - share) * ranked.symbols[number].get(index, 0.0)
                scores[number, index] = before + amount

        for number, mass in around.items():
            if mass < LEAST_NEAR:
                continue
            for target, name, part in ranked.uses(number):
                add(target, name, share * mass * part)
            for index in ranked.symbols[number]:
                add(number, self._links.nodes[ranked.paths[number]].names[index], share * mass * OWN)
        for identifier in identifiers:
            name = _last(identifier)
            for path in self._links.definers(name):
                number = ranked.numbers[path]
                add(number, name, NAMED * share * around.get(number, 0.0))
        best = sorted((-score, number, index) for (number, index), score in scores.items())
        return [(-score, number, index) for score, number, index in best[:most]]

    def _by_name(self, path: str) -> dict[str, list[int]]:
        found = self._names.get(path)
        if found is None:
            found = self._names[path] = defaultdict(list)
            for index, name in enumerate(self._links.nodes[path].names):
                found[name].append(index)
        return found

    def _current(self, give_way: Callable[[], None] = lambda: None) -> Ranked:
        if self._ranked is None:
            self._ranked = rank(self._links, self._by_name, give_way)
            if len(self._links.names) > self._most_names:
                self._links, self._ranked = renewed(self._links, self._ranked)
                self._most_names = max(self._most_names, 2 * len(self._links.names))
        return self._ranked


def _last(identifier: str) -> str:
    """The name itself, of `package.Class.method`, `Class::method` or `function()`."""
    return identifier.removesuffix("()").replace("::", ".").replace("#", ".").rsplit(".", 1)[-1]
