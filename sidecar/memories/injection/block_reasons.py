"""Why an item is in a block: what `choosing.py` found out about it, put into words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.results import OmittedReason
from sidecar.memories.retrieval import reasons
from sidecar.memories.retrieval.matching import Match


class BlockReasons:
    """Collects why items may be shown, by id or path; the caller holds the index."""

    def __init__(self, index: MemoryIndex, prompt: str) -> None:
        self._index = index
        self._prompt = prompt
        self._match = Match()
        self._matched = set[str]()  # the memories whose match counts
        self.likelihood: Mapping[str, float] = {}
        """The probability that a memory bears on the prompt."""
        self._added: defaultdict[str, list[str]] = defaultdict(list)
        self._replacing: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, key: str, *whys: str) -> None:
        self._added[key].extend(whys)

    def set_match(self, match: Match, likelihood: Mapping[str, float], matched: Collection[str]) -> None:
        """Set how memories match the prompt, how likely they bear on it, and which matches count."""
        self._match, self.likelihood, self._matched = match, likelihood, {*matched}

    def add_replaced(self, newer: str, id: str, ground: OmittedReason) -> None:
        """Add that a memory is shown in the place of another."""
        self._replacing[newer].append(reasons.stands_for(id, ground))

    def reasons_of(self, keys: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return why each item is shown, by id or path."""
        matched = self._matched.intersection(keys)
        shared = self._index.words.matches(self._prompt, matched)
        words = reasons.QueryWords(self._prompt)
        by_words, how = dict[str, list[str]](), dict[str, list[str]]()
        for id in matched:
            by_words[id] = reasons.matching(words.having(shared.get(id, ())), id in self._match.meaning)
            neighbour = self._match.recorded_next_to.get(id)
            how[id] = [] if neighbour is None else [reasons.recorded_next_to(neighbour)]
            how[id].append(reasons.label(self.likelihood.get(id, 0.0)))
        parts = (by_words, self._added, how, self._replacing)
        return {key: (*(why for part in parts for why in part.get(key, ())), *self._marks(key)) for key in keys}

    def _marks(self, key: str) -> Iterator[str]:
        row = self._index.rows.get(key)
        if row is None:
            return
        marks = {
            "directive": row.category == "directive",
            "open blocker": row.category == "blocker",
            f"for agent {row.agent}": row.agent is not None,
            "preference": row.type == "user",
            "pinned": row.pinned,
            "suspect": row.status == "suspect",
            "only the repository's file says so": row.foreign,
        }
        yield from (mark for mark, holds in marks.items() if holds)
        yield from map(reasons.doubt, self._index.superseding.doubts(key)[:1])
