"""Why an item is in a block: what `choosing.py` notes about it, put into words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.retrieval import reasons
from sidecar.memories.retrieval.matching import Match


class BlockReasons:
    """Collects why items may be shown, by id or path; used inside `with catalogue.current()`."""

    def __init__(self, catalogue: Catalogue, prompt: str) -> None:
        self._catalogue = catalogue
        self._prompt = prompt
        self.match = Match()
        """How the memories match the prompt."""
        self.likelihood: dict[str, float] = {}
        """The probability that a memory bears on the prompt."""
        self.matched = set[str]()
        """The memories whose match counts."""
        self.noted: defaultdict[str, list[str]] = defaultdict(list)
        self.replacing: defaultdict[str, list[str]] = defaultdict(list)
        """Which other memories a memory stands for."""

    def reasons_of(self, keys: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return why each item is shown, by id or path."""
        matched = self.matched.intersection(keys)
        shared = self._catalogue.words.matches(self._prompt, matched)
        words = reasons.QueryWords(self._prompt)
        by_words, how = dict[str, list[str]](), dict[str, list[str]]()
        for id in matched:
            by_words[id] = reasons.matching(words.having(shared.get(id, ())), id in self.match.meaning)
            neighbour = self.match.recorded_next_to.get(id)
            how[id] = [] if neighbour is None else [reasons.recorded_next_to(neighbour)]
            how[id].append(reasons.label(self.likelihood.get(id, 0.0)))
        parts = (by_words, self.noted, how, self.replacing)
        return {key: (*(why for part in parts for why in part.get(key, ())), *self._marks(key)) for key in keys}

    def _marks(self, key: str) -> Iterator[str]:
        row = self._catalogue.rows.get(key)
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
        yield from map(reasons.doubt, self._catalogue.superseding.doubts(key)[:1])
