"""Read TOML written by others: a repository's settings and manifests."""

from __future__ import annotations

from typing import Any

from sidecar.text.lazy_patterns import lazy

# The limit of parts in a dotted key. `tomllib` takes time quadratic in their number: 20,000, in 40 KB, took 100 s.
MAX_PARTS = 64
_LONG_KEY = lazy(
    r"(?<![\w-])"
    rf"""(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_PARTS}}}"""
)


def read_toml(text: str) -> dict[str, Any]:
    """Return a text's tables. Raises ValueError if it is broken, is nested too deeply or has too long a key."""
    import tomllib

    long_key = _LONG_KEY.search(text)
    if long_key is not None:
        line = text.count("\n", 0, long_key.start()) + 1
        raise ValueError(f"A key has more than {MAX_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
