"""Name a secret's kind in the mark that replaces it, from the detectors' own identifiers."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

PASSWORD = "password"  # noqa: S105  a kind, not a password
PASSWORD_IN_URL = "password in URL"  # noqa: S105
PRIVATE_KEY = "private key"
SECRET = "secret"  # noqa: S105


class SecretSpan(NamedTuple):
    """A match."""

    start: int
    end: int
    kind: str
    weak: bool = False  # found only by a name; a vendor's format at the same place wins


_TABLE = read_toml(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
_WORD_SPELLINGS: dict[str, str] = _TABLE["spelled"]
_LABEL_BY_DETECTOR: dict[str, str] = _TABLE["whole"]
# Detectors that judge a value by the name to which it is assigned.
NAMED = frozenset(("contextual-secret", "generic-api-key", "vendor-prefixed-credential"))
# The pattern of marks has the same limit.
_MAX_KIND_CHARS = 60
_NOT_IN_LABEL = lazy(r"[^A-Za-z0-9 ]+")


def label(detector: str) -> str:
    """Turn a detector's identifier (words joined by `-` or `_`) into at most 60 letters, digits and spaces."""
    known = _LABEL_BY_DETECTOR.get(identifier(detector))
    if known is not None:
        return known
    first, *rest = identifier(detector).split("-")
    words = [_WORD_SPELLINGS.get(first, first.capitalize()), *(_WORD_SPELLINGS.get(word, word) for word in rest)]
    return _NOT_IN_LABEL.sub(" ", " ".join(words))[:_MAX_KIND_CHARS].strip()


def identifier(detector: str) -> str:
    return detector.replace("_", "-")
