"""Walk the files of a workspace that are worth remembering.

A walk leaves out ignored entries (`ignore.py`), names of binary files, files above the size limit, names that are not
UTF-8, symlinks and other irregular files, and nested repositories, which are separate workspaces.

A folder's times change with its entries. While they and the ignore rules are the same, an earlier listing of the folder
still holds.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import xxhash

from sidecar.checkout.git import MAX_OUTPUT_BYTES, output_of
from sidecar.checkout.ignore import GENERATED, JUNK, SECRET, Ignores, RuleChain, is_binary_name
from sidecar.checkout.states import SIZE_BITS, mark_at, stamp_at
from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

# Characters that stand for the bytes of a name that is not UTF-8.
_UNDECODABLE = lazy(r"[\ud800-\udfff]")

# A folder's path, and the mark of each file in it by path.
WalkEntry = tuple[str, dict[str, int]]
Stamp = tuple[int, int, int]
_SIZE_MASK: Final = (1 << SIZE_BITS) - 1


class Listed(NamedTuple):
    """The rules inside a folder, and the names of folders and files in it to visit."""

    rules: RuleChain
    folders: list[str]
    names: list[str]


# A folder whose last change is older than this surely shows its next change in its times.
SETTLED_NS: Final = 3_000_000_000
# From this many listed folders on, another process finds the states of their files.
MANY_FOLDERS: Final = 1_000
STATES_SECONDS: Final = 20.0


def mark(size: int, mtime_ns: int) -> int:
    """Return a number that stands for a file's size and time in a fifth of the memory."""
    return (mtime_ns << SIZE_BITS) + size


def size_and_time(mark: int) -> tuple[int, int]:
    return mark & _SIZE_MASK, mark >> SIZE_BITS


def walk(
    root: str,
    ignores: Ignores,
    *,
    max_file_bytes: int,
    start: str = "",
    check: Callable[[], None] | None = None,
    listings: Listings | None = None,
    trusting: bool = False,
) -> Iterator[WalkEntry]:
    """Yield the folders from `start` ("" for the root) down, each before those in it, with their files.

    `check` is called once per folder and may raise to stop. New listings are stored in `listings`; with `trusting`, its
    listings of unchanged folders are used.
    """
    chain: RuleChain | None = ignores.root_rules() if not start else _chain_of(ignores, start)
    if chain is None:
        return
    todo = [(start, chain)]
    states = listings.states(root) if listings is not None and trusting and not start else {}
    while todo:
        folder, rules = todo.pop()
        if check is not None:
            check()
        prefix = f"{folder}/" if folder else ""
        place = f"{root}/{prefix}"
        stamp, marks = states.get(folder) or (None, None)
        listed = None
        if listings is not None and trusting:
            listed = listings.lookup(place[:-1], folder, stamp, ignores, rules)
        if listed is None:
            marks = None
            listed = _list_folder(root, ignores, rules, folder, is_start=folder == start, listings=listings)
        if listed is None:
            continue
        inner, folders, names = listed
        todo += [(prefix + name, inner) for name in folders]
        yield (
            folder,
            {
                prefix + name: mark
                for name, mark in zip(names, marks or [mark_at(place + name) for name in names], strict=True)
                if mark and mark & _SIZE_MASK <= max_file_bytes
            },
        )


def _list_folder(
    root: str, ignores: Ignores, rules: RuleChain, folder: str, *, is_start: bool, listings: Listings | None
) -> Listed | None:
    """Return the rules inside a folder and what to visit in it; None for an ignored folder."""
    before = stamp_at(f"{root}/{folder}" if folder else root)
    if before is None:
        return None
    entries = _scan_folder(root, folder)
    if entries is None:
        return None
    names = {entry.name for entry in entries}
    has_rules = False
    if not is_start:
        if "pyvenv.cfg" in names or (".git" in names and ignores.is_nested(folder)):
            return None
        has_rules = ".gitignore" in names
        if has_rules:
            rules = ignores.folder_rules(rules, folder)
    listed = Listed(rules, *_names_to_visit(ignores, rules, folder, entries))
    if listings is not None and (is_start or ".git" not in names):
        listings.store(folder, before, ignores, listed, has_rules)
    return listed


def _chain_of(ignores: Ignores, directory: str) -> RuleChain | None:
    """Return the rules inside `directory`. Return None if it is ignored or lies in a nested repository."""
    if ignores.reason(directory, is_directory=True) is not None:
        return None
    chain = ignores.root_rules()
    parts = directory.split("/")
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if ignores.is_nested(folder):
            return None
        chain = ignores.folder_rules(chain, folder)
    return chain


def _scan_folder(root: str, directory: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(f"{root}/{directory}" if directory else root) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        log.info("Folder %s of %s cannot be read and is skipped: %s.", directory or ".", root, error)
        return None


def _names_to_visit(
    ignores: Ignores, rules: RuleChain, directory: str, entries: list[os.DirEntry[str]]
) -> tuple[list[str], list[str]]:
    """Return the names of folders and of files to visit."""
    prefix = f"{directory}/" if directory else ""
    folders: list[str] = []
    names: list[str] = []
    decide = ignores.decide
    for entry in entries:
        name = entry.name
        if not name.isascii() and _UNDECODABLE.search(name):
            continue
        path = prefix + name
        try:
            if entry.is_file(follow_symlinks=False):
                if not is_binary_name(name) and decide(rules, path, name, False) is None:
                    names.append(name)
            elif entry.is_dir(follow_symlinks=False) and decide(rules, path, name, True) is None:
                folders.append(name)
        except OSError as error:
            log.info("The entry %s cannot be read and is skipped: %s.", path, error)
    return folders, names


class _Listing(msgspec.Struct, frozen=True, array_like=True):
    stamp: Stamp
    rules: int
    has_rules: bool  # the folder has a `.gitignore`
    folders: list[str]
    names: list[str]


_states_decoder = msgspec.json.Decoder(tuple[float, list[tuple[Stamp | None, list[int]]]])


class Listings:
    """Listings by folder. Not thread-safe: guarded by the owner's lock."""

    def __init__(self) -> None:
        self._by_folder: dict[str, _Listing] = {}
        self.renewed = 0  # number of listings stored since the last `pack` or `load`
        self.seconds = 0.0  # processor time of the last process that `states` started

    def states(self, root: str) -> dict[str, tuple[Stamp | None, list[int]]]:
        """Return the stamps of the listed folders, and the marks of their files; nothing if that is no gain."""
        if len(self._by_folder) < MANY_FOLDERS:
            return {}
        listed = [(folder, listing.names) for folder, listing in self._by_folder.items()]
        command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("states.py"))]
        try:
            found = output_of(
                command, Path(root), os.environ, msgspec.json.encode(listed), MAX_OUTPUT_BYTES, STATES_SECONDS
            )
            self.seconds, states = _states_decoder.decode(found or b"")
        except (OSError, ValueError) as error:
            log.info("The files of %s are looked at here, because another process failed: %s.", root, error)
            return {}
        return dict(zip(self._by_folder, states, strict=True))

    def lookup(self, place: str, folder: str, stamp: Stamp | None, ignores: Ignores, rules: RuleChain) -> Listed | None:
        """Return the rules inside a folder and what to visit in it; None if the folder must be listed again."""
        listing = self._by_folder.get(folder)
        if listing is None or listing.stamp != (stamp or stamp_at(place)):
            return None
        if listing.has_rules:
            rules = ignores.folder_rules(rules, folder)
        if listing.rules != _identity(ignores.extra.identity, rules):
            return None
        return Listed(rules, listing.folders, listing.names)

    def store(self, folder: str, before: Stamp, ignores: Ignores, listed: Listed, has_rules: bool) -> None:
        """Store a folder's listing; `before` is the folder's stamp just before the listing."""
        self._by_folder.pop(folder, None)
        if max(before[:2]) > time.time_ns() - SETTLED_NS:
            return
        self.renewed += 1
        identity = _identity(ignores.extra.identity, listed.rules)
        self._by_folder[folder] = _Listing(before, identity, has_rules, listed.folders, listed.names)

    def pack(self) -> bytes:
        self.renewed = 0
        return msgspec.msgpack.encode(self._by_folder)

    def load(self, data: bytes | memoryview) -> None:
        """Load the listings that an earlier process packed; start without any if they cannot be read."""
        try:
            self._by_folder = msgspec.msgpack.decode(data, type=dict[str, _Listing])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self._by_folder = {}


@lru_cache(maxsize=4_096)
def _identity(extra: int, rules: RuleChain) -> int:
    parts = [(source.rules.identity, source.prefix, source.skip) for source in rules]
    return xxhash.xxh3_64_intdigest(repr((JUNK, GENERATED, SECRET, extra, parts)).encode())
