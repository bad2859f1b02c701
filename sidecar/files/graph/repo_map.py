"""The repository map of one checkout, kept up to date with its files."""

from __future__ import annotations

import heapq
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from sidecar.files.graph.links import Links
from sidecar.files.graph.page_rank import rank_from
from sidecar.files.graph.ranking import SHARE_BEFORE_USE, Ranked, places_of, rank
from sidecar.files.graph.selection import Heads, Lines, MapCandidate, RenderedMap, draw
from sidecar.files.graph.snapshot import columns, open_graph, pack_graph, unpack_graph
from sidecar.files.pointers import Key
from sidecar.files.scan.record import PUBLIC, Scan
from sidecar.text.tokens import estimate

IN_PLAY: Final = 0.6  # share of the rank that comes from the files and identifiers in play, if any
FURTHER_SYMBOL_FACTOR: Final = 0.93  # for each further symbol of a file, so that no file fills the map alone
NAMED_FACTOR: Final = 10.0  # factor for files and identifiers that the request names
MIN_MENTION: Final = 3  # letters of an identifier that counts as mentioned
MIN_NEAR: Final = 0.004  # share of the walk below which a file is not near
CANDIDATES_A_TOKEN: Final = 0.3  # symbols considered per token of the budget; a line takes about a dozen tokens
TOKENS_A_SYMBOL: Final = 16  # approximate number of tokens of a symbol's line, with a share of its owners' lines
MAX_RANKED_AT_ONCE: Final = 3_000  # files ranked while a request waits; if more, changed files get provisional ranks
MAX_RANKED_HERE: Final = 1_000  # up to this many files are ranked in this process, within a third of a second
MIN_CHANGED_TO_RANK: Final = 32
RANKING_INTERVAL_SECONDS: Final = 120.0  # time for which up to `MIN_CHANGED_TO_RANK` files keep provisional ranks
MAX_PROVISIONAL: Final = 300  # changed files that get provisional ranks: those in play, then the latest


class Plan(NamedTuple):
    """What a map would show: the symbols, most wanted first, the order of the files, and the budget."""

    wanted: list[MapCandidate]
    order: dict[str, int]
    budget: int


