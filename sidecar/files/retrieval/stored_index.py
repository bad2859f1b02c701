"""BM25 over all files of a checkout: segments in the store, and newer files in memory.

The scores are those of a single index in memory, to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import compress, repeat
from typing import Final

import msgspec

from sidecar.files.pointers import Key
from sidecar.files.retrieval.segments import Blobs, Documents, Segment, SegmentLost, segment_blobs
from sidecar.files.retrieval.term_index import Norm, Posting, TermIndex, document_scores, holds, term_weights
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.lexical_fields import idf

IN_MEMORY: Final = 4_000  # files held in memory, some 50 MB, before they become a segment
MIN_SEGMENT_FILES: Final = 32  # files needed for a segment when the work is done
SMALL_SEGMENT: Final = 1_000
MAX_SMALL: Final = 16  # if there are more small segments, their files are indexed anew, together


class StoredIndex:
    """Files by path. Not thread-safe: guarded by the owner's lock. Without `blobs`, everything is in memory."""

    def __init__(self, blobs: Blobs | None, name: str, recipe: str, *, k1: float, b: float) -> None:
        self._blobs = blobs
        self._name = name
        self._recipe = recipe
        self._k1, self._b = k1, b
        self._recent = TermIndex(k1=k1, b=b)
        self._keys: dict[str, Key] = {}  # of files in memory
        self._segments: list[Segment] = []
        self._where: dict[str, tuple[Segment, int]] = {}
        self._garbage: list[str] = []  # segments to be dropped
        self._total = 0
        self._full = IN_MEMORY
        self.lost: list[str] = []  # files whose segment could not be read

    def load(self) -> dict[str, Key]:
        """Open the segments that an earlier process saved; return the content that they have of each file."""
        if self._blobs is None:
            return {}
        segments: list[Segment] = []
        for name in names_of(self._blobs, self._name):
            try:
                segments.append(Segment(self._blobs, name, self._recipe))
            except SegmentLost:
                self._garbage.append(name)
        seen: set[str] = set()
        for segment in reversed(segments):  # the newest one is right
            if not seen.isdisjoint(segment.ids):
                for number in [number for number, path in enumerate(segment.ids) if path in seen]:
                    segment.forget(number)
            seen.update(segment.ids)
        small = sum(segment.count < SMALL_SEGMENT for segment in segments) > MAX_SMALL
        keys: dict[str, Key] = {}
        for segment in segments:
            if 2 * segment.count < len(segment.ids) or (small and segment.count < SMALL_SEGMENT):
                self._garbage.append(segment.name)
            else:
                self._add(segment)
                keys.update(compress(zip(segment.ids, segment.keys, strict=True), segment.live))
            segment.keys = ()
        return keys

    def put(self, path: str, key: Key, frequencies: Mapping[str, int]) -> None:
        self.remove(path)
        self._recent.put(path, frequencies)
        self._keys[path] = key
        if len(self._recent) >= self._full:
            self.save()

    def remove(self, path: str) -> None:
        self._recent.remove(path)
        self._keys.pop(path, None)
        place = self._where.pop(path, None)
        if place is not None:
            segment, number = place
            segment.forget(number)
            self._total -= segment.lengths[number]

    def save(self, least: int = 1) -> None:
        """Make a segment of the files in memory, if there are `least` of them."""
        if self._blobs is None or len(self._recent) < least:
            return
        name = f"{self._name}:{time.time_ns():x}"
        ids, lengths = self._recent.documents()
        recent = Documents(ids, [self._keys[path] for path in ids], lengths)
        try:
            segment_names = [*names_of(self._blobs, self._name), name]
            names = [segment_name for segment_name in segment_names if segment_name not in self._garbage]
            values = dict(segment_blobs(name, self._recipe, recent, self._recent.postings()))
            values[self._name] = msgspec.msgpack.encode(names)
            self._blobs.put_blobs(values, drop=self._garbage)
            segment = Segment(self._blobs, name, self._recipe)
        except (StoreUnavailable, SegmentLost):
            self._full = len(self._recent) + IN_MEMORY  # everything stays in memory meanwhile
            return
        segment.keys = ()
        self._garbage, self._full = [], IN_MEMORY
        self._recent, self._keys = TermIndex(k1=self._k1, b=self._b), {}
        self._add(segment)

    def scores(self, query: Mapping[str, float]) -> dict[str, float]:
        while True:
            norm = Norm(self._k1, self._b, len(self), self._total + self._recent.total)
            if not norm.size or not norm.total:
                return {}
            try:
                read = [(part, {name: part.posting(name) for name in query}) for part in self._segments]
                counts = {name: self._counted(name, ((part, posted[name]) for part, posted in read)) for name in query}
                weights = term_weights(query, counts.__getitem__, norm)
                scores = self._recent.document_scores(weights, norm)
                for segment, postings in read:
                    ids, live = segment.ids, segment.live
                    partial = document_scores(weights, postings.__getitem__, segment.lengths, norm)
                    scores.update((ids[number], score) for number, score in partial.items() if live[number])
                return scores
            except SegmentLost:
                self._drop_lost()

    def held_terms(self, path: str, names: Iterable[str]) -> list[str]:
        place = self._where.get(path)
        if place is None:
            return self._recent.held_terms(path, names)
        segment, number = place
        try:
            return [name for name in names if holds(segment.posting(name), number)]
        except SegmentLost:
            return []

    def idf(self, name: str) -> float:
        """Return a term's inverse document frequency, which is highest if no file contains the term."""
        try:
            return idf(len(self), self._counted(name, ((segment, segment.posting(name)) for segment in self._segments)))
        except SegmentLost:
            return 0.0

    def __len__(self) -> int:
        return len(self._recent) + len(self._where)

    def _counted(self, name: str, postings: Iterable[tuple[Segment, Posting | None]]) -> int:
        count = self._recent.count(name)
        for segment, posting in postings:
            if posting is not None:
                all_live = segment.count == len(segment.ids)
                documents = posting.documents
                count += len(documents) if all_live else sum(map(segment.live.__getitem__, documents))
        return count

    def _add(self, segment: Segment) -> None:
        self._segments.append(segment)
        places = zip(repeat(segment), range(len(segment.ids)))
        self._where.update(compress(zip(segment.ids, places, strict=True), segment.live))
        self._total += sum(compress(segment.lengths, segment.live))

    def _drop_lost(self) -> None:
        """Forget the segments that cannot be read, because the store has changed since."""
        for segment in [segment for segment in self._segments if not segment.is_whole()]:
            self._segments.remove(segment)
            self._garbage.append(segment.name)
            for path in [path for number, path in enumerate(segment.ids) if segment.live[number]]:
                self.lost.append(path)
                self.remove(path)


def names_of(blobs: Blobs, name: str) -> list[str]:
    """Return the names of the parts listed under a name, oldest first."""
    data = blobs.get_blob(name)
    try:
        return msgspec.msgpack.decode(data, type=list[str]) if data is not None else []
    except msgspec.MsgspecError:
        return []
