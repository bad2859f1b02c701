"""Prepare msgspec for use by several threads.

msgspec 0.22 analyses a struct when it first decodes one, and exposes the unfinished result to other threads that decode
one meanwhile, which crashes the process: a soak of repeatedly restarted servers met it every few minutes. A process
that serves on several threads therefore has all structs analysed while it has one thread. A module imported later
creates a decoder for each of its structs on import, on one thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec


def warm_up_decoders() -> int:
    """Make msgspec analyse every struct that a server decodes, before other threads decode any; return their number."""
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
