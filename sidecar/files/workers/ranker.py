"""A process that links and ranks the files of a large checkout, so that the server holds only the result.

`python -m sidecar.files.workers.ranker` reads from stdin, as messages of `worker`, the contents of all files, the saved
graph, the scans made since, and an empty message. It writes the new graph to stdout, and ends when stdin closes.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Final

import msgspec

from sidecar.files.graph.repo_map import RepoMap
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.pace import Pace
from sidecar.files.pointers import Key
from sidecar.files.scan.record import Scan
from sidecar.files.scan.scanning import RECIPE as SCAN_RECIPE
from sidecar.files.workers.pool import spawn
from sidecar.files.workers.worker import receive, send_bytes

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.05

_RECIPE: Final = (SCAN_RECIPE, OUTLINE_RECIPE)


class _Scans(msgspec.Struct, frozen=True, array_like=True):
    recipe: tuple[int, int]
    scans: list[tuple[str, Key, Scan]]


_scans = msgspec.msgpack.Decoder(_Scans)
_contents = msgspec.msgpack.Decoder(dict[str, Key])


def pack_scans(scans: Mapping[str, tuple[Key, Scan]]) -> bytes:
    rows = [(path, *scanned) for path, scanned in scans.items()]
    return zlib.compress(msgspec.msgpack.encode(_Scans(_RECIPE, rows)), 1)


def unpack_scans(data: bytes) -> list[tuple[str, Key, Scan]]:
    """Return the scans; none if the bytes are damaged or of another version."""
    try:
        part = _scans.decode(zlib.decompress(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, zlib.error) as error:
        log.info("Stored scans cannot be read: %s", error)
        return []
    return part.scans if part.recipe == _RECIPE else []


def rank_in_process(
    contents: Mapping[str, Key], graph: bytes | memoryview, scans: Iterable[bytes], pace: Pace
) -> bytes:
    """Let a process rank these contents, from an earlier graph and packed scans; return the packed graph.

    Raises `OSError` if the process fails. `pace` may raise to end the process.
    """
    with tempfile.TemporaryFile() as output, spawn("sidecar.files.workers.ranker", stdout=output) as process:
        try:
            assert process.stdin is not None
            send_bytes(process.stdin, msgspec.msgpack.encode(contents))
            for body in chain((graph,), scans, (b"",)):
                pace.rest()
                send_bytes(process.stdin, body)
            while process.poll() is None:
                pace.rest()
                time.sleep(POLL_SECONDS)
        finally:
            process.kill()
        if process.returncode:
            raise OSError(f"the process that ranks files ended with {process.returncode}")
        output.seek(0)
        return output.read()


def main() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by anything else must not corrupt the result
    with suppress(OSError):
        os.nice(10)
    gc.disable()  # nothing here is garbage before the end
    source, map = sys.stdin.buffer, RepoMap()
    contents = _contents.decode(receive(source) or b"")
    held = map.restore(receive(source) or b"") or {}
    for path in [path for path, key in held.items() if contents.get(path) != key]:
        map.remove(path)
        del held[path]
    while part := receive(source):
        for path, key, scan in unpack_scans(part):
            if contents.get(path) == key and path not in held:
                held[path] = key
                map.put(path, scan)
    threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
    map.rank()
    packing = map.packing(held)
    assert packing is not None
    with output:
        output.write(packing())


if __name__ == "__main__":
    main()
