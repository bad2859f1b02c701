"""Full text search in memory: exact BM25 over postings that grow, shrink and can be stored.

Scores follow Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
idf log(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. Fields are weighed as BM25F does it with one b
for all: a field of weight w counts as if its text stood there w times, in term frequency and in length.

Weights are kept in thousandths as whole numbers and sums are taken in the order of the terms' text, so a score is
the same to the bit whatever the order in which documents came and went.
"""

from __future__ import annotations

import math
import sys
import threading
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from sidecar.text.words import RECIPE, query_terms, terms

_FORMAT = 1
_WEIGHT_UNIT = 1000
_UINT = "I"
_MOST = 2**32 - 1
# `similarity` is exact down to this value; nearer candidates than that share a term with the rarest ones.
_LEAST_SIMILARITY = 0.3
_MOST_CANDIDATES = 5_000
_MOST_COMPARED = 64


class _Snapshot(msgspec.Struct, frozen=True, array_like=True):
    format: int
    recipe: int
    k1: float
    b: float
    ids: list[str]
    lengths: bytes
    terms: list[str]
    counts: bytes  # documents of each term
    documents: bytes  # of all terms one after the other
    frequencies: bytes


class _Posting:
    """The documents that hold one term, ascending, and the weighted frequency in each."""

    __slots__ = ("documents", "frequencies")

    def __init__(self, documents: array[int], frequencies: array[int]) -> None:
        self.documents = documents
        self.frequencies = frequencies


class Matches(NamedTuple):
    """What documents hold of a query: its distinct terms and their idf mass, and by id the mass and terms held."""

    terms: int
    mass: float
    held: dict[str, tuple[float, tuple[str, ...]]]


