"""Walk the files of a workspace that are worth remembering.

A walk leaves out ignored entries (`ignore.py`), names of binary files, files above the size limit, names that are not
UTF-8, symlinks and other irregular files, and nested repositories, which are separate workspaces.

A folder's times change with its entries. While they and the ignore rules are the same, an earlier listing of the folder
still holds.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import msgspec
import xxhash

from sidecar.checkout.ignore import GENERATED, JUNK, SECRET, Ignores, RuleChain, is_binary_name
from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

# Characters that stand for the bytes of a name that is not UTF-8.
_UNDECODABLE = lazy(r"[\ud800-\udfff]")

# A folder's path, and the mark of each file in it by path.
WalkEntry = tuple[str, dict[str, int]]
# The lower bits of a mark, which hold the file's size.
_SIZE_BITS: Final = 40
# A folder whose last change is older than this surely shows its next change in its times.
SETTLED_NS: Final = 3_000_000_000


def mark(size: int, mtime_ns: int) -> int:
    """Return a number that stands for a file's size and time in a fifth of the memory."""
    return (mtime_ns << _SIZE_BITS) + size


def mark_of(status: os.stat_result) -> int:
    mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
    return ((mtime_ns if mtime_ns > ctime_ns else ctime_ns) << _SIZE_BITS) + status.st_size


def size_and_time(mark: int) -> tuple[int, int]:
    return mark & (1 << _SIZE_BITS) - 1, mark >> _SIZE_BITS


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
    lstat, is_regular = os.lstat, stat.S_ISREG
    while todo:
        folder, rules = todo.pop()
        if check is not None:
            check()
        listed = listings.lookup(root, folder, ignores, rules) if listings is not None and trusting else None
        if listed is None:
            listed = _list_folder(root, ignores, rules, folder, is_start=folder == start, listings=listings)
        if listed is None:
            continue
        inner, names = listed
        prefix = f"{folder}/" if folder else ""
        place = f"{root}/{prefix}"
        files: dict[str, int] = {}
        for name in names:
            if name[-1] == "/":
                todo.append((prefix + name[:-1], inner))
                continue
            try:
                status = lstat(place + name)
            except OSError:
                continue  # gone since it was listed
            if status.st_size <= max_file_bytes and is_regular(status.st_mode):
                files[prefix + name] = mark_of(status)
        yield folder, files


def _list_folder(
    root: str, ignores: Ignores, rules: RuleChain, folder: str, *, is_start: bool, listings: Listings | None
) -> tuple[RuleChain, list[str]] | None:
    """Return the rules inside a folder and the names in it to visit; None for an ignored folder."""
    place = f"{root}/{folder}" if folder else root
    before = None
    if listings is not None:
        try:
            before = os.lstat(place)
        except OSError:
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
    visited = _names_to_visit(ignores, rules, folder, entries)
    if listings is not None and before is not None and (is_start or ".git" not in names):
        listings.store(folder, before, ignores, rules, has_rules, visited)
    return rules, visited


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


def _names_to_visit(ignores: Ignores, rules: RuleChain, directory: str, entries: list[os.DirEntry[str]]) -> list[str]:
    """Return the names to visit, folders with a "/"."""
    prefix = f"{directory}/" if directory else ""
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
                names.append(f"{name}/")
        except OSError as error:
            log.info("The entry %s cannot be read and is skipped: %s.", path, error)
    return names


class _Listing(msgspec.Struct, frozen=True, array_like=True):
    stamp: tuple[int, int, int]
    rules: int
    has_rules: bool  # the folder has a `.gitignore`
    names: str  # separated by "\0"; folders end in "/"


class Listings:
    """Listings by folder. Not thread-safe: guarded by the owner's lock."""

    def __init__(self) -> None:
        self._by_folder: dict[str, _Listing] = {}
        self.renewed = 0  # number of listings stored since the last `pack` or `load`

    def lookup(self, root: str, folder: str, ignores: Ignores, rules: RuleChain) -> tuple[RuleChain, list[str]] | None:
        """Return the rules inside a folder and the names in it to visit; None if the folder must be listed again."""
        listing = self._by_folder.get(folder)
        try:
            if listing is None or listing.stamp != _stamp(os.lstat(f"{root}/{folder}" if folder else root)):
                return None
        except OSError:
            return None
        if listing.has_rules:
            rules = ignores.folder_rules(rules, folder)
        if listing.rules != _identity(ignores.extra.identity, rules):
            return None
        return rules, listing.names.split("\0") if listing.names else []

    def store(
        self, folder: str, before: os.stat_result, ignores: Ignores, rules: RuleChain, has_rules: bool, names: list[str]
    ) -> None:
        """Store a folder's listing; `before` is the folder's stat result just before the listing."""
        self._by_folder.pop(folder, None)
        if max(before.st_mtime_ns, before.st_ctime_ns) > time.time_ns() - SETTLED_NS:
            return
        self.renewed += 1
        identity = _identity(ignores.extra.identity, rules)
        self._by_folder[folder] = _Listing(_stamp(before), identity, has_rules, "\0".join(names))

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


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino
