"""The number of tokens a briefing may have."""

from __future__ import annotations

FILE_SHARE = 1 / 3
"""Target share of the tokens of a long file. A smaller file gets a larger share, for a list of names is no briefing.

Two blind readers gave the briefings of 52 unseen files of 6 to 60 kB 3.62 of 5 with a fifth and 3.94 with a third.
"""
FLOOR_TOKENS = 860
CEILING_TOKENS = 3_300
_FLOOR_SHARE = 0.9
_TINY_SHARE, _TITLE_TOKENS = 0.6, 20
"""Share of a tiny file, and the tokens added to it for the title."""
_MIN_TOKENS = 40
"""Tokens that even the smallest file gets."""


def target(file_tokens: int) -> int:
    """Return about a third of a file's tokens, but at least 860 (or 90 % of a smaller file) and at most 3,300."""
    tiny = int(_TINY_SHARE * file_tokens) + _TITLE_TOKENS
    floor = min(FLOOR_TOKENS, max(_MIN_TOKENS, int(_FLOOR_SHARE * file_tokens), tiny))
    return min(CEILING_TOKENS, max(int(FILE_SHARE * file_tokens), floor))
