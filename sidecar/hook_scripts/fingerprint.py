"""Fingerprint what a cached result depends on: the files that a hook's command names, and its scripts' siblings."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import xxhash

from sidecar.hook_scripts.configured import expand_variables
from sidecar.system.files import open_regular

_WORD = re.compile(r"[^\s;|&()<>\"'`=]+")
_UNTRACEABLE = frozenset("cd pushd eval source . exec".split())
_MAX_HASHED = 10_000_000  # a larger file counts by its time
_MAX_SIBLINGS = 100  # files of a script's folder


def fingerprint(command: str, folder: Path, home: Path) -> str | None:
    """Return a digest of what a command runs; None if that is unknown, so that its result must not be reused."""
    words = _WORD.findall(expand_variables(command, folder, home))
    if not words or _UNTRACEABLE & set(words):
        return None
    digest = xxhash.xxh3_128()
    for word in words:
        path = home / word[2:] if word.startswith("~/") else folder / word
        is_script = path.is_file()
        if not is_script:
            program = shutil.which(word)
            if program is None:
                if "/" in word and not path.is_dir() and word != "/dev/null":
                    return None
                digest.update(f"\0{word}".encode())
                continue
            path = Path(program)
        for script in (path, *(_siblings(path) if is_script else ())):
            if not _add(digest, script):
                return None
    return digest.hexdigest()


def _siblings(script: Path) -> Iterator[Path]:
    """Yield the other files of a script's folder, which it may read, in order."""
    names = sorted(os.scandir(script.resolve().parent), key=lambda entry: entry.name)
    return (Path(entry.path) for entry in names[:_MAX_SIBLINGS] if entry.is_file() and entry.name != script.name)


def _add(digest: xxhash.xxh3_128, path: Path) -> bool:
    try:
        with open(open_regular(path), "rb") as file:
            status = os.fstat(file.fileno())
            digest.update(f"\0{path}\0{status.st_mode}\0{status.st_size}\0".encode("utf-8", "surrogateescape"))
            digest.update(file.read(_MAX_HASHED) if status.st_size <= _MAX_HASHED else str(status.st_mtime_ns).encode())
    except OSError:
        return False
    return True
