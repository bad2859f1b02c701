"""The key that is kept in a repository's git common dir, so that the repository is known again after a move or a copy.

`<common dir>/memory-sidecar/key` holds one line of 32 random hex digits, which nobody can guess who could not read the
repository. What it opens is written in the user's own data folder (`known.py`). All worktrees share the common dir and
so the key. An `id` beside it was left by an earlier version and is only a claim: it could be made from a public URL.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import stat
import tempfile
import time
from pathlib import Path

from sidecar.patterns import lazy

log = logging.getLogger(__name__)

FOLDER = "memory-sidecar"
_HEX = lazy(rb"[0-9a-f]{32}")
_MAX_BYTES = 256


def digest(*parts: str, size: int = 16) -> str:
    """Hex digest of `size` bytes over the parts; the bounds between parts count."""
    hasher = hashlib.blake2b(digest_size=size)
    for part in parts:
        data = os.fsencode(part)
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def read_key(common_dir: Path) -> str | None:
    """The key, or None."""
    return _read(common_dir / FOLDER / "key")


def earlier_id(common_dir: Path) -> str | None:
    """The id that an earlier version kept, or anybody wrote."""
    return _read(common_dir / FOLDER / "id")


def keep_key(common_dir: Path) -> str | None:
    """The key, made now if there is none; None where it cannot be kept (a read-only or full disk).

    Of several processes that make one at once, one wins and all answer the winner's.
    """
    folder = common_dir / FOLDER
    try:
        folder.mkdir(exist_ok=True)
        # A symlink planted here would have us write elsewhere.
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise NotADirectoryError(f"{folder} is no directory")
        if not os.path.lexists(folder / "key"):
            return _keep(folder / "key", replace=False)
        return read_key(common_dir) or _keep(folder / "key", replace=True)
    except OSError as error:
        log.info("no key can be kept in %s: %s", folder, error)
        return None


def mark_of(place: Path) -> str:
    """Tells a git directory (or a `.git` file) from any other one that was or will be in the same place.

    `git init` writes `description` once and never touches it again. Other programs may leave it out.
    """
    try:
        found = place.lstat()
        made = found if stat.S_ISREG(found.st_mode) else (place / "description").lstat()
        return f"{found.st_dev} {found.st_ino} {made.st_mtime_ns}"
    except OSError:
        try:
            return f"folder {place.lstat().st_ino}"
        except OSError:
            return ""


def _read(file: Path) -> str | None:
    for attempt in range(5):
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            data = os.read(descriptor, _MAX_BYTES)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        if _HEX.fullmatch(data.strip()):
            return data.strip().decode("ascii")
        if data:
            return None
        # Empty for a moment where hard links are missing and another process is just writing it.
        time.sleep(0.01 * (attempt + 1))
    return None


def _keep(target: Path, *, replace: bool) -> str | None:
    """Write a key whole or not at all; answers what is kept afterwards, which may be another process's."""
    descriptor, name = tempfile.mkstemp(prefix=".key-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(16).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if replace:
            temporary.replace(target)
        else:
            _publish(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(target)


def _publish(temporary: Path, target: Path) -> None:
    """Give `target` the content of `temporary` unless it exists already."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        try:
            with open(target, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(temporary.read_bytes())
        except FileExistsError:
            return
