"""The names in each folder at its last listing, so that a walk need not list unchanged folders again.

A listing holds while the folder's times, which change with its entries, and the content of the ignore rules are the
same.
"""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import Final

import msgspec
import xxhash

from sidecar.checkout.ignore import GENERATED, JUNK, SECRET, Ignores, RuleChain

SETTLED_NS: Final = 3_000_000_000  # age of a folder's last change above which a new change surely shows in its times


class _Listing(msgspec.Struct, frozen=True, array_like=True):
    stamp: tuple[int, int, int]
    rules: int
    has_rules: bool  # the folder has a `.gitignore`
    names: str  # in walking order, separated by "\0"; folders end in "/"


class Listings:
    """Listings by folder. Not thread-safe: the owner holds a lock."""

    def __init__(self) -> None:
        self._by_folder: dict[str, _Listing] = {}
        self.renewed = 0  # number of listings stored since the last `pack` or `load`

    def lookup(self, root: str, folder: str, ignores: Ignores, rules: RuleChain) -> tuple[RuleChain, list[str]] | None:
        """Return the rules inside a folder and its names to visit; None for a folder that must be listed again."""
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