class RepoMap:
    """Files by path, ranked when a map is requested. Not thread-safe: guarded by the owner's lock.

    Unranked files take several times the memory of ranked ones. So with `parks`, the map takes at most
    `MAX_RANKED_AT_ONCE` further files until another process has ranked all.
    """

    def __init__(self, *, parks: bool = False) -> None:
        self._parks = parks
        self._parked: set[str] = set()  # files with a scan that the map does not hold
        self.links = Links()
        self._lines = Lines()
        self._places: dict[str, dict[int, list[int]]] = {}
        self._ranked: Ranked | None = None
        self._ranked_at = time.monotonic()
        self._changed: dict[str, None] = {}  # paths changed since `_ranked` was computed

    def __len__(self) -> int:
        return len(self.links.nodes)

    def put(self, path: str, scan: Scan) -> None:
        if self._parks and len(self._changed) >= MAX_RANKED_AT_ONCE and path not in self.links.nodes:
            self._parked.add(path)
            return
        self._parked.discard(path)
        self.links.put(path, scan)
        self._forget(path)

    def remove(self, path: str) -> None:
        self._parked.discard(path)
        self.links.remove(path)
        self._forget(path)

    def _forget(self, path: str) -> None:
        self._lines.forget(path)
        self._places.pop(path, None)
        self._changed[path] = None

    def packing(self, keys: Mapping[str, Key]) -> Callable[[], bytes] | None:
        """Return a function that packs the ranked state without a lock; None if changes are still unranked."""
        links, ranked = self.links, self._ranked
        if ranked is None or self._changed or keys.keys() != links.nodes.keys():
            return None
        contents = [keys[path] for path in ranked.paths]
        return lambda: pack_graph(columns(links.names, ranked, contents))

    def defined(self, path: str) -> tuple[Sequence[str], Sequence[int]]:
        """Return the names and lines of the definitions in a file, in the order of its scan."""
        node = self.links.nodes.get(path)
        return (node.names, node.lines) if node is not None else ((), ())

    def defining(self, name: str) -> list[str]:
        """Return the files that define a symbol, named with or without its owners."""
        return self.links.definers(_bare_name(name))

    def restore(self, data: bytes | memoryview, only: Mapping[str, Key] | None = None) -> dict[str, Key] | None:
        """Restore packed data, and return each file's content.

        Return None and change nothing if the data is unreadable, or holds contents other than `only`.
        """
        graph = unpack_graph(data)
        if graph is None:
            return None
        try:
            links, ranked = open_graph(graph)
            keys = dict(zip(ranked.paths, graph.contents, strict=True))
            if only is not None and keys != only:
                return None
            self.links, self._ranked = links, ranked
        except (ValueError, TypeError, KeyError):
            return None
        self._lines, self._places, self._parked, self._changed = Lines(), {}, set(), {}
        self._ranked_at = time.monotonic()
        return keys

    def is_due(self) -> bool:
        """Return whether all files should be ranked anew in the background."""
        if self._parked:
            return True
        if self._ranked is None or len(self._changed) >= MIN_CHANGED_TO_RANK:
            return True
        is_small = len(self.links.nodes) <= MAX_RANKED_HERE
        return bool(self._changed) and (is_small or time.monotonic() - self._ranked_at >= RANKING_INTERVAL_SECONDS)

    @property
    def is_large(self) -> bool:
        """Return whether another process should rank the files."""
        return self._parks and (bool(self._parked) or len(self.links.nodes) > MAX_RANKED_HERE)

    def unranked(self) -> list[str]:
        """Return the files that the next map leaves out, because ranking them would take too long."""
        return [*self._parked, *([] if self._ranks_at_once() else list(self._changed)[:-MAX_PROVISIONAL])]

    def rank(self) -> Ranked:
        self._ranked = rank(*self.links.all())
        self._changed, self._ranked_at = {}, time.monotonic()
        return self._ranked

    def plan(self, budget: int, files: Collection[str] = (), identifiers: Collection[str] = ()) -> Plan:
        """Choose what a map of `budget` tokens shows, as seen from `files` and `identifiers`.

        The map holds `files`. Unknown files and identifiers change nothing.
        """
        ranked = self.ranks()
        start = self._start(ranked, files, identifiers)
        around = rank_from(ranked.edges, start)
        share = IN_PLAY if around else 0.0

        def mass(number: int) -> tuple[float, int]:
            return share * -around.get(number, 0.0) - (1.0 - share) * ranked.rank[number], number

        most = int(budget * CANDIDATES_A_TOKEN) + 50
        named = {_bare_name(identifier) for identifier in identifiers}
        scores = [
            (score, ranked.paths[number], index)
            for score, number, index in self._symbols(ranked, around, share, named, most)
        ]
        if self._changed:
            scores += self._fitted(ranked, mass, frozenset(files), named, around)
            scores.sort(key=lambda row: (-row[0], row[1:]))
        seen: dict[str, int] = defaultdict(int)
        queue: list[tuple[float, str, int]] = []
        for score, path, index in scores:
            queue.append((-score * FURTHER_SYMBOL_FACTOR ** seen[path], path, index))
            seen[path] += 1
        # A file without symbols (a script, a configuration) is shown by its name alone.
        nodes = self.links.nodes
        count = len(scores) // 2
        for less, number in heapq.nsmallest(count, map(mass, {*ranked.order[: count + len(around)], *around})):
            path = ranked.paths[number]
            if path in nodes and not path.rpartition("/")[2].startswith("."):
                queue.append((SHARE_BEFORE_USE * less * nodes[path].weight, path, -1))
        queue.sort()
        shown = dict.fromkeys([*(path for _, path, _ in queue), *files])
        numbers = [ranked.numbers[path] for path in shown if path in ranked.numbers]
        place = {ranked.paths[number]: at for at, number in enumerate(sorted(numbers, key=mass))}
        for path in shown:
            place.setdefault(path, len(place))
        wanted = [MapCandidate(path, index) for _, path, index in queue]
        best = {spot.path: spot for spot in reversed(wanted)}
        first = [best.get(path, MapCandidate(path, -1)) for path in files if path in nodes]
        return Plan(list(dict.fromkeys([*first, *wanted])), place, budget)

    def _fitted(
        self,
        ranked: Ranked,
        mass: Callable[[int], tuple[float, int]],
        files: Collection[str],
        named: Collection[str],
        around: Iterable[int],
    ) -> Iterator[tuple[float, str, int]]:
        """Yield (score, path, definition) for changed files, by their last or an estimated score."""
        nodes = self.links.nodes
        first = [path for path in self._changed if path in files]
        first += [path for name in named for path in self.links.definers(name) if path in self._changed]
        usual = 1.0 / (len(ranked.paths) or 1)
        top = -min(map(mass, {*ranked.order[:1], *around}), default=(-usual, 0))[0]
        for path in islice(dict.fromkeys([*first, *reversed(self._changed)]), MAX_PROVISIONAL):
            node = nodes.get(path)
            if node is None:
                continue
            number = ranked.numbers.get(path)
            known: dict[int, float] = {}
            if number is not None:
                known = dict(zip(ranked.nodes[number].defined, ranked.symbols[number], strict=True))
            rank = max(usual if number is None else -mass(number)[0], top if path in files else 0.0)
            for index, (name, flag) in enumerate(zip(node.defined, node.flags, strict=True)):
                base = SHARE_BEFORE_USE * rank * node.weight * bool(flag & PUBLIC)
                score = max(known.get(name, 0.0), base, NAMED_FACTOR * top * (node.names[index] in named))
                if score:
                    yield score, path, index

    def unknown(self, plan: Plan) -> list[str]:
        """Return the files that the plan is likely to show but whose heads are not known yet."""
        nodes, shown, room = self.links.nodes, set[str](), plan.budget
        for path, _ in plan.wanted:
            if path in nodes:
                room -= TOKENS_A_SYMBOL if path in shown else TOKENS_A_SYMBOL + estimate(path)
                shown.add(path)
            if room < 0:
                break
        return sorted(path for path in shown if nodes[path].names and path not in self._lines)

    def draw(self, plan: Plan, heads: Heads) -> RenderedMap:
        """Draw the map of a plan. `heads` is called for each file whose heads are not known yet."""
        nodes = self.links.nodes
        wanted = [spot for spot in plan.wanted if spot.path in nodes]
        return draw(wanted, nodes, heads, plan.order, plan.budget, self._lines)

    def forget_lines(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._lines.forget(path)

    def _start(self, ranked: Ranked, files: Collection[str], identifiers: Collection[str]) -> dict[int, float]:
        start: dict[int, float] = defaultdict(float)
        for path in files:
            if path in ranked.numbers:
                start[ranked.numbers[path]] += 1.0
        for identifier in identifiers:
            definers = self.links.definers(_bare_name(identifier))
            for path in definers:
                if path in ranked.numbers:
                    start[ranked.numbers[path]] += 1.0 / len(definers)
        words = {identifier.lower() for identifier in identifiers if len(identifier) >= MIN_MENTION}
        if words:
            any_word = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
            for path in filter(any_word.search, ranked.paths):
                number, name = ranked.numbers[path], path.rsplit("/", 1)[-1].lower()
                if name in words or name.split(".", 1)[0] in words:
                    start[number] += 1.0
        return dict(start)

    def _symbols(
        self, ranked: Ranked, around: Mapping[int, float], share: float, named: Collection[str], most: int
    ) -> list[tuple[float, int, int]]:
        """Return (score, file, definition) of the symbols most worth showing, best first."""
        paths, changed = ranked.paths, self._changed
        everywhere = list(ranked.best[:most])
        if changed:
            everywhere = [entry for entry in everywhere if paths[entry[1]] not in changed]
        if not around:
            return everywhere
        scores = {(number, index): (1.0 - share) * score for score, number, index in everywhere}

        def add(number: int, name: int, amount: float) -> None:
            if paths[number] in changed:
                return
            for index in self._places_of(paths[number]).get(name, ()):
                before = scores.get((number, index))
                if before is None:
                    before = (1.0 - share) * ranked.symbols[number][index]
                scores[number, index] = before + amount

        for number, mass in around.items():
            if mass < MIN_NEAR:
                continue
            for target, name, part in ranked.uses(number):
                add(target, name, share * mass * part)
            for score, name in zip(ranked.symbols[number], ranked.nodes[number].defined, strict=True):
                if score:
                    add(number, name, share * mass * SHARE_BEFORE_USE)
        for identifier in named:
            known_number = self.links.names.number(identifier)
            for path in self.links.definers(identifier):
                at = ranked.numbers.get(path)
                if at is not None and known_number is not None:
                    add(at, known_number, NAMED_FACTOR * share * around.get(at, 0.0))
        best = sorted((-score, number, index) for (number, index), score in scores.items())
        return [(-score, number, index) for score, number, index in best[:most]]

    def _places_of(self, path: str) -> dict[int, list[int]]:
        places = self._places.get(path)
        if places is None:
            places = self._places[path] = places_of(self.links.nodes[path])
        return places

    def ranks(self) -> Ranked:
        """Return the last ranks; rank again first if few files need it."""
        if self._ranked is None or (self._changed and self._ranks_at_once()):
            return self.rank()
        return self._ranked

    def _ranks_at_once(self) -> bool:
        return self._ranked is None or max(len(self.links.nodes), len(self._ranked.paths)) <= MAX_RANKED_AT_ONCE


def _bare_name(identifier: str) -> str:
    """Return the bare name in `package.Class.method`, `Class::method` or `function()`."""
    return identifier.removesuffix("()").replace("::", ".").replace("#", ".").rsplit(".", 1)[-1]
