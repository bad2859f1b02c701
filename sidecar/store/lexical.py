"""Full text search in memory: exact BM25 over postings that grow, shrink and can be stored.

Scores follow Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf
log(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. Fields are weighted as in BM25F with one b for all: a field
of weight w counts as if its text stood there w times, both in term frequency and in length.

A score is the same to the bit whatever the order in which documents were added and removed: weights are whole
thousandths, and sums run over the terms in a fixed order, frequent terms last.
"""

from __future__ import annotations

import math
import threading
from array import array
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sidecar.store.columns import Column, Part, weighted_sum
from sidecar.store.lexical_fields import MAX_FREQUENCY, WEIGHT_UNIT, fingerprint_of_fields, idf, term_frequencies
from sidecar.store.lexical_snapshot import (
    MIN_MASS_SHARE,
    UINT,
    Contents,
    LexicalSnapshot,
    Postings,
    TermPosting,
    candidates,
    encode_contents,
)
from sidecar.store.scores import best_places, pick
from sidecar.text.words import query_terms, terms

_MIN_DOCUMENTS = 50  # with fewer documents, texts are compared as if there were this many
_DOCUMENTS_PER_SPARSE_TERM = 8  # the gains of a term in fewer than one of this many documents are not added as a column
_MAX_GAINS = 2_500_000  # numbers in all cached columns, 8 bytes each
Allowed = Callable[[str], bool]
Ranked = tuple[Sequence[str], Sequence[float]]


class Overlap(NamedTuple):
    """What a document and a query have in common."""

    held: float  # share of the query's idf mass that the document holds
    rarest: float  # idf of their rarest common word
    own: float  # the common words' share of the document's idf mass


class Overlaps(NamedTuple):
    """What documents and a query have in common."""

    known: float  # share of the query's idf mass that any document holds
    by_id: dict[str, Overlap]