class LexicalIndex:
    """Documents by id, searched by words. Safe for any number of threads: one lock, held for one operation."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.4) -> None:
        self._k1 = k1
        self._b = b
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str | None] = []  # by document number; None: removed
        self._numbers: dict[str, int] = {}
        self._lengths = array(_UINT)
        self._terms: list[tuple[str, ...]] = []  # distinct, of each document
        self._postings: dict[str, _Posting] = {}
        self._total_length = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, id: object) -> bool:
        return id in self._numbers

    def add(self, id: str, fields: Sequence[tuple[str, float]]) -> None:
        """Index a document's (text, weight) fields, in place of an earlier document of that id.

        Weights are 0 to 1,000, rounded to thousandths; a field of weight 0 is left out.
        """
        frequencies: Counter[str] = Counter()
        for text, weight in fields:
            if not 0 <= weight <= 1_000:
                raise ValueError(f"a field's weight is between 0 and 1,000, not {weight}")
            units = round(weight * _WEIGHT_UNIT)
            if units:
                for term, times in Counter(terms(text)).items():
                    frequencies[term] += times * units
        for term, frequency in frequencies.items():
            frequencies[term] = min(frequency, _MOST)
        length = min(sum(frequencies.values()), _MOST)
        with self._lock:
            self.remove(id)
            number = len(self._ids)
            self._ids.append(id)
            self._numbers[id] = number
            self._lengths.append(length)
            self._terms.append(tuple(frequencies))
            self._total_length += length
            postings = self._postings
            for term, frequency in frequencies.items():
                posting = postings.get(term)
                if posting is None:
                    postings[term] = _Posting(array(_UINT, (number,)), array(_UINT, (frequency,)))
                else:
                    posting.documents.append(number)
                    posting.frequencies.append(frequency)

    def remove(self, id: str) -> None:
        """Take a document out; nothing happens when there is none of that id."""
        with self._lock:
            number = self._numbers.pop(id, None)
            if number is None:
                return
            for term in self._terms[number]:
                posting = self._postings[term]
                at = bisect_left(posting.documents, number)
                del posting.documents[at], posting.frequencies[at]
                if not posting.documents:
                    del self._postings[term]
            self._total_length -= self._lengths[number]
            self._ids[number] = None
            self._terms[number] = ()
            self._lengths[number] = 0
            if len(self._ids) > 2 * len(self._numbers) + 1_000:
                self._restore(self._snapshot())

    def search(self, query: str, allowed: Callable[[str], bool] | None = None) -> dict[str, float]:
        """The BM25 score of every document that holds a term of the query and is allowed, in no order.

        `allowed` is asked outside of the lock, once for each matching document; it doesn't change the statistics.
        """
        asked = Counter(query_terms(query))
        with self._lock:
            scores = self._scores(asked)
            ids = self._ids
            named = {ids[number]: score for number, score in scores.items()}
        if allowed is None:
            return {id: score for id, score in named.items() if id is not None}
        return {id: score for id, score in named.items() if id is not None and allowed(id)}

    def _scores(self, asked: Counter[str]) -> dict[int, float]:
        if not self._total_length:
            return {}
        lengths = self._lengths
        fixed = self._k1 * (1 - self._b) * _WEIGHT_UNIT
        by_length = self._k1 * self._b * _WEIGHT_UNIT * len(self._numbers) / self._total_length
        scores: dict[int, float] = {}
        for term in sorted(asked):
            posting = self._postings.get(term)
            if posting is None:
                continue
            weight = asked[term] * self._idf(term) * (self._k1 + 1)
            pairs = zip(posting.documents, posting.frequencies, strict=True)
            if scores:
                score_of = scores.get
                for number, frequency in pairs:
                    gain = weight * frequency / (frequency + fixed + by_length * lengths[number])
                    scores[number] = score_of(number, 0.0) + gain
            else:
                scores = {
                    number: weight * frequency / (frequency + fixed + by_length * lengths[number])
                    for number, frequency in pairs
                }
        return scores

    def _idf(self, term: str) -> float:
        posting = self._postings.get(term)
        count = len(posting.documents) if posting is not None else 0
        return math.log(1 + (len(self._numbers) - count + 0.5) / (count + 0.5))

    def similarity(
        self, text: str, limit: int = 5, allowed: Callable[[str], bool] | None = None
    ) -> list[tuple[str, float]]:
        """The documents most like a text, best first, ties by id: (id, idf-weighted Jaccard coefficient of the terms).

        1 means the same terms, whatever their number and order. Documents below 0.3 are not looked for.
        """
        with self._lock:
            weights = {term: self._idf(term) for term in set(terms(text))}
            total = math.fsum(weights.values())
            others: dict[str, float] = {}
            found = []
            for number in self._candidates(weights, total):
                own = self._terms[number]
                for term in own:
                    if term not in weights and term not in others:
                        others[term] = self._idf(term)
                shared = math.fsum(weights[term] for term in own if term in weights)
                other = math.fsum(others[term] for term in own if term not in weights)
                id = self._ids[number]
                if id is not None and shared > 0:
                    found.append((id, min(1.0, shared / (total + other))))
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        best: list[tuple[str, float]] = []
        for id, score in found:
            if len(best) >= limit or score < _LEAST_SIMILARITY:
                break
            if allowed is None or allowed(id):
                best.append((id, score))
        return best

    def _candidates(self, weights: dict[str, float], total: float) -> Iterable[int]:
        """Documents that may reach the least similarity: without the rarest terms they hold too little."""
        seen: dict[int, float] = {}
        passed = 0.0
        postings = self._postings
        for term in sorted(weights, key=lambda term: (-weights[term], term)):
            if passed > total * (1 - _LEAST_SIMILARITY):
                break
            passed += weights[term]
            posting = postings.get(term)
            if posting is None:
                continue
            if len(seen) + len(posting.documents) > _MOST_CANDIDATES and seen:
                break
            for number in posting.documents:
                seen[number] = seen.get(number, 0.0) + weights[term]
        # What a document holds of the terms not looked at can add no more than their whole weight.
        least = _LEAST_SIMILARITY * total - (total - passed) - 1e-9
        near = [number for number, shared in seen.items() if shared >= least]
        near.sort(key=lambda number: (-seen[number], self._ids[number] or ""))
        return near[:_MOST_COMPARED]

    def coverage(self, query: str, id: str) -> float:
        """The share of the query's idf mass that a document holds, 0 to 1; 0 for an unknown one and an empty query.

        A term that no document holds has the greatest idf, so a query about something else is hardly covered.
        """
        asked = sorted(set(query_terms(query)))
        with self._lock:
            number = self._numbers.get(id)
            if number is None or not asked:
                return 0.0
            weights = {term: self._idf(term) for term in asked}
            held = set(self._terms[number])
        return math.fsum(weights[term] for term in asked if term in held) / math.fsum(weights.values())

    def matches(self, query: str, ids: Iterable[str]) -> Matches:
        """`coverage` of many documents at once, as masses, with the terms that each holds, heaviest first.

        Also tells a short query from a long one, of which no document can hold a large share.
        """
        asked = set(query_terms(query))
        with self._lock:
            weights = {term: self._idf(term) for term in asked}
            mass = math.fsum(weights.values())
            held: dict[str, tuple[float, tuple[str, ...]]] = {}
            for id in ids:
                number = self._numbers.get(id)
                if number is None:
                    continue
                common = asked.intersection(self._terms[number])
                own = sorted(common, key=lambda term: (-weights[term], term))
                held[id] = math.fsum(weights[term] for term in own), tuple(own)
        return Matches(len(asked), mass, held)

    @property
    def rarest(self) -> float:
        """The idf of a term that no document holds: the greatest there is."""
        with self._lock:
            return self._idf("")

    def dump(self) -> bytes:
        """A snapshot for `load`, of the same bytes for the same documents added in the same order."""
        with self._lock:
            snapshot = self._snapshot()
        return msgspec.msgpack.encode(snapshot)

    @classmethod
    def load(cls, blob: bytes) -> LexicalIndex:
        """The index of a snapshot; ValueError when it is damaged or was made by another version."""
        try:
            snapshot = msgspec.msgpack.decode(blob, type=_Snapshot)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise ValueError(f"not a snapshot of a lexical index: {error}") from error
        if (snapshot.format, snapshot.recipe) != (_FORMAT, RECIPE):
            raise ValueError("the snapshot was made by another version")
        index = cls(k1=snapshot.k1, b=snapshot.b)
        index._restore(snapshot)
        return index

    def _snapshot(self) -> _Snapshot:
        """The state with documents numbered anew from 0, in the order they have."""
        kept = [number for number, id in enumerate(self._ids) if id is not None]
        dense = len(kept) == len(self._ids)
        renumbered = {} if dense else {number: new for new, number in enumerate(kept)}
        documents, frequencies, counts = array(_UINT), array(_UINT), array(_UINT)
        for posting in self._postings.values():
            counts.append(len(posting.documents))
            frequencies.extend(posting.frequencies)
            documents.extend(
                posting.documents
                if dense
                else array(_UINT, (renumbered[number] for number in posting.documents))
            )
        return _Snapshot(
            format=_FORMAT,
            recipe=RECIPE,
            k1=self._k1,
            b=self._b,
            ids=[id for id in self._ids if id is not None],
            lengths=_to_bytes(array(_UINT, (self._lengths[number] for number in kept))),
            terms=list(self._postings),
            counts=_to_bytes(counts),
            documents=_to_bytes(documents),
            frequencies=_to_bytes(frequencies),
        )

    def _restore(self, snapshot: _Snapshot) -> None:
        lengths, counts = _from_bytes(snapshot.lengths), _from_bytes(snapshot.counts)
        documents, frequencies = _from_bytes(snapshot.documents), _from_bytes(snapshot.frequencies)
        size = len(snapshot.ids)
        numbers = {id: number for number, id in enumerate(snapshot.ids)}
        if (
            not len(numbers) == len(lengths) == size
            or len(counts) != len(snapshot.terms)
            or not sum(counts) == len(documents) == len(frequencies)
            or (documents and max(documents) >= size)
        ):
            raise ValueError("the snapshot's parts don't fit together")
        postings: dict[str, _Posting] = {}
        own: list[list[str]] = [[] for _ in range(size)]
        start = 0
        for term, count in zip(snapshot.terms, counts, strict=True):
            end = start + count
            posting = postings[term] = _Posting(documents[start:end], frequencies[start:end])
            for number in posting.documents:
                own[number].append(term)
            start = end
        with self._lock:
            self._ids = list(snapshot.ids)
            self._numbers = numbers
            self._lengths = lengths
            self._terms = [tuple(held) for held in own]
            self._postings = postings
            self._total_length = sum(lengths)


def _to_bytes(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values = array(_UINT, values)
        values.byteswap()
    return values.tobytes()


def _from_bytes(data: bytes) -> array[int]:
    values = array(_UINT)
    if len(data) % values.itemsize:
        raise ValueError("the snapshot is cut in the middle of a number")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values
