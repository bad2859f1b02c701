"""The number of tokens a briefing may have."""

from __future__ import annotations

SHARE = 0.16
"""Target share of the tokens of long files; smaller ones get more, for a list of names is no briefing."""
FLOOR = 640
CEILING = 1_800
_FLOOR_SHARE = 0.6
_LEAST, _TITLE = 40, 20
"""Tokens that even the smallest file gets, and those beyond a small file's share, for its title."""


def target(file_tokens: int) -> int:
    """Return about 16 % of a file's tokens, between 640 (or 60 % of a smaller file) and 1,800."""
    floor = min(FLOOR, max(_LEAST, int(_FLOOR_SHARE * file_tokens) + _TITLE))
    return min(CEILING, max(int(SHARE * file_tokens), floor))
