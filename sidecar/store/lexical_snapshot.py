"""A lexical index as bytes: msgpack of a few long columns, checked as a whole when it is read.

Documents are numbered from 0. The postings are stored one term after the other, so that reading them is a handful of
copies and no work per posting but for the list of each document's terms.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Container
from itertools import repeat

import msgspec

from sidecar.store.columns import from_bytes, to_bytes
from sidecar.text.words import RECIPE

UINT = "I"
PRINT = 8  # bytes of a document's fingerprint
_FORMAT = 2


class Posting:
    """The documents that hold one term, ascending, and the weighted frequency in each."""

    __slots__ = ("documents", "frequencies")

    def __init__(self, documents: array[int], frequencies: array[int]) -> None:
        self.documents = documents
        self.frequencies = frequencies


class Contents(msgspec.Struct, frozen=True):
    """The documents of an index, by number: id, fingerprint and length of each; and the postings by term.

    An id is None where a document was removed; there is none in a snapshot.
    """

    ids: list[str | None]
    prints: list[bytes]
    lengths: array[int]
    postings: dict[str, Posting]

    def only(self, ids: Container[str] | None) -> Contents:
        """The documents in `ids` (None: all that were not removed), numbered anew from 0, in the order they have."""
        kept = [number for number, id in enumerate(self.ids) if id is not None and (ids is None or id in ids)]
        if len(kept) == len(self.ids):
            return self
        renumbered = [-1] * len(self.ids)
        for new, number in enumerate(kept):
            renumbered[number] = new
        postings: dict[str, Posting] = {}
        for term, posting in self.postings.items():
            documents = [renumbered[number] for number in posting.documents]
            frequencies = posting.frequencies
            if -1 in documents:
                frequencies = array(UINT, [f for f, new in zip(frequencies, documents, strict=True) if new >= 0])
                documents = [new for new in documents if new >= 0]
            if documents:
                postings[term] = Posting(array(UINT, documents), frequencies)
        return Contents(
            ids=[self.ids[number] for number in kept],
            prints=[self.prints[number] for number in kept],
            lengths=array(UINT, [self.lengths[number] for number in kept]),
            postings=postings,
        )

    def terms_of_each(self) -> list[tuple[str, ...]]:
        """The distinct terms of each document."""
        own: list[list[str]] = [[] for _ in self.ids]
        for term, posting in self.postings.items():
            # Some hundred thousand appends, so the loop is left to C.
            deque(map(list.append, map(own.__getitem__, posting.documents), repeat(term)), maxlen=0)
        return [tuple(held) for held in own]


class _Snapshot(msgspec.Struct, frozen=True, array_like=True):
    format: int
    recipe: int
    k1: float
    b: float
    ids: list[str]
    prints: bytes
    lengths: bytes
    terms: list[str]
    counts: bytes  # documents of each term
    documents: bytes  # of all terms one after the other
    frequencies: bytes


def encode(k1: float, b: float, contents: Contents) -> bytes:
    """The bytes of these contents and of the parameters of their index."""
    documents, frequencies, counts = array(UINT), array(UINT), array(UINT)
    for posting in contents.postings.values():
        counts.append(len(posting.documents))
        frequencies.extend(posting.frequencies)
        documents.extend(posting.documents)
    snapshot = _Snapshot(
        format=_FORMAT,
        recipe=RECIPE,
        k1=k1,
        b=b,
        ids=[id for id in contents.ids if id is not None],
        prints=b"".join(contents.prints),
        lengths=to_bytes(contents.lengths),
        terms=list(contents.postings),
        counts=to_bytes(counts),
        documents=to_bytes(documents),
        frequencies=to_bytes(frequencies),
    )
    return msgspec.msgpack.encode(snapshot)


def decode(blob: bytes) -> tuple[float, float, Contents]:
    """k1, b and contents; ValueError when the bytes are damaged or were made by another version."""
    try:
        snapshot = msgspec.msgpack.decode(blob, type=_Snapshot)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"not a snapshot of a lexical index: {error}") from error
    if (snapshot.format, snapshot.recipe) != (_FORMAT, RECIPE):
        raise ValueError("the snapshot was made by another version")
    lengths, counts = from_bytes(UINT, snapshot.lengths), from_bytes(UINT, snapshot.counts)
    documents, frequencies = from_bytes(UINT, snapshot.documents), from_bytes(UINT, snapshot.frequencies)
    size = len(snapshot.ids)
    if (
        not len(set(snapshot.ids)) == len(lengths) == size
        or len(snapshot.prints) != size * PRINT
        or not len(counts) == len(set(snapshot.terms)) == len(snapshot.terms)
        or not sum(counts) == len(documents) == len(frequencies)
        or (documents and max(documents) >= size)
    ):
        raise ValueError("the snapshot's parts don't fit together")
    postings: dict[str, Posting] = {}
    start = 0
    for term, count in zip(snapshot.terms, counts, strict=True):
        end = start + count
        postings[term] = Posting(documents[start:end], frequencies[start:end])
        start = end
    prints = [snapshot.prints[at : at + PRINT] for at in range(0, size * PRINT, PRINT)]
    return snapshot.k1, snapshot.b, Contents(list(snapshot.ids), prints, lengths, postings)
