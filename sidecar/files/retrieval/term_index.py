"""BM25 over documents, given as weighted term frequencies, in little memory.

The formula is that of `sidecar.store.lexical` (Robertson and Zaragoza 2009). A pair of term and document takes 10
bytes. Scores do not depend on the order of indexing: frequencies are whole numbers, of halves, and sums follow the
alphabetical order of terms.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple

from sidecar.store.lexical_fields import idf

_UNIT: Final = 2
_MOST: Final = 65_535
SPARE_PLACES: Final = 1_000

MAX_TERMS: Final = 96  # terms of a query that are looked up: those of the largest weights


class Posting(NamedTuple):
    """The documents that contain a term, ascending, and how often each does, in halves."""

    documents: array[int]
    frequencies: array[int]


class AllPostings(NamedTuple):
    """The postings of all terms, which ascend, one after the other."""

    terms: list[str]
    starts: Sequence[int]  # where each term's posting begins, and the number of all entries
    documents: array[int]
    frequencies: array[int]


_NOTHING: Final = Posting(array("I"), array("H"))


class Norm(NamedTuple):
    """k1 and b, the number of documents, and their total length."""

    k1: float
    b: float
    size: int
    total: int


def term_weights(query: Mapping[str, float], counted: Callable[[str], int], norm: Norm) -> dict[str, float]:
    """Return the most that each term of a query can add to a score. A term that no document contains is left out."""
    weights = {
        name: weight * idf(norm.size, count) * (norm.k1 + 1)
        for name, weight in query.items()
        if (count := counted(name))
    }
    if len(weights) > MAX_TERMS:
        return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_TERMS])
    return weights


def document_scores(
    weights: Mapping[str, float], posting: Callable[[str], Posting | None], lengths: array[int], norm: Norm
) -> dict[int, float]:
    """Return the scores of the documents in one part of an index, by document number."""
    fixed = norm.k1 * (1 - norm.b) * _UNIT
    by_length = norm.k1 * norm.b * _UNIT * norm.size / norm.total
    norms = [fixed + by_length * length for length in lengths]
    scores: dict[int, float] = {}
    get = scores.get
    for name in sorted(weights):
        numbers, weight = posting(name), weights[name]
        for number, frequency in zip(*numbers, strict=True) if numbers is not None else ():
            scores[number] = get(number, 0.0) + weight * frequency / (frequency + norms[number])
    return scores


def holds(posting: Posting | None, number: int) -> bool:
    if posting is None:
        return False
    at = bisect_left(posting.documents, number)
    return at < len(posting.documents) and posting.documents[at] == number


class _Numbers(dict[str, int]):
    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class TermIndex:
    """Documents by id. Not thread-safe: guarded by the owner's lock.

    The postings of all new documents are made when one is first read.
    """

    def __init__(self, *, k1: float = 0.9, b: float = 0.4) -> None:
        self._k1 = k1
        self._b = b
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str | None] = []  # by document number; None: removed
        self._numbers: dict[str, int] = {}
        self.lengths = array("I")
        self._terms = _Numbers()
        self._held: list[Posting] = []  # by document: its terms, and how often
        self._postings: list[Posting] = []  # by term
        self._posted = 0  # number of documents in the postings
        self.total = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def put(self, id: str, frequencies: Mapping[str, int]) -> None:
        """Add or replace a document; the frequencies of its terms are in halves."""
        self.remove(id)
        units = frequencies.values()
        terms = array("I", map(self._terms.__getitem__, frequencies))
        kept = units if max(units, default=0) <= _MOST else [min(unit, _MOST) for unit in units]
        self._held.append(Posting(terms, array("H", kept)))
        self._numbers[id] = len(self._ids)
        self._ids.append(id)
        self.lengths.append(sum(units))
        self.total += self.lengths[-1]

    def remove(self, id: str) -> None:
        number = self._numbers.pop(id, None)
        if number is None:
            return
        for term in self._held[number].documents if number < self._posted else ():
            documents, frequencies = self._postings[term]
            at = bisect_left(documents, number)
            del documents[at], frequencies[at]
        self.total -= self.lengths[number]
        self._ids[number] = None
        self.lengths[number] = 0
        self._held[number] = _NOTHING
        if len(self._ids) > 2 * len(self._numbers) + SPARE_PLACES:
            self._renumber()

    def posting(self, name: str) -> Posting | None:
        self._post()
        term = self._terms.get(name)
        return None if term is None else self._postings[term]

    def _post(self) -> None:
        if self._posted == len(self._ids):
            return
        postings = self._postings
        postings += [Posting(array("I"), array("H")) for _ in range(len(self._terms) - len(postings))]
        for number in range(self._posted, len(self._ids)):
            for term, units in zip(*self._held[number], strict=True):
                documents, frequencies = postings[term]
                documents.append(number)
                frequencies.append(units)
        self._posted = len(self._ids)

    def documents(self) -> tuple[list[str], array[int]]:
        """Return the ids and lengths of the documents."""
        return list(self._numbers), array("I", map(self.lengths.__getitem__, self._numbers.values()))

    def postings(self) -> AllPostings:
        """Return the postings of all terms, with documents numbered without gaps, in the order of `documents`.

        Postings made for queries would take ten times the memory.
        """
        held = [self._held[number] for number in self._numbers.values()]
        counts = Counter(chain.from_iterable(terms for terms, _ in held))
        names = list(self._terms)
        terms = sorted(map(names.__getitem__, counts))
        order = list(map(self._terms.__getitem__, terms))
        starts = list(accumulate(map(counts.__getitem__, order), initial=0))
        ends = [0] * len(names)  # so far, by the number of the term
        for term, start in zip(order, starts, strict=False):
            ends[term] = start
        documents, frequencies = array("I", bytes(4 * starts[-1])), array("H", bytes(2 * starts[-1]))
        for number, (of_document, units) in enumerate(held):
            for term, unit in zip(of_document, units, strict=True):
                at = ends[term]
                documents[at], frequencies[at] = number, unit
                ends[term] = at + 1
        return AllPostings(terms, starts, documents, frequencies)

    def document_scores(self, weights: Mapping[str, float], norm: Norm) -> dict[str, float]:
        scores = document_scores(weights, self.posting, self.lengths, norm)
        return {id: score for number, score in scores.items() if (id := self._ids[number]) is not None}

    def scores(self, query: Mapping[str, float]) -> dict[str, float]:
        size = len(self._numbers)
        if not size or not self.total:
            return {}
        norm = Norm(self._k1, self._b, size, self.total)
        return self.document_scores(term_weights(query, self.count, norm), norm)

    def held_terms(self, id: str, names: Iterable[str]) -> list[str]:
        number = self._numbers.get(id)
        return [] if number is None else [name for name in names if holds(self.posting(name), number)]

    def count(self, name: str) -> int:
        posting = self.posting(name)
        return len(posting.documents) if posting is not None else 0

    def _renumber(self) -> None:
        names = list(self._terms)
        documents = [(id, document) for id, document in zip(self._ids, self._held, strict=True) if id is not None]
        self._clear()
        for id, (terms, units) in documents:
            self.put(id, {names[term]: unit for term, unit in zip(terms, units, strict=True)})
