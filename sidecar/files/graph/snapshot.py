"""The graph as bytes and back, so that the first map of a process need not be made of all files again.

What is kept is what the same files would give: links, ranks and the scores of definitions. Whoever reads it compares
the contents it was made of with those that stand there now, and puts or removes the files that differ. Bytes that are
not whole, or of another version, are none.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from sidecar.files.graph.links import Links
from sidecar.files.graph.node import Node, Out, family
from sidecar.files.graph.ranking import Ranked, best_of
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.scan.scanning import RECIPE as SCAN_RECIPE

# Version of everything that shapes links and ranks: raise it whenever the same scans may give others.
RECIPE: Final = 3

_LEVEL: Final = 1

Held = dict[str, tuple[str, str]]
"""By path the hash and the language of the content that was scanned."""


class _File(msgspec.Struct, frozen=True, array_like=True):
    path: str
    hash: str
    language: str
    weight: float
    imports: tuple[str, ...]
    lines: bytes
    owners: bytes
    flags: bytes
    defined: bytes
    used: bytes
    times: bytes
    scores: bytes
    out: tuple[bytes, bytes, bytes, bytes, bytes]


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """Files in the order of their paths; numbers of files are places in that order."""

    recipe: tuple[int, int, int, str]
    names: list[str]
    files: list[_File]
    rank: bytes


_decoder = msgspec.msgpack.Decoder(_Kept)
# Languages without rules of their own are scanned by their outlines.
_recipe = (RECIPE, SCAN_RECIPE, OUTLINE_RECIPE, f"{array('I').itemsize}{array('d').itemsize}")


def packed(links: Links, ranked: Ranked, held: Mapping[str, tuple[str, str]]) -> bytes:
    """All of a ranked graph, of which `held` tells the contents."""
    return zlib.compress(msgspec.msgpack.encode(_kept(links, ranked, held)), _LEVEL)


def renewed(links: Links, ranked: Ranked) -> tuple[Links, Ranked]:
    """The same graph without the names and numbers of what is gone: each edit may bring new ones, and none goes."""
    held = {path: ("", links.nodes[path].language) for path in ranked.paths}
    links, ranked, _ = _restored(_kept(links, ranked, held))
    return links, ranked


def _kept(links: Links, ranked: Ranked, held: Mapping[str, tuple[str, str]]) -> _Kept:
    place = ranked.place
    every = (numbers for node in links.nodes.values() for numbers in (node.defined, node.used))
    used = sorted({number for numbers in every for number in numbers})
    name = {number: at for at, number in enumerate(used)}  # in the order that they had
    files = []
    for path, out, scores in zip(ranked.paths, ranked.out, ranked.symbols, strict=True):
        node = links.nodes[path]
        hash, language = held[path]
        files.append(
            _File(
                path,
                hash,
                language,
                node.weight,
                node.imports,
                node.lines.tobytes(),
                node.owners.tobytes(),
                node.flags,
                array("I", [name[number] for number in node.defined]).tobytes(),
                array("I", [name[number] for number in node.used]).tobytes(),
                node.times,
                scores.tobytes(),
                (
                    array("I", [place[number] for number in out.files]).tobytes(),
                    out.shares.tobytes(),
                    array("I", [place[number] for number in out.targets]).tobytes(),
                    array("I", [name[number] for number in out.names]).tobytes(),
                    out.parts.tobytes(),
                ),
            )
        )
    names = [links.names[number] for number in used]
    return _Kept(_recipe, names, files, array("d", ranked.rank).tobytes())


def unpacked(data: bytes) -> tuple[Links, Ranked, Held] | None:
    """What `packed` was given; None when it is of another version or no such bytes."""
    try:
        kept = _decoder.decode(zlib.decompress(data))
        return _restored(kept) if kept.recipe == _recipe else None
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, ValueError, IndexError):
        return None


def _restored(kept: _Kept) -> tuple[Links, Ranked, Held]:
    names = kept.names
    nodes: list[Node] = []
    outs: list[Out] = []
    for number, one in enumerate(kept.files):
        defined = _numbers(one.defined)
        nodes.append(
            Node(
                path=one.path,
                number=number,
                weight=one.weight,
                language=one.language,
                family=family(one.language),
                imports=one.imports,
                names=tuple([names[each] for each in defined]),
                lines=_numbers(one.lines),
                owners=_numbers(one.owners, "i"),
                flags=one.flags,
                defined=defined,
                used=_numbers(one.used),
                times=one.times,
            )
        )
        files, shares, targets, used, parts = one.out
        outs.append(Out(_numbers(files), _floats(shares), _numbers(targets), _numbers(used), _floats(parts)))
    links = Links.of(names, nodes, outs)
    symbols = [_floats(one.scores) for one in kept.files]
    paths = [node.path for node in nodes]
    ranked = Ranked(
        paths=paths,
        numbers={path: number for number, path in enumerate(paths)},
        edges=[(out.files, out.shares) for out in outs],
        rank=_floats(kept.rank).tolist(),
        symbols=symbols,
        best=best_of(symbols, lambda: None),
        out=outs,
        defined=[node.defined for node in nodes],
        place=range(len(paths)),
    )
    return links, ranked, {one.path: (one.hash, one.language) for one in kept.files}


def _numbers(data: bytes, kind: Literal["I", "i"] = "I") -> array[int]:
    made = array(kind)
    made.frombytes(data)
    return made


def _floats(data: bytes) -> array[float]:
    made = array("d")
    made.frombytes(data)
    return made
