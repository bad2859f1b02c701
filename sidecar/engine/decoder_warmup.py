"""Makes msgspec ready for several threads.

msgspec 0.22 works out how to read a struct when it first reads one, and shows what it has worked out so far to any
other thread that reads one meanwhile, which crashes the process: a soak of servers that were started again and again
met it every few minutes. So a process that serves on several threads has all structs worked out while there is one.
A module that is imported later makes a decoder for each of its own when it is imported, which one thread does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec


def work_out() -> int:
    """Have all structs that a server reads worked out; how many. Before other threads read any."""
    import sidecar.files.workers.worker
    import sidecar.store.records  # noqa: F401 - defined somewhere, they are found below

    done = 0
    for kind in list(_all(msgspec.Struct)):
        # One that cannot be read at all, such as one that holds a lock, never is.
        with contextlib.suppress(TypeError, NameError, AttributeError):
            msgspec.json.Decoder(kind)
            done += 1
    return done


def _all(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in kind.__subclasses__():
        yield each
        yield from _all(each)
