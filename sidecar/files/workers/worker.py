"""A worker process that reads and parses files, so that parsing never delays a request.

`python -m sidecar.files.workers.worker` reads a msgpack message for each batch from stdin and writes one to stdout; its
length (4 bytes, big endian) comes before each. It ends when stdin closes, as when the parent process dies.
"""

from __future__ import annotations

import gc
import os
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from sidecar.checkout.ignore import IgnoreReasons
from sidecar.checkout.tree import Tree
from sidecar.files.language import language_of
from sidecar.files.outline import outline
from sidecar.files.retrieval.source_index import MAX_WORDS_OF_MANY, Vocabulary, frequencies, vocabulary, weighted
from sidecar.files.scan.record import Scan
from sidecar.files.scan.scanning import can_sketch, scan, sketch
from sidecar.runtime.errors import SidecarError
from sidecar.store.records import ContentRecord
from sidecar.system.processes import limit


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """Files to read, by relative paths below `root`, and what to make of each."""

    root: str
    max_file_bytes: int
    ignore: list[str]
    paths: list[str]
    outline: bool = True
    scan: bool = False
    terms: bool = False
    sketch: bool = False  # do not search for secrets, nor outline languages that can be sketched
    exact: bool = False  # index from an outline, even if none is to be shown


class Parsed(msgspec.Struct, frozen=True, array_like=True):
    """One file of a batch with what was requested; None for what it lacks (binary, too large, gone)."""

    path: str
    size: int
    mtime_ns: int
    content: ContentRecord | None = None
    scan: Scan | None = None
    hash: str = ""
    terms: dict[str, int] | None = None  # frequencies, in halves


decode_parsed = msgspec.msgpack.Decoder(list[Parsed]).decode  # on import: see `engine/decoder_warmup.py`
_decode_batch = msgspec.msgpack.Decoder(Batch).decode

BATCH_CPU_SECONDS = 60  # processor time for a batch, so that a hostile file costs no other batch
UNSKETCHED = 2_000  # of a warm-up with more files, only those outlined ahead are not indexed from sketches
SKETCHED_TOGETHER = 64  # files of a batch that are only sketched: each batch looks up the ignore rules anew
COLLECTED_AFTER = 1_000  # files between collections; the cycles of this many outlines take 20 MB
MEMORY_BYTES = 2 << 30  # of a worker; the largest ordinary file takes less than a tenth
_LENGTH = struct.Struct(">I")


def send(stream: IO[bytes], message: msgspec.Struct | list[Parsed]) -> None:
    send_bytes(stream, msgspec.msgpack.encode(message))


def send_bytes(stream: IO[bytes], body: bytes | memoryview) -> None:
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message; None if the other side has closed the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    body = stream.read(size)
    return body if len(body) == size else None


def batches(
    tree: Tree, paths: Sequence[str], size: int, *, outlines: int, scan: bool, terms: bool = False, exact: bool = False
) -> list[Batch]:
    """Return batches of `size` paths. About the first `outlines` are outlined, and of many the others sketched; with
    `exact`, the others are indexed as if they were outlined, in a third of the time.
    """
    folder = (str(tree.root), tree.max_file_bytes, tree.extra_ignores)
    made: list[Batch] = []
    at = 0
    while at < len(paths):
        sketch = terms and len(paths) > UNSKETCHED and at >= outlines
        end = at + (SKETCHED_TOGETHER if sketch else size)
        made.append(Batch(*folder, list(paths[at:end]), at < outlines, scan, terms, sketch, exact))
        at = end
    return made


def tree_of(batch: Batch) -> Tree:
    return Tree(Path(batch.root), max_file_bytes=batch.max_file_bytes, extra_ignores=batch.ignore)


def parse(batch: Batch, tree: Tree | None = None, terms_of: Vocabulary | None = None) -> list[Parsed]:
    tree = tree or tree_of(batch)
    terms_of = terms_of or vocabulary()
    ignore_reasons = IgnoreReasons(tree.ignores)
    from_outline = batch.outline or batch.exact
    parsed: list[Parsed] = []
    for path in batch.paths:
        try:
            file = tree.read(path, ignore_reasons)
        except SidecarError:
            parsed.append(_nothing(tree, path))
            continue
        language = language_of(path, file.data)
        content = scanned = terms = None
        if batch.scan and batch.terms and not from_outline and can_sketch(language, masked=not batch.sketch):
            scanned, words, heads = sketch(language, file.data, masked=not batch.sketch)
            terms = weighted(path, words, scanned.names, heads, terms_of)
        else:
            if batch.outline or batch.terms:
                content = outline(path, file.data, file.hash, shown=batch.outline)
                terms = frequencies(path, content, terms_of) if batch.terms else None
            if batch.scan:
                scanned = scan(path, language, file.data, content)
                scanned = replace(scanned, fault=content.fault) if content is not None and content.fault else scanned
        content = content if batch.outline else None
        parsed.append(Parsed(path, file.size, file.mtime_ns, content, scanned, file.hash, terms))
    return parsed


def _nothing(tree: Tree, path: str) -> Parsed:
    """Return the stat of a file without a briefing. By it, the file is not read again until it changes."""
    try:
        stat = tree.stat(path)
    except SidecarError:
        return Parsed(path, -1, 0)
    return Parsed(path, stat.size, stat.mtime_ns)


def main() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by anything else must not corrupt the stream
    if "--awaited" not in sys.argv:
        with suppress(OSError):
            os.nice(10)
    limit("AS", MEMORY_BYTES)  # a greedy file ends this process instead of slowing the machine
    source = sys.stdin.buffer
    with suppress(BrokenPipeError, KeyboardInterrupt):
        tree: Tree | None = None
        terms_of = vocabulary(MAX_WORDS_OF_MANY)
        last_folder: tuple[str, int, list[str]] | None = None
        gc.disable()  # it would visit all remembered words again and again, which takes a tenth of the time
        read = 0
        while (body := receive(source)) is not None:
            batch = _decode_batch(body)
            folder = (batch.root, batch.max_file_bytes, batch.ignore)
            if tree is None or folder != last_folder:
                tree, last_folder = tree_of(batch), folder
            limit("CPU", int(time.process_time()) + BATCH_CPU_SECONDS)
            send(output, parse(batch, tree, terms_of))
            read += len(batch.paths)
            if read >= COLLECTED_AFTER:
                gc.collect()
                read = 0


if __name__ == "__main__":
    main()
