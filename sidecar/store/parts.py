"""Pack named runs of bytes into one value, which is checked as a whole and read in place."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import xxhash

_MAGIC = b"MSPARTS1"
_HEAD = len(_MAGIC) + 8 + 4  # magic, checksum of all that follows, size of the directory
_ALIGNMENT_BYTES = 8  # so that each part can be read in place as a column of doubles

Part = bytes | bytearray | memoryview


def pack(parts: Mapping[str, Part]) -> bytes:
    directory = msgspec.msgpack.encode({name: len(part) for name, part in parts.items()})
    body = bytearray(len(directory).to_bytes(4, "little") + directory)
    for part in parts.values():
        body += bytes(-(len(body) + _HEAD - 4) % _ALIGNMENT_BYTES)
        body += part
    return _MAGIC + xxhash.xxh3_64_digest(body) + body


def unpack(value: Part, *, whole: bool = False) -> dict[str, memoryview]:
    """Return the parts as views of the value. Raises ValueError for anything that `pack` did not make, or damage.

    `whole`: the value's checksum was verified already.
    """
    view = memoryview(value)
    if len(view) < _HEAD or view[: len(_MAGIC)] != _MAGIC:
        raise ValueError("this is not a snapshot")
    if not whole and xxhash.xxh3_64_digest(view[16:]) != view[8:16]:
        raise ValueError("this is not a snapshot, or a damaged one")
    at = _HEAD + int.from_bytes(view[16:_HEAD], "little")
    parts = {}
    for name, size in msgspec.msgpack.decode(view[_HEAD:at], type=dict[str, int]).items():
        at += -at % _ALIGNMENT_BYTES
        parts[name] = view[at : at + size]
        at += size
    if at != len(view):
        raise ValueError("the snapshot's parts do not fill it")
    return parts
