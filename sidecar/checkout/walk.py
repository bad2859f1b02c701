"""Walk the files of a workspace that are worth remembering.

Left out: what `ignore.py` leaves alone, names that are nearly always binary, files above the size limit, anything that
is not a regular file, names that are not UTF-8 (neither wire nor store can hold them), symlinks (targets inside are met
where they are; following could lead out or in circles), and nested repositories: a submodule or a checkout inside the
workspace is a workspace of its own.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator

from sidecar.checkout.ignore import Chain, Ignores
from sidecar.checkout.junk import binary_name

log = logging.getLogger(__name__)

# A path and its stat result; None instead announces a folder that is about to be read.
FoundEntry = tuple[str, os.stat_result | None]


def walk(
    root: str, ignores: Ignores, *, max_file_bytes: int, start: str = "", check: Callable[[], None] | None = None
) -> Iterator[FoundEntry]:
    """Yield folders and files below `start` (relative, "" for all), in the order of their paths as text.

    A folder comes before its files. `check` is called once per folder and may raise to stop. A folder that cannot be
    read is logged and skipped. `start` itself is walked unless the rules say otherwise.
    """
    chain: Chain | None = ignores.top() if not start else _chain_of(ignores, start)
    if chain is None:
        return
    stack: list[Iterator[tuple[str, os.DirEntry[str] | None, Chain]]] = [iter([(start, None, chain)])]
    while stack:
        for path, entry, rules in stack[-1]:
            if entry is not None:
                try:
                    result = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # gone since it was listed
                if result.st_size <= max_file_bytes:
                    yield path, result
                continue
            if check is not None:
                check()
            entries = _list(root, path)
            if entries is None:
                continue
            if path != start:
                names = {entry.name for entry in entries}
                if "pyvenv.cfg" in names or (".git" in names and ignores.is_nested(path)):
                    continue
                if ".gitignore" in names:
                    rules = ignores.enter(rules, path)
            yield path, None
            stack.append(iter(_sorted(ignores, rules, path, entries)))
            break
        else:
            stack.pop()


def _chain_of(ignores: Ignores, directory: str) -> Chain | None:
    """Return the rules inside `directory`; None if it is ignored or in a nested repository."""
    if ignores.verdict(directory, is_directory=True) is not None:
        return None
    chain = ignores.top()
    parts = directory.split("/")
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if ignores.is_nested(folder):
            return None
        chain = ignores.enter(chain, folder)
    return chain


def _list(root: str, directory: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(f"{root}/{directory}" if directory else root) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        log.info("folder %s of %s cannot be read and is passed over: %s", directory or ".", root, error)
        return None


def _sorted(
    ignores: Ignores, above: Chain, directory: str, entries: list[os.DirEntry[str]]
) -> list[tuple[str, os.DirEntry[str] | None, Chain]]:
    """Return the entries worth looking at, in order, with the rules above them; a folder has no entry."""
    prefix = f"{directory}/" if directory else ""
    sorted_entries: list[tuple[str, os.DirEntry[str] | None, Chain]] = []
    decide = ignores.decide
    for entry in entries:
        name = entry.name
        if not _is_text(name):
            continue
        path = prefix + name
        try:
            if entry.is_file(follow_symlinks=False):
                if not binary_name(name) and decide(above, path, name, False) is None:
                    sorted_entries.append((path, entry, above))
            elif entry.is_dir(follow_symlinks=False) and decide(above, path, name, True) is None:
                sorted_entries.append((path, None, above))
        except OSError as error:
            log.info("%s cannot be looked at and is passed over: %s", path, error)
    # Sort folders as if they ended in "/", so that the whole walk is in the order of the paths as text.
    sorted_entries.sort(key=lambda item: item[0] if item[1] is not None else item[0] + "/")
    return sorted_entries


def _is_text(name: str) -> bool:
    """Return whether the name can be written as UTF-8, which a name of undecodable bytes cannot."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
