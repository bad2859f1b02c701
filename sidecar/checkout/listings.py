"""The names in each folder when it was last listed, so that a walk need not list unchanged folders again.

A folder's times change when an entry is added, removed or renamed; ignore rules count by their content.
"""

from __future__ import annotations

import os
import time
from typing import Final

import msgspec
import xxhash

from sidecar.checkout.ignore import GENERATED, JUNK, SECRET, Ignores, RuleChain

SETTLED_NS: Final = 3_000_000_000  # age of a folder's last change below which another change might leave the same times
MAX_IDENTITIES: Final = 4_096  # of chains of rules


class _Listing(msgspec.Struct, frozen=True, array_like=True):
    stamp: tuple[int, int, int]
    rules: int
    has_rules: bool  # of its own
    names: str  # in walking order, separated by "\0"; folders end in "/"


class Listings:
    """Listings by folder. Not thread-safe: the owner holds a lock."""

    def __init__(self) -> None:
        self._by_folder: dict[str, _Listing] = {}
        self._identities: dict[RuleChain, int] = {}
        self.renewed = 0  # number of listings added since they were packed or opened

    def lookup(self, root: str, folder: str, ignores: Ignores, rules: RuleChain) -> tuple[RuleChain, list[str]] | None:
        """Return the rules inside a folder and the names worth looking at; None if it must be listed."""
        listing = self._by_folder.get(folder)
        try:
            if listing is None or listing.stamp != _stamp(os.lstat(f"{root}/{folder}" if folder else root)):
                return None
        except OSError:
            return None
        if listing.has_rules:
            rules = ignores.folder_rules(rules, folder)
        if listing.rules != self._identity(ignores, rules):
            return None
        return rules, listing.names.split("\0") if listing.names else []

    def store(
        self, folder: str, before: os.stat_result, ignores: Ignores, rules: RuleChain, has_rules: bool, names: list[str]
    ) -> None:
        """Store the listing of a folder whose stat result was `before` just before it was listed."""
        self._by_folder.pop(folder, None)
        if os.name != "posix" or max(before.st_mtime_ns, before.st_ctime_ns) > time.time_ns() - SETTLED_NS:
            return
        self.renewed += 1
        identity = self._identity(ignores, rules)
        self._by_folder[folder] = _Listing(_stamp(before), identity, has_rules, "\0".join(names))

    def _identity(self, ignores: Ignores, rules: RuleChain) -> int:
        identity = self._identities.get(rules)
        if identity is None:
            if len(self._identities) >= MAX_IDENTITIES:  # each reading of the rules makes new ones
                self._identities.clear()
            parts = [(source.rules.identity, source.prefix, source.skip) for source in rules]
            named = repr((JUNK, GENERATED, SECRET, ignores.extra.identity, parts)).encode()
            identity = self._identities[rules] = xxhash.xxh3_64_intdigest(named)
        return identity

    def pack(self) -> bytes:
        self.renewed = 0
        return msgspec.msgpack.encode(self._by_folder)

    def load(self, data: bytes | memoryview) -> None:
        """Load what an earlier process packed; nothing if it cannot be read."""
        try:
            self._by_folder = msgspec.msgpack.decode(data, type=dict[str, _Listing])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self._by_folder = {}


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino
