"""Documents of an index that are kept in the file store. They are read term by term, and only forgotten, never changed.

A segment is a head (its documents, and the first term of each block) and blocks of ascending terms with their postings.
A block has a few kilobytes and is read when a query needs one of its terms, so the words of a large checkout take no
memory. If a block is lost or damaged, `SegmentLost` is raised and the documents are made anew.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from sidecar.files.pointers import Key
from sidecar.files.retrieval.term_index import AllPostings, Posting

BLOCK_BYTES: Final = 12_000
BLOCKS_READ: Final = 24  # blocks kept in memory, a few kilobytes each: the ones used last


T = TypeVar("T")


class SegmentLost(Exception):
    """A segment cannot be read."""


class Blobs(Protocol):
    def get_blob(self, key: str) -> bytes | None:
        """Return the bytes under a name; None if they are missing or damaged."""

    def put_blobs(self, values: Mapping[str, bytes], *, drop: Iterable[str] = ()) -> None:
        """Store all values and remove everything below the names in `drop`; or do nothing."""


class Documents(NamedTuple):
    """The documents of a segment, of which there is at least one."""

    ids: Sequence[str]
    keys: Sequence[Key]  # their contents
    lengths: array[int]  # in half terms


class _SegmentHead(msgspec.Struct, frozen=True, array_like=True):
    recipe: str
    ids: str  # separated by "\0", as the next two
    hashes: str
    languages: str
    lengths: bytes
    firsts: list[str]


class _Block(msgspec.Struct, frozen=True, array_like=True):
    terms: list[str]
    counts: bytes
    documents: bytes
    frequencies: bytes


_head = msgspec.msgpack.Decoder(_SegmentHead)
_block = msgspec.msgpack.Decoder(_Block)


class Segment:
    """An open segment.

    `live` has one byte per document, which becomes 0 when the document is forgotten. `keys` are the documents'
    contents; whoever opens the segment may drop them.
    """

    def __init__(self, blobs: Blobs, name: str, recipe: str) -> None:
        head = _decoded(blobs, name, _head)
        if head.recipe != recipe:
            raise SegmentLost(f"{name} is of another version")
        self.name = name
        self.ids = list(map(sys.intern, head.ids.split("\0")))
        languages = map(sys.intern, head.languages.split("\0"))
        self.keys: Sequence[Key] = list(zip(head.hashes.split("\0"), languages, strict=True))
        self.lengths = array("I", head.lengths)
        self.live = bytearray(b"\1" * len(self.ids))
        self.count = len(self.ids)  # documents not forgotten
        self._firsts = head.firsts
        self._block = lru_cache(maxsize=BLOCKS_READ)(lambda at: _Terms(_decoded(blobs, f"{name} {at}", _block)))

    def posting(self, term: str) -> Posting | None:
        """Return the posting of a term; forgotten documents are in it. Raises `SegmentLost`."""
        at = bisect_right(self._firsts, term) - 1
        return self._block(at).posting(term) if at >= 0 else None

    def is_whole(self) -> bool:
        try:
            for first in self._firsts:
                self.posting(first)
        except SegmentLost:
            return False
        return True

    def forget(self, number: int) -> None:
        self.count -= self.live[number]
        self.live[number] = 0


class _Terms:
    def __init__(self, block: _Block) -> None:
        self._terms = block.terms
        self._documents, self._frequencies = array("I", block.documents), array("H", block.frequencies)
        self._ends = list(accumulate(array("I", block.counts)))

    def posting(self, term: str) -> Posting | None:
        at = bisect_left(self._terms, term)
        if at == len(self._terms) or self._terms[at] != term:
            return None
        part = slice(self._ends[at - 1] if at else 0, self._ends[at])
        return Posting(self._documents[part], self._frequencies[part])


def segment_blobs(name: str, recipe: str, documents: Documents, postings: AllPostings) -> Iterator[tuple[str, bytes]]:
    """Yield the blobs of a segment with their names."""
    terms, starts, listed, frequencies = postings
    counts = array("I", [after - start for start, after in pairwise(starts)])
    sizes = list(accumulate([len(term) + 8 + 6 * count for term, count in zip(terms, counts, strict=True)], initial=0))
    firsts: list[str] = []
    first = 0
    while first < len(terms):
        last = min(bisect_right(sizes, sizes[first] + BLOCK_BYTES), len(terms))
        part = slice(starts[first], starts[last])
        columns = counts[first:last], listed[part], frequencies[part]
        block = _Block(terms[first:last], *(column.tobytes() for column in columns))
        yield f"{name} {len(firsts)}", msgspec.msgpack.encode(block)
        firsts.append(terms[first])
        first = last
    ids, hashes, languages = map("\0".join, (documents.ids, *zip(*documents.keys, strict=True)))
    head = _SegmentHead(recipe, ids, hashes, languages, documents.lengths.tobytes(), firsts)
    yield name, msgspec.msgpack.encode(head)


def _decoded(blobs: Blobs, name: str, decoder: msgspec.msgpack.Decoder[T]) -> T:
    try:
        data = blobs.get_blob(name)
        if data is not None:
            return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SegmentLost(f"{name} cannot be read: {error}") from error
    raise SegmentLost(f"{name} is gone")
