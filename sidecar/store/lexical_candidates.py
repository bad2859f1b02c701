"""Find the documents of a lexical index that may hold much of a text."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import fsum

from sidecar.store.lexical_snapshot import Postings

MIN_SHARE = 0.3  # share of a text's idf mass that a document must hold to be found, unless another is requested
_EXAMINED_SHARE = 0.55  # share of the mass whose terms are always examined, which leaves fewer documents to compare
_MAX_CANDIDATES = 5_000  # documents that are examined
_MAX_COMPARED = 64  # documents that are compared in full


def candidates(postings: Postings, weights: dict[str, float], least: float, ids: Sequence[str | None]) -> list[int]:
    """Return the documents that may hold terms of weight `least`, by the rarest terms, without which none can."""
    total = fsum(weights.values())
    enough = max(total - least, _EXAMINED_SHARE * total)
    seen: set[int] = set()
    several: set[int] = set()  # documents that hold more than one of the examined terms
    examined: list[tuple[float, array[int]]] = []
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
        examined.append((weights[term], documents))
    # The other terms can add no more than their whole weight.
    least -= total - passed + 1e-9
    shared: dict[int, float] = {}
    for weight, documents in examined:
        for number in several.intersection(documents) if several else ():
            shared[number] = shared.get(number, 0.0) + weight
    single, last = 0, 0.0  # add the documents of one term only, heaviest term first, until there are enough
    for weight, documents in examined:
        if weight < least or (single >= _MAX_COMPARED and weight < last):
            break
        alone = set(documents).difference(several)
        shared.update(dict.fromkeys(alone, weight))
        single, last = single + len(alone), weight
    near = [number for number, weight in shared.items() if weight >= least]
    near.sort(key=lambda number: (-shared[number], ids[number] or ""))
    return near[:_MAX_COMPARED]
