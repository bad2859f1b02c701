"""Records to bytes and back: the xxh3-64 of the payload (8 bytes, big endian), then msgpack.

Each read verifies the checksum, which also finds damage that happens to be valid msgpack.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec
import xxhash

from sidecar.runtime.errors import InvalidField
from sidecar.store.faults import Undecodable

log = logging.getLogger(__name__)

_CHECKSUM_BYTES = 8
_encoder = msgspec.msgpack.Encoder()

T = TypeVar("T", bound=msgspec.Struct)


def seal(payload: bytes) -> bytes:
    return xxhash.xxh3_64_digest(payload) + payload


def unseal(stored: object) -> bytes:
    """Return the payload of a value with a checksum. Raises `Undecodable` for anything else."""
    if type(stored) is not bytes or len(stored) < _CHECKSUM_BYTES:
        raise Undecodable("not a sealed value")
    payload = stored[_CHECKSUM_BYTES:]
    if xxhash.xxh3_64_digest(payload) != stored[:_CHECKSUM_BYTES]:
        raise Undecodable("the checksum does not fit")
    return payload


def encode(record: msgspec.Struct) -> bytes:
    """Encode a record, with its checksum. Raises `InvalidField` for text that is not Unicode (lone surrogates)."""
    try:
        return seal(_encoder.encode(record))
    except UnicodeEncodeError as error:
        raise InvalidField("A text holds half a surrogate pair and cannot be stored.", reason="unicode") from error


class Codec(Generic[T]):
    """Reads records of one type. Damage to a `derived` record, which can be made again, is only logged as a warning."""

    def __init__(self, kind: type[T], *, derived: bool = False) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._level = logging.WARNING if derived else logging.ERROR

    def decode(self, stored: object) -> T:
        """Decode a value. Raises `Undecodable` if it is damaged or has another layout."""
        payload = unseal(stored)
        try:
            return self._decoder.decode(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Undecodable(str(error)) from error

    def readable(
        self, rows: Iterable[tuple[str, object]], damaged: Callable[[], object] = bool
    ) -> Iterator[tuple[str, T]]:
        """Yield keys and records of the rows; skip and log damaged records, and call `damaged` for each."""
        for key, value in rows:
            try:
                yield key, self.decode(value)
            except Undecodable as error:
                damaged()
                log.log(self._level, "Row %.80s is damaged and counts as absent: %s.", key, error)

    def decode_row(self, key: str, value: object, damaged: Callable[[], object] = bool) -> T | None:
        """Return the record of one row; None if the value is missing or damaged."""
        return None if value is None else next((record for _, record in self.readable([(key, value)], damaged)), None)
