"""Find the documents of a lexical index that may hold much of a text."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import fsum

from sidecar.store.lexical_snapshot import Postings

MIN_SHARE = 0.3
"""Share of a text's idf mass: documents that hold less are not searched, unless requested."""

_LOOKED = 0.55  # share of the mass that is always looked at, which leaves fewer documents to compare
_MAX_CANDIDATES = 5_000
_MAX_COMPARED = 64


def candidates(postings: Postings, weights: dict[str, float], least: float, ids: Sequence[str | None]) -> list[int]:
    """Return the documents that may hold terms of weight `least`: without the rarest terms they hold too little."""
    total = fsum(weights.values())
    enough = max(total - least, _LOOKED * total)
    seen: set[int] = set()
    several: set[int] = set()  # of those, the documents that hold more than one of the terms looked at
    looked: list[tuple[float, array[int]]] = []
    passed = 0.0
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        if passed > enough:
            break
        passed += weights[term]
        count = postings.count(term)
        if not count:
            continue
        if len(seen) + count > _MAX_CANDIDATES and seen:
            break
        documents = postings[term].documents
        several.update(seen.intersection(documents))
        seen.update(documents)
        looked.append((weights[term], documents))
    # The terms not looked at can add no more than their whole weight.
    least -= total - passed + 1e-9
    shared: dict[int, float] = {}
    for weight, documents in looked:
        for number in several.intersection(documents) if several else ():
            shared[number] = shared.get(number, 0.0) + weight
    single, last = 0, 0.0  # the heaviest terms one after the other, until there are enough, ties included
    for weight, documents in looked:
        if weight < least or (single >= _MAX_COMPARED and weight < last):
            break
        alone = set(documents).difference(several)
        shared.update(dict.fromkeys(alone, weight))
        single, last = single + len(alone), weight
    near = [number for number, weight in shared.items() if weight >= least]
    near.sort(key=lambda number: (-shared[number], ids[number] or ""))
    return near[:_MAX_COMPARED]
