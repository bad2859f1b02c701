"""A lexical index as bytes that are searched in place; only what a search touches is decoded.

Documents are numbered from 0, terms in the order of their UTF-8. Postings are stored term by term; the numbers of each
document's terms, document by document.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from math import fsum

import msgspec

from sidecar.store.columns import Part, from_bytes, pack, unpack, view_as
from sidecar.text.words import RECIPE

UINT = "I"
FINGERPRINT_BYTES = 8  # bytes of a document's fingerprint
_SNAPSHOT_FORMAT = 4  # raise it whenever the layout changes
_MAX_NUMBERS = 10_000  # terms whose numbers are cached
_DECODED_INTERVAL = 64  # one word in this many is kept decoded, so that a search starts near it
MIN_MASS_SHARE = 0.3  # least share of a text's idf mass that a document must hold to be found, by default
_EXAMINED_SHARE = 0.55  # share of the mass whose terms are always examined: fewer documents then need comparing
_MAX_CANDIDATES = 5_000  # documents that are examined
_MAX_COMPARED = 64  # documents that are compared in full


class TermPosting:
    """The documents that hold one term, in ascending order, and the term's weighted frequency in each."""

    __slots__ = ("documents", "frequencies")

    def __init__(self, documents: array[int], frequencies: array[int]) -> None:
        self.documents = documents
        self.frequencies = frequencies


class Contents(msgspec.Struct, frozen=True):
    """The contents of an index, by the number of the document."""

    ids: list[str | None]  # None for a removed document
    fingerprints: list[bytes]
    lengths: array[int]
    postings: dict[str, TermPosting]  # by term

    def restricted_to(self, ids: Container[str] | None) -> Contents:
        """Return the documents in `ids` (None: all) without removed ones, renumbered from 0 in their order."""
        numbers = [number for number, id in enumerate(self.ids) if id is not None and (ids is None or id in ids)]
        if len(numbers) == len(self.ids):
            return self
        renumbered = [-1] * len(self.ids)
        for new, number in enumerate(numbers):
            renumbered[number] = new
        postings: dict[str, TermPosting] = {}
        for term, posting in self.postings.items():
            documents = [renumbered[number] for number in posting.documents]
            frequencies = posting.frequencies
            if -1 in documents:
                frequencies = array(UINT, [f for f, new in zip(frequencies, documents, strict=True) if new >= 0])
                documents = [new for new in documents if new >= 0]
            if documents:
                postings[term] = TermPosting(array(UINT, documents), frequencies)
        return Contents(
            ids=[self.ids[number] for number in numbers],
            fingerprints=[self.fingerprints[number] for number in numbers],
            lengths=array(UINT, [self.lengths[number] for number in numbers]),
            postings=postings,
        )


class Head(msgspec.Struct, frozen=True, array_like=True):
    """The versions of a snapshot, the parameters of its index, and the ids of its documents."""

    format: int
    recipe: int
    k1: float
    b: float
    ids: list[str]


