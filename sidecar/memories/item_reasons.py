"""Gather why the items of a block are shown, and say it in words for those that are."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sidecar.memories import reasons
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.matching import Match


class ItemReasons:
    """Reasons by the item's id or path: those `noted`, and what the match with the prompt and a memory's row tell."""

    def __init__(self, catalogue: Catalogue, prompt: str) -> None:
        self._catalogue = catalogue
        self._prompt = prompt
        self.noted: dict[str, list[str]] = {}
        self.replacing: dict[str, list[str]] = {}  # which other memories a memory replaces
        self.matched = set[str]()  # memories whose match with the prompt counts
        self.match = Match()
        self.likelihood: dict[str, float] = {}

    def reasons_of(self, keys: Collection[str]) -> dict[str, tuple[str, ...]]:
        matched = self.matched.intersection(keys)
        shared = self._catalogue.index.matches(self._prompt, matched)
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
