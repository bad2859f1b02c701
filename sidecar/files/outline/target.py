"""The number of tokens a briefing may have."""

from __future__ import annotations

FILE_SHARE = 0.2
"""Target share of the tokens of a long file. A smaller file gets a larger share, for a list of names is no briefing."""
FLOOR_TOKENS = 860
CEILING_TOKENS = 2_000
_FLOOR_SHARE = 0.9
_TINY_SHARE, _TITLE_TOKENS = 0.6, 20
"""Share of a tiny file, and the tokens added to it for the title."""
_MIN_TOKENS = 40
"""Tokens that even the smallest file gets."""


def target(file_tokens: int) -> int:
    """Return about 20 % of a file's tokens, between 860 (or 90 % of a smaller file) and 2,000."""
    tiny = int(_TINY_SHARE * file_tokens) + _TITLE_TOKENS
    floor = min(FLOOR_TOKENS, max(_MIN_TOKENS, int(_FLOOR_SHARE * file_tokens), tiny))
    return min(CEILING_TOKENS, max(int(FILE_SHARE * file_tokens), floor))
