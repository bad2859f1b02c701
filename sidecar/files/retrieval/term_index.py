"""BM25 over documents that are given as weighted term frequencies, in little memory.

Formula as in `sidecar.store.lexical` (Robertson and Zaragoza 2009): idf log(1 + (N - n + 0.5) / (n + 0.5)). This one is
for many long documents whose terms somebody has counted already: 10 bytes for each pair of term and document.
Frequencies are kept in halves as whole numbers and sums are taken in the order of the terms' text, so scores depend
on what is indexed and not on the order in which it came.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Final

_UNIT: Final = 2
_MOST: Final = 65_535
_SPARE: Final = 1_000

MAX_TERMS: Final = 96
"""Terms of a query that are looked at, those with the most to say first; a page of a log has more."""


class TermIndex:
    """Documents by id. Not safe between threads: the owner holds a lock."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.4) -> None:
        self._k1 = k1
        self._b = b
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str | None] = []  # by document number; None: removed
        self._numbers: dict[str, int] = {}
        self._lengths = array("I")
        self._terms: dict[str, int] = {}
        self._names: list[str] = []
        self._documents: list[array[int]] = []  # of each term
        self._frequencies: list[array[int]] = []
        self._held: list[array[int]] = []  # terms of each document
        self._total = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, id: object) -> bool:
        return id in self._numbers

    def put(self, id: str, frequencies: Mapping[str, float]) -> None:
        """Index a document, in place of an earlier one of that id."""
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
        self._lengths.append(length)
        self._held.append(array("I", held))
        self._total += length

    def remove(self, id: str) -> None:
        """Take a document out, if there is one of that id."""
        number = self._numbers.pop(id, None)
        if number is None:
            return
        for term in self._held[number]:
            documents = self._documents[term]
            at = bisect_left(documents, number)
            del documents[at], self._frequencies[term][at]
        self._total -= self._lengths[number]
        self._ids[number] = None
        self._lengths[number] = 0
        self._held[number] = array("I")
        if len(self._ids) > 2 * len(self._numbers) + _SPARE:
            self._renumber()

    def scores(self, query: Mapping[str, float]) -> dict[str, float]:
        """The score of every document that holds a term of the query, whose weights are given."""
        size = len(self._numbers)
        if not size or not self._total:
            return {}
        weights: dict[str, float] = {}
        for name, weight in query.items():
            term = self._terms.get(name)
            if term is not None and (count := len(self._documents[term])):
                weights[name] = weight * math.log(1 + (size - count + 0.5) / (count + 0.5)) * (self._k1 + 1)
        if len(weights) > MAX_TERMS:
            weights = dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_TERMS])
        fixed = self._k1 * (1 - self._b) * _UNIT
        by_length = self._k1 * self._b * _UNIT * size / self._total
        norms = [fixed + by_length * length for length in self._lengths]
        found: dict[int, float] = {}
        get = found.get
        for name in sorted(weights):
            term, weight = self._terms[name], weights[name]
            for number, frequency in zip(self._documents[term], self._frequencies[term], strict=True):
                found[number] = get(number, 0.0) + weight * frequency / (frequency + norms[number])
        return {id: score for number, score in found.items() if (id := self._ids[number]) is not None}

    def held(self, id: str, names: Iterable[str]) -> list[str]:
        """Those of the terms that a document holds."""
        number = self._numbers.get(id)
        if number is None:
            return []
        found: list[str] = []
        for name in names:
            term = self._terms.get(name)
            if term is not None:
                documents = self._documents[term]
                at = bisect_left(documents, number)
                if at < len(documents) and documents[at] == number:
                    found.append(name)
        return found

    def idf(self, name: str) -> float:
        """How much a term tells; the most for one that no document holds."""
        term = self._terms.get(name)
        count = len(self._documents[term]) if term is not None else 0
        return math.log(1 + (len(self._numbers) - count + 0.5) / (count + 0.5))

    def _renumber(self) -> None:
        """Close the gaps that removed documents left."""
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
