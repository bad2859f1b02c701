"""Every file as one document of words: its path, names and signatures of its definitions, and its whole text.

The fields are weighted as measured on commits, and share one length normalisation (BM25F).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from sidecar.files.kinds import SourceKind, kind_of
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.pace import STEADY, Pace
from sidecar.files.pointers import Key
from sidecar.files.retrieval.places import Places
from sidecar.files.retrieval.segments import Blobs
from sidecar.files.retrieval.stored_index import MIN_SEGMENT_FILES, StoredIndex
from sidecar.files.words import unpack
from sidecar.store.records import ContentRecord, every_symbol
from sidecar.text.words import RECIPE as WORDS_RECIPE
from sidecar.text.words import terms, word_terms

# Weights of an occurrence, in halves.
PATH_WEIGHT: Final = 6
SYMBOL_WEIGHT: Final = 2
SIGNATURE_WEIGHT: Final = 1
SOURCE_WEIGHT: Final = 2
SATURATION: Final = 3.0
LENGTH_WEIGHT: Final = 0.6
"""k1 and b of BM25, above the usual 0.9 and 0.4: a source file is long and repeats what it is about.

Chosen on commits of six repositories; nothing was lost on seven held-out ones (`tests/bench/commit_retrieval.py`).
"""

MAX_WORDS: Final = 20_000  # words whose terms are remembered, about 4 MB; to find a word's terms takes 10 µs
MAX_WORDS_OF_MANY: Final = 160_000  # the same in a process that reads all files: several projects share fewer words
WORDS_PER_TURN: Final = 100  # words of a file, a millisecond, between points at which requests may go first

# Version of everything that shapes frequencies: raise its number whenever the same contents may give others.
_RECIPE: Final = f"4 {OUTLINE_RECIPE} {WORDS_RECIPE}"

_WORD: Final = re.compile(r"\w\w+")


Vocabulary = Callable[[str], tuple[str, ...]]


def vocabulary(most: int = MAX_WORDS) -> Vocabulary:
    """Return a function that gives the terms of a word, and remembers those of `most` words."""
    return lru_cache(most)(word_terms)


class Indexed(NamedTuple):
    key: Key
    frequencies: dict[str, int]  # of its terms, in halves


class SourceIndex:
    """Files by path, stored in `blobs` under `name`; without `blobs`, in memory.

    Not thread-safe: guarded by the owner's lock, except for `make`, which only one thread may call.
    """

    def __init__(self, blobs: Blobs | None = None, name: str = "") -> None:
        self.index = StoredIndex(blobs, name, _RECIPE, k1=SATURATION, b=LENGTH_WEIGHT)
        self._vocabulary = vocabulary()
        self.keys: dict[str, Key] = {}
        self.places = Places()

    def __len__(self) -> int:
        return len(self.keys)

    def load(self) -> dict[str, Key]:
        """Open the index that an earlier process saved; return the content that it has of each file."""
        self.keys = self.index.load()
        self.places = Places(self.keys)
        return self.keys

    def save(self) -> None:
        self.index.save(MIN_SEGMENT_FILES)

    def lost(self) -> list[str]:
        """Return the files whose stored data cannot be read; each only once."""
        lost, self.index.lost = self.index.lost, []
        return lost

    def make(self, path: str, record: ContentRecord, pace: Pace = STEADY) -> Indexed:
        terms = frequencies(path, record, self._vocabulary, pace)
        return Indexed((record.hash, record.language), terms)

    def put(self, path: str, document: Indexed) -> None:
        self.keys[path] = document.key
        self.places.add(path)
        self.index.put(path, document.key, document.frequencies)

    def remove(self, path: str) -> None:
        if self.keys.pop(path, None) is not None:
            self.places.remove(path)
            self.index.remove(path)

    def kind(self, path: str) -> SourceKind | None:
        key = self.keys.get(path)
        return None if key is None else kind_of(path, key[1])


def frequencies(path: str, record: ContentRecord, terms_of: Vocabulary, pace: Pace = STEADY) -> dict[str, int]:
    """Return the weighted term frequencies of one file, in halves."""
    symbols = list(every_symbol(record.symbols))
    words = {word: times for word, times, _ in unpack(record.words)}
    names = [symbol.name.rsplit(".", 1)[-1] for symbol in symbols]
    return weighted(path, words, names, [symbol.signature for symbol in symbols], terms_of, pace)


def weighted(
    path: str,
    words: Mapping[str, int],
    names: Iterable[str],
    signatures: Iterable[str],
    terms_of: Vocabulary,
    pace: Pace = STEADY,
) -> dict[str, int]:
    """Return the weighted frequencies of the terms of a path, of words, and of definitions, in halves."""
    amounts = {word: SOURCE_WEIGHT * times for word, times in words.items()}
    for weight, group in ((SYMBOL_WEIGHT, names), (SIGNATURE_WEIGHT, _WORD.findall(" ".join(signatures)))):
        for word in group:
            amounts[word] = amounts.get(word, 0) + weight
    counts = {term: PATH_WEIGHT * times for term, times in Counter(terms(path)).items()}
    get = counts.get
    rest = iter(amounts.items())
    while some := list(islice(rest, WORDS_PER_TURN)):
        pace.give_way()
        for word, amount in some:
            for term in terms_of(word):
                counts[term] = get(term, 0) + amount
    return counts
