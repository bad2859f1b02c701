"""A text that asks for files, as weighted terms and the paths it names."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final, NamedTuple

from sidecar.files.retrieval.kinds import SourceKind, asked_for
from sidecar.files.retrieval.places import Places
from sidecar.text.words import query_terms

TITLE: Final = 2  # weight of a term in the first line, against 1 elsewhere
MAX_CHARS: Final = 20_000
MAX_NAMES: Final = 200
_NAME: Final = re.compile(r"[\w$][\w$.+/\\-]*[./\\][\w$.+/\\-]*[\w$]")


class Query(NamedTuple):
    """Weights by term, the files that the text names, and the kinds besides source that its first line asks for."""

    weights: dict[str, float]
    named: frozenset[str]
    kinds: frozenset[SourceKind]


def read_query(text: str, places: Places) -> Query:
    """Read the query in the first MAX_CHARS of a text; repetitions of a term count logarithmically."""
    text = text[:MAX_CHARS].strip()
    title, _, rest = text.partition("\n")
    counts: Counter[str] = Counter()
    for term in query_terms(title):
        counts[term] += TITLE
    for term in query_terms(rest) if rest else ():
        counts[term] += 1
    weights = {term: 1.0 + math.log(count) for term, count in counts.items()}
    named: dict[str, None] = {}
    for name in dict.fromkeys(_NAME.findall(text)):
        path = places.file_named(name)
        if path is not None:
            named[path] = None
        if len(named) >= MAX_NAMES:
            break
    return Query(weights, frozenset(named), asked_for(title))