class LexicalIndex:
    """Documents by id, searched by words. Thread-safe: each operation holds one lock."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.3) -> None:
        self._k1 = k1
        self._b = b
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str | None] = []  # by document number; None if removed
        self._numbers: dict[str, int] = {}
        self._lengths = array(UINT)
        self._snapshot: LexicalSnapshot | None = None  # of the first documents
        self._terms: list[tuple[str, ...] | None] = []  # distinct terms of each document; None: the snapshot has them
        self._fingerprints: list[bytes | None] = []  # of each document's fields; None: the snapshot has it
        self._postings = Postings()
        self._total_length = 0
        # What a frequent term adds to each score, until a document changes; None after the term's first use.
        self._columns: OrderedDict[tuple[str, float], array[float] | None] = OrderedDict()
        self._masses: dict[int, float] = {}  # idf mass of documents by number, until a document changes

    def _before_change(self) -> None:
        if self._snapshot is not None and self._numbers is self._snapshot.numbers:
            self._numbers = self._numbers.copy()
        self._columns.clear()
        self._masses.clear()

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, id: object) -> bool:
        return id in self._numbers

    def add(self, id: str, fields: Sequence[tuple[str, float]]) -> bool:
        """Index a document in place of the earlier one with that id; return False if its fields are the same as before.

        A field is (text, weight) with a weight of 0 to 1,000, rounded to thousandths; weight 0 leaves the field out.
        """
        fingerprint = fingerprint_of_fields(fields)
        with self._lock:
            earlier = self._numbers.get(id)
            if earlier is not None and self._fingerprint(earlier) == fingerprint:
                return False
        frequencies = term_frequencies(fields)
        length = min(sum(frequencies.values()), MAX_FREQUENCY)
        with self._lock:
            self.remove(id)
            self._before_change()
            number = len(self._ids)
            self._ids.append(id)
            self._numbers[id] = number
            self._lengths.append(length)
            self._terms.append(tuple(frequencies))
            self._fingerprints.append(fingerprint)
            self._total_length += length
            for term, frequency in frequencies.items():
                posting = self._postings.for_change(term)
                posting.documents.append(number)
                posting.frequencies.append(frequency)
        return True

    def remove(self, id: str) -> bool:
        with self._lock:
            if id not in self._numbers:
                return False
            self._before_change()
            number = self._numbers.pop(id)
            for term in self._terms_of(number):
                posting = self._postings.for_change(term)
                at = bisect_left(posting.documents, number)
                del posting.documents[at], posting.frequencies[at]
                if not posting.documents:
                    self._postings.drop(term)
            self._total_length -= self._lengths[number]
            self._ids[number] = None
            self._terms[number] = ()
            self._fingerprints[number] = b""
            self._lengths[number] = 0
            if len(self._ids) > 2 * len(self._numbers) + 1_000:
                self._open(LexicalSnapshot(encode_contents(self._k1, self._b, self._contents().restricted_to(None))))
        return True

    def search(self, query: str, allowed: Allowed | None = None, limit: int | None = None) -> dict[str, float]:
        return dict(zip(*self.ranked(query, allowed, limit), strict=True))

    def ranked(self, query: str, allowed: Allowed | None = None, limit: int | None = None) -> Ranked:
        """Return the allowed documents that hold a term of the query, and their BM25 scores, in no particular order.

        With `limit`, return only that many of the best, and all that tie with the last one. `allowed` does not affect
        the scores; it is called under the lock, so it must be quick and must not call the index.
        """
        counts = Counter(query_terms(query))
        with self._lock:
            numbers, scores, bound = self._scores(counts)
            ids: Sequence[str | None] = self._ids if numbers is None else pick(self._ids, numbers)
            may = None if allowed is None else lambda index: (id := ids[index]) is not None and allowed(id)
            places = best_places(scores, len(scores) if limit is None else limit, (bound, 0.0), may)
            # A removed document scores 0, so it is never among the best.
            return pick(ids, places), pick(scores, places)

    def _scores(self, query: Counter[str]) -> tuple[list[int] | None, Column, float]:
        """Return numbers of documents, their scores, and an upper bound of the scores.

        If the numbers are None, the scores are those of all documents, 0 for a document without any of the terms.
        """
        postings = self._postings
        counts = {term: count for term in query if (count := postings.count(term))}
        frequent = {term for term, count in counts.items() if count * _DOCUMENTS_PER_SPARSE_TERM >= len(self._numbers)}
        in_order, size = sorted(counts, key=lambda term: (term in frequent, term)), len(self._ids)
        weights = {term: query[term] * self._idf(term) * (self._k1 + 1) for term in in_order}
        bound = sum(weights.values())
        if sum(counts.values()) * _DOCUMENTS_PER_SPARSE_TERM < size:
            few: dict[int, float] = {}
            for term in in_order:
                for number, gain in self._gains(term, weights[term]):
                    few[number] = few.get(number, 0.0) + gain
            return list(few), array("d", few.values()), bound
        scores: Column = array("d", [0.0]) * size
        for term in in_order:
            column = self._column(term, weights[term]) if term in frequent else None
            if column is not None:
                scores = weighted_sum(scores, column)
            else:
                for number, gain in self._gains(term, weights[term]):
                    scores[number] += gain
        return None, scores, bound

    def _column(self, term: str, weight: float) -> array[float] | None:
        """Return what a frequent term adds to each document's score; None on the term's first use.

        Making the column costs more than it saves in one search.
        """
        name = term, weight
        column = self._columns.get(name)
        if column is None and name in self._columns:
            column = array("d", [0.0]) * len(self._ids)
            for number, gain in self._gains(term, weight):
                column[number] = gain
        self._columns[name] = column
        self._columns.move_to_end(name)
        while len(self._columns) * len(self._ids) > _MAX_GAINS and len(self._columns) > 1:
            self._columns.popitem(last=False)
        return column

    def _gains(self, term: str, weight: float) -> Iterable[tuple[int, float]]:
        """Yield (number of a document that holds a term, what the term adds to its score)."""
        lengths = self._lengths
        fixed = self._k1 * (1 - self._b) * WEIGHT_UNIT
        by_length = self._k1 * self._b * WEIGHT_UNIT * len(self._numbers) / self._total_length
        posting = self._postings[term]
        pairs = zip(posting.documents, posting.frequencies, strict=True)
        gains = [weight * f / (f + fixed + by_length * lengths[number]) for number, f in pairs]
        return zip(posting.documents, gains, strict=True)

    def _idf(self, term: str) -> float:
        return idf(len(self._numbers), self._postings.count(term))

    def holders(
        self, text: str, limit: int = 5, allowed: Allowed | None = None, min_share: float = MIN_MASS_SHARE
    ) -> list[tuple[str, float]]:
        """Return (id, share of the text's idf mass that the document holds), best first, ties by id.

        Only shares of at least `min_share` are returned. What else a document holds does not matter.
        """
        with self._lock:
            weights = self._damped_idf(set(terms(text)))
            total = math.fsum(weights.values())
            common = self._shared_terms(weights)
            scored = []
            for number in candidates(self._postings, weights, min_share * total, self._ids):
                shared, id = math.fsum(map(weights.__getitem__, common(number))), self._ids[number]
                if id is not None and shared > 0:
                    scored.append((id, min(1.0, shared / total)))
        scored.sort(key=lambda pair: (-pair[1], pair[0]))
        near = (pair for pair in scored if pair[1] >= min_share and (allowed is None or allowed(pair[0])))
        return list(islice(near, limit))

    def likeness(self, first: str, second: str) -> float:
        """Return the Jaccard coefficient of two texts' terms, weighted by idf."""
        words, other = set(terms(first)), set(terms(second))
        with self._lock:
            worths = self._damped_idf(words | other)
        total = math.fsum(sorted(worths.values()))
        shared = math.fsum(sorted([worths[term] for term in words & other]))
        return min(1.0, shared / total) if total else 0.0

    def _damped_idf(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the idf of terms as if there were `_MIN_DOCUMENTS` or more: with few, one new word would dominate."""
        size, count = max(len(self._numbers), _MIN_DOCUMENTS), self._postings.count
        return {term: idf(size, count(term)) for term in terms}

    def matches(self, query: str, ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the query's terms that each document holds, heaviest first; a document without any is left out."""
        with self._lock:
            return self.holding(sorted(query_terms(query), key=lambda term: (-self._idf(term), term)), ids)

    def holding(self, terms: Iterable[str], ids: Iterable[str]) -> dict[str, list[str]]:
        """Return those of `terms`, in their order, that each document holds; a document without any is left out."""
        order = {term: index for index, term in enumerate(dict.fromkeys(terms))}
        shared: dict[str, list[str]] = {}
        with self._lock:
            common = self._shared_terms(order)
            for id in ids if order else ():
                number = self._numbers.get(id)
                if number is not None and (hits := common(number)):
                    shared[id] = sorted(hits, key=order.__getitem__)
        return shared

    def overlaps(self, words: Sequence[tuple[str, ...]], ids: Iterable[str]) -> Overlaps:
        """Return what each of the documents `ids` has in common with a query, given as the terms of each word."""
        with self._lock:
            positions: dict[str, list[int]] = {}
            for index, word in enumerate(words):
                for term in word:
                    positions.setdefault(term, []).append(index)
            worth = self._damped_idf(positions)
            weights = [max(map(worth.__getitem__, word)) for word in words]
            mass = math.fsum(weights) or 1.0
            known_words = {index for term in worth if self._postings.count(term) for index in positions[term]}
            common = self._shared_terms(worth)
            overlaps: dict[str, Overlap] = {}
            for id in ids:
                number = self._numbers.get(id)
                if number is None or not (terms := common(number)):
                    continue
                gains: dict[int, float] = {}
                document_weights = [worth[term] for term in terms]
                for term, gain in zip(terms, document_weights, strict=True):
                    for index in positions[term]:
                        if gain > gains.get(index, 0.0):
                            gains[index] = gain
                share = math.fsum(document_weights) / (self._masses.get(number) or self._mass(number))
                overlaps[id] = Overlap(math.fsum(gains.values()) / mass, max(document_weights), share)
        return Overlaps(math.fsum([weights[index] for index in known_words]) / mass, overlaps)

    def _mass(self, number: int) -> float:
        size = max(len(self._numbers), _MIN_DOCUMENTS)
        if self._snapshot is not None and number < len(self._snapshot):
            counts = self._postings.counts(self._snapshot.terms_of(number))
        else:
            counts = list(map(self._postings.count, self._terms_of(number)))
        mass = self._masses[number] = math.fsum([idf(size, count) for count in counts])
        return mass

    def documents_among(self, ids: Container[str]) -> list[str]:
        """Return those of `ids` that are documents, in the order in which a snapshot has them."""
        with self._lock:
            return [id for id in self._ids if id is not None and id in ids]

    def dump(self, ids: Container[str] | None = None) -> bytes:
        """Return a snapshot of all documents or of those in `ids`; equal documents in equal order give equal bytes."""
        with self._lock:
            contents = self._contents()
        return encode_contents(self._k1, self._b, contents.restricted_to(ids))

    def absorb(self, blob: Part | LexicalSnapshot) -> list[str]:
        """Add the documents of a snapshot; return their ids.

        An empty index reads the snapshot in place, which takes no time; any other copies it. Raises ValueError, adding
        nothing, if the snapshot is damaged or of another version, or if the index has one of its documents.
        """
        snapshot = blob if isinstance(blob, LexicalSnapshot) else LexicalSnapshot(blob)
        ids = snapshot.head.ids
        with self._lock:
            if not self._numbers.keys().isdisjoint(ids):
                raise ValueError("the snapshot holds a document that the index has already")
            if not self._numbers:
                self._open(snapshot)
                return ids
            self._before_change()
            first = len(self._ids)
            self._ids.extend(ids)
            self._numbers.update((id, first + number) for number, id in enumerate(ids))
            self._lengths.extend(snapshot.lengths)
            self._fingerprints.extend(map(snapshot.fingerprint, range(len(ids))))
            self._terms.extend(tuple(map(snapshot.word, snapshot.terms_of(number))) for number in range(len(ids)))
            self._total_length += sum(snapshot.lengths)
            for term, posting in Postings(snapshot).items():
                target = self._postings.for_change(term)
                target.documents.extend(array(UINT, [first + number for number in posting.documents]))
                target.frequencies.extend(posting.frequencies)
        return ids

    def _contents(self) -> Contents:
        """Return the index's contents; what later changes would alter is copied."""
        return Contents(
            ids=list(self._ids),
            fingerprints=list(map(self._fingerprint, range(len(self._ids)))),
            lengths=self._lengths[:],
            postings={
                term: TermPosting(posting.documents[:], posting.frequencies[:])
                for term, posting in self._postings.items()
            },
        )

    def _open(self, snapshot: LexicalSnapshot) -> None:
        """Replace all documents by those of a snapshot."""
        size = len(snapshot)
        self._clear()
        self._snapshot, self._postings = snapshot, Postings(snapshot)
        self._ids = list(snapshot.head.ids)
        self._numbers = snapshot.numbers
        self._lengths, self._total_length = snapshot.lengths[:], sum(snapshot.lengths)
        self._terms, self._fingerprints = [None] * size, [None] * size

    def _terms_of(self, number: int) -> tuple[str, ...]:
        """Return the distinct terms of a document."""
        terms = self._terms[number]
        if terms is None:
            assert self._snapshot is not None
            terms = tuple(map(self._snapshot.word, self._snapshot.terms_of(number)))
        return terms

    def _shared_terms(self, wanted_terms: Mapping[str, object]) -> Callable[[int], Collection[str]]:
        """Return a function that gives those of `wanted_terms` that a document has, and decodes no others."""
        snapshot = self._snapshot
        terms_by_number = {} if snapshot is None else {snapshot.number(term): term for term in wanted_terms}
        numbers, terms = frozenset(terms_by_number), frozenset(wanted_terms)

        def common(number: int) -> Collection[str]:
            stored = self._terms[number]
            if stored is None and snapshot is not None:
                return [terms_by_number[term] for term in numbers.intersection(snapshot.terms_of(number))]
            return terms.intersection(stored or ())

        return common

    def _fingerprint(self, number: int) -> bytes:
        fingerprint = self._fingerprints[number]
        return self._snapshot.fingerprint(number) if fingerprint is None and self._snapshot else fingerprint or b""
