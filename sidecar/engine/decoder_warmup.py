"""Let msgspec analyse all structs before a request is answered.

msgspec 0.22 analyses a struct when it first decodes one. Another thread that decodes such a struct meanwhile gets the
unfinished analysis, and the process crashes: restarting servers for hours met this every few minutes. A server
therefore creates a decoder for every struct before it answers a request. A module imported later creates one for each
of its structs on import, on one thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec


def warm_up_decoders() -> int:
    """Make msgspec analyse every struct that a server decodes; return the number of structs."""
    import sidecar.store.records  # noqa: F401 - defines structs that are found below

    analysed = 0
    for kind in [kind for kind in _all(msgspec.Struct) if not kind.__module__.startswith("msgspec.")]:
        # A struct that cannot be decoded, such as one with a lock, is never decoded.
        with contextlib.suppress(TypeError, NameError, AttributeError):
            msgspec.json.Decoder(kind)
            analysed += 1
    return analysed


def _all(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _all(subclass)
