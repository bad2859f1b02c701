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


def candidates(
    postings: Postings, weights: dict[str, float], min_weight: float, ids: Sequence[str | None]
) -> list[int]:
    """Return the documents that may hold terms of weight `min_weight`, by the rarest terms, without which none can."""
    total = fsum(weights.values())
    enough = max(total - min_weight, _EXAMINED_SHARE * total)
    documents_seen: set[int] = set()
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
        if len(documents_seen) + count > _MAX_CANDIDATES and documents_seen:
            break
        documents = postings[term].documents
        several.update(documents_seen.intersection(documents))
        documents_seen.update(documents)
        examined.append((weights[term], documents))
    # The other terms can add no more than their whole weight.
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
