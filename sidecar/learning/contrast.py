"""Find what a short message wants in place of what: "use httpx, not requests", "os.path again, I'd like pathlib"."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.text.lazy_patterns import patterns
from sidecar.text.words import query_terms

_FORMS: Final = patterns(Path(__file__), "contrast")
LONGEST: Final = 200  # characters of a message that only says how something should be done
_VAGUE: Final = frozenset(
    query_terms(
        "use used should you we our this that here there one ones please it them those these something anything thing"
    )
)


class Contrast(NamedTuple):
    """The significant terms of what is wanted and of what is not."""

    wanted: frozenset[str]
    unwanted: frozenset[str]

    def agrees(self, other: Contrast) -> bool:
        return bool(self.wanted & other.wanted and self.unwanted & other.unwanted)


@lru_cache(maxsize=4_000)
def contrast_of(text: str) -> Contrast | None:
    """Return what a text wants in place of what; None if it does not say both."""
    if len(text) > LONGEST:
        return None
    plain = text.replace("’", "'")
    found = {"wanted": set[str](), "unwanted": set[str]()}

    def take(match: re.Match[str]) -> str:
        for name, words in match.groupdict().items():
            found[name.rstrip("_")].update(query_terms(words or ""))
        return " ; "

    for form in ("between", "unwanted", "wanted"):
        plain = _FORMS[form].sub(take, plain)
    wanted, unwanted = found["wanted"] - _VAGUE, found["unwanted"] - _VAGUE
    contrast = Contrast(frozenset(wanted - unwanted), frozenset(unwanted - wanted))
    return contrast if all(contrast) else None
