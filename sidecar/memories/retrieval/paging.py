"""Cursors: opaque texts that say which query a page belongs to and after which item the next page begins.

A cursor that was cut, invented or issued for another query is refused: it could repeat or skip memories.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import InvalidField
from sidecar.store.codec import seal, unseal

_CURSOR_PATH = "$.cursor"
_MAX_CURSOR_CHARS = 512  # every cursor of ours is shorter


class Position(msgspec.Struct, frozen=True, array_like=True):
    """Where a page ended."""

    question: bytes  # digest of the query
    asked_at: int  # when its first page was requested
    rank: float  # of the page's last item
    id: str  # of the page's last item


def digest(*question: object) -> bytes:
    return blake2b(repr(question).encode("utf-8", "surrogatepass"), digest_size=6).digest()


def encode(position: Position) -> str:
    return urlsafe_b64encode(seal(msgspec.msgpack.encode(position))).decode().rstrip("=")


def decode(cursor: str, question: bytes) -> Position:
    """Return the position of a cursor. Raises InvalidField for any other text."""
    hint = "Send a cursor exactly as it was answered, with the same query and filters; leave it out to begin again."
    try:
        if len(cursor) > _MAX_CURSOR_CHARS:
            raise ValueError
        blob = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        position = msgspec.msgpack.decode(unseal(blob), type=Position)
    except (ValueError, msgspec.MsgspecError):
        raise InvalidField("The sidecar did not issue this cursor.", path=_CURSOR_PATH, hint=hint) from None
    if position.question != question:
        raise InvalidField("The cursor belongs to another query.", path=_CURSOR_PATH, hint=hint)
    return position


def check_limit(limit: int) -> int:
    """Check a page's limit. Raises InvalidField if it is below one."""
    if limit < 1:
        raise InvalidField("A page must hold at least one memory.", path="$.limit")
    return limit
