"""The check of facets imported from our own export.

The content must be the same by hash, and the limits are those of any other facet.
"""

from __future__ import annotations

from typing import Final

import msgspec

from sidecar.files.clean_text import clean
from sidecar.files.facets.admission_result import FACETS_PER_CONTENT, MAX_SENTENCE, MIN_SENTENCE
from sidecar.files.facets.carry_over import merge_facets
from sidecar.runtime.errors import InvalidField
from sidecar.store.records import FacetRecord, FacetsRecord
from sidecar.text.lazy_patterns import lazy
from sidecar.text.own_blocks import TAG
from sidecar.text.secrets import redact

_HASH: Final = lazy(r"[0-9a-f]{32}")
_MAX_TIME_MS: Final = 2**53 - 1
_MAX_NAMES: Final = 100


def sound_facets(record: FacetsRecord) -> FacetsRecord:
    """Return the well-formed facets without secrets. Raises `InvalidField` for a bad hash or too many facets."""
    if not _HASH.fullmatch(record.hash) or len(record.facets) > FACETS_PER_CONTENT:
        raise InvalidField(
            "These facets do not belong to one file: the hash is malformed, or there are too many.",
            path="$.path",
            reason="malformed",
        )
    return msgspec.structs.replace(record, facets=tuple(facet for facet in record.facets if _is_sound(facet)))


def with_imported(before: FacetsRecord, more: FacetsRecord) -> FacetsRecord:
    return msgspec.structs.replace(before, facets=merge_facets(before.facets, more.facets, FACETS_PER_CONTENT))


def _is_sound(facet: FacetRecord) -> bool:
    text = facet.text
    fits = MIN_SENTENCE <= len(text) <= MAX_SENTENCE and clean(text, 2 * MAX_SENTENCE) == text
    if not fits or TAG in text or redact(text)[1]:
        return False
    names = (*facet.identifiers, *(part for pair in facet.symbols for part in pair))
    return (
        len(facet.identifiers) > 0
        and len(names) <= _MAX_NAMES
        and all(0 < len(name) <= MAX_SENTENCE and name.isprintable() for name in names)
        and 0 <= facet.at <= _MAX_TIME_MS
        and len(facet.source) <= 100
        and len(facet.partners) <= _MAX_NAMES
        and not any(
            path.startswith("/") or "\0" in path or ".." in path.split("/")
            for path in (facet.path or "", *facet.partners)
        )
    )