class LexicalSnapshot:
    """The documents and postings of a snapshot; each part is decoded when needed.

    Raises ValueError if the bytes are damaged or of another version.
    """

    def __init__(self, blob: Part, *, whole: bool = False) -> None:
        parts = unpack(blob, whole=whole)
        try:
            self.head = head = msgspec.msgpack.decode(parts["head"], type=Head)
            self._fingerprints = parts["prints"]
            self.lengths = from_bytes(UINT, parts["lengths"])
            self._words = parts["words"]
            self._ends = view_as(UINT, parts["words' ends"])
            self.counts, self._posting_ends = view_as(UINT, parts["counts"]), view_as(UINT, parts["postings' ends"])
            self._documents, self._frequencies = parts["documents"], parts["frequencies"]
            self._own = view_as(UINT, parts["own"])
            self._own_ends = view_as(UINT, parts["own ends"])
        except (msgspec.MsgspecError, KeyError, RecursionError, UnicodeDecodeError) as error:
            raise ValueError(f"not a snapshot of a lexical index: {error}") from error
        if (head.format, head.recipe) != (_SNAPSHOT_FORMAT, RECIPE):
            raise ValueError("the snapshot was made by another version")
        size, terms, total = len(head.ids), len(self._ends), 4 * self._posting_ends[-1] if self._posting_ends else 0
        self.numbers = {id: number for number, id in enumerate(head.ids)}  # shared: do not change it
        if (
            not len(self.numbers) == len(self.lengths) == len(self._own_ends) == size
            or len(self._fingerprints) != size * FINGERPRINT_BYTES
            or not terms == len(self.counts) == len(self._posting_ends)
            or len(self._words) != (self._ends[-1] if terms else 0)
            or not len(self._documents) == len(self._frequencies) == 4 * len(self._own) == total
        ):
            raise ValueError("the snapshot's parts don't fit together")
        self._words_between = list(map(self._encoded, range(0, terms, _DECODED_INTERVAL)))
        self._spelled: dict[int, str] = {}
        self._numbers: dict[str, int | None] = {}  # numbers of terms that were looked up

    def __len__(self) -> int:
        return len(self.lengths)

    def word(self, number: int) -> str:
        term = self._spelled.get(number)
        if term is None:
            term = self._spelled[number] = str(self._encoded(number), "utf-8", "surrogatepass")
        return term

    def number(self, term: str) -> int | None:
        """Return the number of a term; None if no document holds it."""
        number = self._numbers.get(term, -1)
        if number == -1:
            if len(self._numbers) >= _MAX_NUMBERS:
                self._numbers.clear()
            wanted = term.encode("utf-8", "surrogatepass")
            end = _DECODED_INTERVAL * bisect_right(self._words_between, wanted)
            among = range(max(0, end - _DECODED_INTERVAL), min(end, len(self._ends)))
            at = among.start + bisect_left(among, wanted, key=self._encoded)
            exists = at < len(self._ends) and self._encoded(at) == wanted
            number = self._numbers[term] = at if exists else None
        return number

    def posting(self, number: int) -> TermPosting:
        end = 4 * self._posting_ends[number]
        start = end - 4 * self.counts[number]
        return TermPosting(from_bytes(UINT, self._documents[start:end]), from_bytes(UINT, self._frequencies[start:end]))

    def terms_of(self, document: int) -> memoryview:
        return self._own[self._own_ends[document - 1] if document else 0 : self._own_ends[document]]

    def fingerprint(self, document: int) -> bytes:
        return bytes(self._fingerprints[document * FINGERPRINT_BYTES : (document + 1) * FINGERPRINT_BYTES])

    def _encoded(self, number: int) -> bytes:
        return self._words[self._ends[number - 1] if number else 0 : self._ends[number]].tobytes()


class Postings:
    """The postings of an index by term: its own, and those of its snapshot that have not changed."""

    def __init__(self, snapshot: LexicalSnapshot | None = None) -> None:
        self._snapshot = snapshot
        self._held: dict[str, TermPosting] = {}
        self._changed: dict[int, TermPosting] = {}  # changed postings of the snapshot, by the number of the term

    def __getitem__(self, term: str) -> TermPosting:
        """Return the posting of a term, which the caller must not change. Raises KeyError for an unknown term."""
        if (posting := self._held.get(term)) is not None:
            return posting
        if self._snapshot is None or (number := self._snapshot.number(term)) is None:
            raise KeyError(term)
        return self._snapshot.posting(number)

    def count(self, term: str) -> int:
        if (posting := self._held.get(term)) is not None:
            return len(posting.documents)
        if self._snapshot is None or (number := self._snapshot.number(term)) is None:
            return 0
        return self._snapshot.counts[number]

    def for_change(self, term: str) -> TermPosting:
        """Return the posting of a term, to be changed in place; a new one is empty."""
        posting = self._held.get(term)
        if posting is None:
            if self._snapshot is None or (number := self._snapshot.number(term)) is None:
                posting = TermPosting(array(UINT), array(UINT))
            else:
                posting = self._changed[number] = self._snapshot.posting(number)
            self._held[term] = posting
        return posting

    def drop(self, term: str) -> None:
        """Drop the empty posting of a term that no document holds any more."""
        if self._snapshot is None or self._snapshot.number(term) is None:
            del self._held[term]

    def counts(self, numbers: Iterable[int]) -> list[int]:
        """Return how many documents hold each of the terms, given by their numbers in the snapshot."""
        assert self._snapshot is not None
        counts, changed = self._snapshot.counts, self._changed
        return [len(changed[number].documents) if number in changed else counts[number] for number in numbers]

    def items(self) -> Iterator[tuple[str, TermPosting]]:
        if self._snapshot is not None:
            for number in range(len(self._snapshot.counts)):
                if (term := self._snapshot.word(number)) not in self._held:
                    yield term, self._snapshot.posting(number)
        yield from ((term, posting) for term, posting in self._held.items() if posting.documents)


