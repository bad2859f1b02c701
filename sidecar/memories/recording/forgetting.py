"""Prevent deleted memories from being learned again.

A tombstone holds digests of a memory's key and text, and a sketch that recognises texts that differ in a few words. The
sketch consists of one-bit min-wise hashes (Li and König, "b-Bit Minwise Hashing", WWW 2010) of the text's terms and of
pairs of neighbouring terms. Terms alone would not do: "use pnpm rather than npm" has the words of its opposite.
Numbers and negations must agree exactly. Only learning is refused: a memory recorded on purpose lifts its tombstone.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.recording import merging
from sidecar.memories.wording.naming import derive_name
from sidecar.runtime.digests import blake2b
from sidecar.runtime.made_once import made_once
from sidecar.store.memory_store import MemoryTransaction
from sidecar.store.records import MemoryRecord, TombstoneRecord
from sidecar.text.lazy_patterns import lazy
from sidecar.text.words import terms

MIN_SAME_TEXT_SHARE = 0.8  # two texts with this share of common terms and pairs say the same
_SKETCH_BITS = 256  # the estimate's standard error is 2 * sqrt(0.9 * 0.1 / 256) = 0.04 at MIN_SAME_TEXT_SHARE
_NUMBERS_PER_DIGEST = 16  # 32-bit numbers in one 64-byte digest
_NEGATIONS = frozenset(
    "no not never none nor neither without instead don't dont doesn't isn't aren't won't can't cannot mustn't "
    "shouldn't avoid stop disable disabled".split()
)
_MAX_ARCHIVED_COMPARED = 5  # archived memories compared with a new one
_DIGITS = lazy(r"\d")
_WORD = lazy(r"[\w'’]+(?:[.:/-]\w+)*")


class Fingerprint(msgspec.Struct, frozen=True, dict=True):
    """The digests and features by which a deleted memory is recognised, each computed when first needed."""

    scope: str
    type: str
    agent: str | None
    name: str
    text: str

    @made_once
    def key(self) -> str:
        name = unicodedata.normalize("NFC", self.name).casefold()
        return _digest(repr((self.scope, self.type, self.agent, name)))

    @made_once
    def content(self) -> str:
        return _digest(merging.normalised(self.text))

    @made_once
    def marks(self) -> int:
        """Return 16 bits of a digest of the numbers and negations, which must be equal."""
        return int(_digest(repr(sorted(_numbers_and_negations(self.text))))[:4], 16)

    @made_once
    def sketch(self) -> bytes:
        """Return 256 bits: for each of 256 hash functions, the lowest bit of the least hash of any feature."""
        features = _features(self.text)
        if not features:
            return b""
        lowest_hashes = [2**32] * _SKETCH_BITS
        for feature in features:
            data = feature.encode(errors="surrogatepass")
            for turn in range(_SKETCH_BITS // _NUMBERS_PER_DIGEST):
                drawn = struct.unpack("<16I", blake2b(data, salt=bytes((turn,))).digest())
                start = turn * _NUMBERS_PER_DIGEST
                for index, value in enumerate(drawn, start):
                    if value < lowest_hashes[index]:
                        lowest_hashes[index] = value
        return sum((value & 1) << index for index, value in enumerate(lowest_hashes)).to_bytes(
            _SKETCH_BITS // 8, "little"
        )


def fingerprint_of(record: MemoryRecord) -> Fingerprint:
    return Fingerprint(record.scope, record.type, record.agent, record.name, record.content)


def tombstone(
    record: MemoryRecord, deleted_at: int, *, purged: bool, earlier: Iterable[MemoryRecord] = ()
) -> TombstoneRecord:
    """Return the tombstone of a deleted memory, which also recognises its `earlier` states.

    If the memory was `purged`, nothing in the tombstone reveals its words.
    """
    fingerprint = fingerprint_of(record)
    return TombstoneRecord(
        id=record.id,
        key=fingerprint.key,
        content=fingerprint.content,
        source=record.source,
        at=deleted_at,
        sketch=b"" if purged else fingerprint.sketch,
        marks=0 if purged else fingerprint.marks,
        former=tuple(
            sorted(
                {fingerprint_of(memory).key for memory in earlier if memory.name == derive_name(memory.content)}
                - {fingerprint.key}
            )
        ),
    )


def without_sketch(record: TombstoneRecord) -> TombstoneRecord:
    return replace(record, sketch=b"", marks=0)


def matching_ids(tombstones: Iterable[TombstoneRecord], fingerprint: Fingerprint) -> list[str]:
    """Return the ids of the deleted memories that had the fingerprint's key or nearly its text."""
    return [buried.id for buried in tombstones if _matches(buried, fingerprint)]


def near_equal(text: str, other: str) -> bool:
    """Return whether two texts say the same, except for a few words that matter little."""
    if merging.normalised(text) == merging.normalised(other):
        return True
    if _numbers_and_negations(text) != _numbers_and_negations(other):
        return False
    first, second = _features(text), _features(other)
    return bool(first and second) and len(first & second) >= MIN_SAME_TEXT_SHARE * len(first | second)


def is_refused(transaction: MemoryTransaction, learned: MemoryRecord, current: MemoryRecord | None) -> bool:
    """Return whether to refuse a learned memory, given the `current` memory of its key.

    It is refused if it was deleted, if the current memory was archived on purpose and this one adds nothing, or if an
    earlier version said the same and somebody edited it.
    """
    if matching_ids(transaction.tombstones(), fingerprint_of(learned)):
        return True
    if current is None or merging.contains(current.content, learned.content):
        return current is not None and is_archived_on_purpose(current)
    if is_archived_on_purpose(current) and near_equal(current.content, learned.content):
        return True
    earlier = (version.memory for version in transaction.history(current.id))
    return any(memory is not None and merging.contains(memory.content, learned.content) for memory in earlier)


def is_archived_on_purpose(record: MemoryRecord) -> bool:
    """Return whether a person or agent archived or promoted a memory, rather than maintenance."""
    return record.status == "archived" and record.archived_for in (None, "promoted")


def was_archived_on_purpose(catalogue: Catalogue, record: MemoryRecord, now: int) -> bool:
    """Return whether a memory of another name says the same and was archived on purpose."""
    with catalogue.current() as index:
        hidden = index.select(Filters(agent=ANY_AGENT, status=("archived",)), now)
        near = index.words.holders(record.content, _MAX_ARCHIVED_COMPARED, hidden.ids.__contains__)
        records = index.fetch([id for id, _ in near])
    return any(
        is_archived_on_purpose(memory) and near_equal(memory.content, record.content)
        for memory in records.values()
        if memory.scope == record.scope and memory.agent == record.agent
    )


def _matches(buried: TombstoneRecord, fingerprint: Fingerprint) -> bool:
    if fingerprint.key in (buried.key, *buried.former) or buried.content == fingerprint.content:
        return True
    if not buried.sketch or buried.marks != fingerprint.marks or len(buried.sketch) != len(fingerprint.sketch):
        return False
    differing = int.from_bytes(buried.sketch, "little") ^ int.from_bytes(fingerprint.sketch, "little")
    return 1 - 2 * differing.bit_count() / _SKETCH_BITS >= MIN_SAME_TEXT_SHARE


def _features(text: str) -> frozenset[str]:
    words = terms(text)
    return frozenset((*words, *(f"{first}\0{second}" for first, second in pairwise(words))))


def _numbers_and_negations(text: str) -> frozenset[str]:
    """Return a text's numbers, words with digits, and negating words."""
    words = (word.replace("’", "'") for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
    return frozenset(word for word in words if word in _NEGATIONS or _DIGITS.search(word))


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
