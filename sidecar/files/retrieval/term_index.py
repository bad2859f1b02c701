"""BM25 over documents given as weighted term frequencies, in little memory.

Formula as in `sidecar.store.lexical` (Robertson and Zaragoza 2009): idf log(1 + (N - n + 0.5) / (n + 0.5)). This index
is for many long documents with counted terms, at 10 bytes per pair of term and document; frequencies are whole numbers
of halves, and sums follow the alphabetical order of terms, so scores do not depend on the order of indexing.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

_UNIT: Final = 2
_MOST: Final = 65_535
_SPARE: Final = 1_000

MAX_TERMS: Final = 96
"""Terms of a query that are looked up, those with the largest weights first; a page of a log has more."""


class Posting(NamedTuple):
    """The documents that contain a term, ascending, and how often, in halves."""

    documents: array[int]
    frequencies: array[int]


class Norm(NamedTuple):
    """The values that normalise term scores: k1 and b, the number of documents, and their total length."""

    k1: float
    b: float
    size: int
    total: int


def idf(size: int, count: int) -> float:
    """Return the inverse document frequency of a term that `count` of `size` documents contain."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def weighed(query: Mapping[str, float], counted: Callable[[str], int], norm: Norm) -> dict[str, float]:
    """Return the most that each term of a query can add, without terms that no document contains."""
    weights = {
        name: weight * idf(norm.size, count) * (norm.k1 + 1)
        for name, weight in query.items()
        if (count := counted(name))
    }
    if len(weights) > MAX_TERMS:
        return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_TERMS])
    return weights


def scored(
    weights: Mapping[str, float], posting: Callable[[str], Posting | None], lengths: array[int], norm: Norm
) -> dict[int, float]:
    """Return the scores of the documents of one part of an index, by document number."""
    fixed = norm.k1 * (1 - norm.b) * _UNIT
    by_length = norm.k1 * norm.b * _UNIT * norm.size / norm.total
    norms = [fixed + by_length * length for length in lengths]
    found: dict[int, float] = {}
    get = found.get
    for name in sorted(weights):
        held, weight = posting(name), weights[name]
        for number, frequency in zip(*held, strict=True) if held is not None else ():
            found[number] = get(number, 0.0) + weight * frequency / (frequency + norms[number])
    return found


def holds(posting: Posting | None, number: int) -> bool:
    if posting is None:
        return False
    at = bisect_left(posting.documents, number)
    return at < len(posting.documents) and posting.documents[at] == number


class TermIndex:
    """Documents by id. Not thread-safe: the owner holds a lock."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.4) -> None:
        self._k1 = k1
        self._b = b
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str | None] = []  # by document number; None: removed
        self._numbers: dict[str, int] = {}
        self.lengths = array("I")
        self._terms: dict[str, int] = {}
        self._names: list[str] = []
        self._documents: list[array[int]] = []  # by term
        self._frequencies: list[array[int]] = []
        self._held: list[array[int]] = []  # terms of each document
        self.total = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, id: object) -> bool:
        return id in self._numbers

    def put(self, id: str, frequencies: Mapping[str, float]) -> None:
        self.remove(id)
        number = len(self._ids)
        held: list[int] = []
        length = 0
        terms, documents, counts = self._terms, self._documents, self._frequencies
        for name, frequency in frequencies.items():
            units = int(frequency * _UNIT)
            term = terms.get(name)
            if term is None:
                term = terms[name] = len(documents)
                self._names.append(name)
                documents.append(array("I"))
                counts.append(array("H"))
            documents[term].append(number)
            counts[term].append(units if units < _MOST else _MOST)
            held.append(term)
            length += units
        self._ids.append(id)
        self._numbers[id] = number
        self.lengths.append(length)
        self._held.append(array("I", held))
        self.total += length

    def remove(self, id: str) -> None:
        number = self._numbers.pop(id, None)
        if number is None:
            return
        for term in self._held[number]:
            documents = self._documents[term]
            at = bisect_left(documents, number)
            del documents[at], self._frequencies[term][at]
        self.total -= self.lengths[number]
        self._ids[number] = None
        self.lengths[number] = 0
        self._held[number] = array("I")
        if len(self._ids) > 2 * len(self._numbers) + _SPARE:
            self._renumber()

    def posting(self, name: str) -> Posting | None:
        term = self._terms.get(name)
        return None if term is None else Posting(self._documents[term], self._frequencies[term])

    def documents(self) -> tuple[Mapping[int, int], list[tuple[str, int]]]:
        """Renumber the documents without gaps; return the new numbers, and each document's id and length."""
        kept = [(number, id) for number, id in enumerate(self._ids) if id is not None]
        places = {number: at for at, (number, _) in enumerate(kept)}
        return places, [(id, self.lengths[number]) for number, id in kept]

    def postings(self, numbers: Mapping[int, int]) -> Iterator[tuple[str, Posting]]:
        """Yield the postings of all terms, in alphabetical order, with these document numbers."""
        for name in sorted(self._terms):
            found = self.posting(name)
            if found is not None and found.documents:
                yield name, Posting(array("I", map(numbers.__getitem__, found.documents)), found.frequencies)

    def scored(self, weights: Mapping[str, float], norm: Norm) -> dict[str, float]:
        """Return the scores of the documents, as one part of a larger index."""
        found = scored(weights, self.posting, self.lengths, norm)
        return {id: score for number, score in found.items() if (id := self._ids[number]) is not None}

    def scores(self, query: Mapping[str, float]) -> dict[str, float]:
        size = len(self._numbers)
        if not size or not self.total:
            return {}
        norm = Norm(self._k1, self._b, size, self.total)
        return self.scored(weighed(query, self.count, norm), norm)

    def held(self, id: str, names: Iterable[str]) -> list[str]:
        number = self._numbers.get(id)
        return [] if number is None else [name for name in names if holds(self.posting(name), number)]

    def count(self, name: str) -> int:
        term = self._terms.get(name)
        return len(self._documents[term]) if term is not None else 0

    def _renumber(self) -> None:
        kept = [number for number, id in enumerate(self._ids) if id is not None]
        documents = {
            str(self._ids[number]): {
                self._names[term]: self._frequencies[term][bisect_left(self._documents[term], number)] / _UNIT
                for term in self._held[number]
            }
            for number in kept
        }
        self._clear()
        for id, frequencies in documents.items():
            self.put(id, frequencies)