def encode_contents(k1: float, b: float, contents: Contents) -> bytes:
    words = sorted((term.encode("utf-8", "surrogatepass"), posting) for term, posting in contents.postings.items())
    documents, frequencies = array(UINT), array(UINT)
    by_document: list[array[int]] = [array(UINT) for _ in contents.ids]
    for number, (_, posting) in enumerate(words):
        documents.extend(posting.documents)
        frequencies.extend(posting.frequencies)
        # Let C run the loop: it appends millions of numbers.
        deque(map(array.append, map(by_document.__getitem__, posting.documents), repeat(number)), maxlen=0)
    head = Head(_SNAPSHOT_FORMAT, RECIPE, k1, b, [id for id in contents.ids if id is not None])
    return pack(
        {
            "head": msgspec.msgpack.encode(head),
            "prints": b"".join(contents.fingerprints),
            "lengths": contents.lengths.tobytes(),
            "words": b"".join(word for word, _ in words),
            "words' ends": array(UINT, accumulate(len(word) for word, _ in words)).tobytes(),
            "counts": array(UINT, [len(posting.documents) for _, posting in words]).tobytes(),
            "postings' ends": array(UINT, accumulate(len(posting.documents) for _, posting in words)).tobytes(),
            "documents": documents.tobytes(),
            "frequencies": frequencies.tobytes(),
            "own": b"".join(map(array.tobytes, by_document)),
            "own ends": array(UINT, accumulate(map(len, by_document))).tobytes(),
        }
    )


def candidates(
    postings: Postings, weights: dict[str, float], min_weight: float, ids: Sequence[str | None]
) -> list[int]:
    """Return the documents that may hold terms of at least `min_weight` together.

    Each of them holds one of the rarest terms, since the others together weigh less.
    """
    total = fsum(weights.values())
    enough = max(total - min_weight, _EXAMINED_SHARE * total)
    documents_seen: set[int] = set()
    several: set[int] = set()  # documents that hold several of the examined terms
    examined: list[tuple[float, array[int]]] = []
    passed = 0.0
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        if passed > enough:
            break
        passed += weights[term]
        count = postings.count(term)
        if not count:
            continue
        if len(documents_seen) + count > _MAX_CANDIDATES and documents_seen:
            break
        documents = postings[term].documents
        several.update(documents_seen.intersection(documents))
        documents_seen.update(documents)
        examined.append((weights[term], documents))
    # The terms not examined can add at most their whole weight.
    min_weight -= total - passed + 1e-9
    shared: dict[int, float] = {}
    for weight, documents in examined:
        for number in several.intersection(documents) if several else ():
            shared[number] = shared.get(number, 0.0) + weight
    single, last = 0, 0.0  # add the documents of one term only, heaviest term first, until there are enough
    for weight, documents in examined:
        if weight < min_weight or (single >= _MAX_COMPARED and weight < last):
            break
        with_one_term = set(documents).difference(several)
        shared.update(dict.fromkeys(with_one_term, weight))
        single, last = single + len(with_one_term), weight
    near = [number for number, weight in shared.items() if weight >= min_weight]
    near.sort(key=lambda number: (-shared[number], ids[number] or ""))
    return near[:_MAX_COMPARED]
