"""The key in a repository's common git directory, which identifies the repository after a move or a copy.

`<common dir>/memory-sidecar/key` holds 32 random hex digits, which only a reader of the repository can know. The user's
data folder records which memory a key belongs to (`registry.py`). All worktrees of a repository share the key.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from pathlib import Path

from sidecar.runtime.digests import blake2b
from sidecar.system.files import open_file_in, open_folder
from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

KEY_FOLDER = "memory-sidecar"
_HEX_DIGEST = lazy(rb"[0-9a-f]{32}")
_MAX_KEY_FILE_BYTES = 256


def digest(*parts: str, size: int = 16) -> str:
    """Return a hex digest of `size` bytes over the parts and their lengths."""
    hasher = blake2b(digest_size=size)
    for part in parts:
        data = os.fsencode(part)
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def ensure_key(common_dir: Path) -> str | None:
    """Return the key; create it if it is missing. Return None if none can be stored (read-only or full disk)."""
    folder = common_dir / KEY_FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        # A symlink here would redirect the write to another folder.
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise NotADirectoryError(f"{folder} is not a directory")
        try:
            return _create_key(folder / "key")
        except FileExistsError:
            key = read_key(common_dir)
        if key is None:  # damaged
            (folder / "key").unlink()
            key = _create_key(folder / "key")
        return key
    except OSError as error:
        log.info("No key can be stored in %s: %s.", folder, error)
        return None


def mark_of(path: Path) -> str:
    """Return a mark that distinguishes a git directory or `.git` file from a later one in the same place."""
    try:
        status = path.lstat()
        marked = status if stat.S_ISREG(status.st_mode) else (path / "description").lstat()
        return f"{status.st_dev} {status.st_ino} {marked.st_mtime_ns}"
    except OSError:
        try:
            return f"folder {path.lstat().st_ino}"
        except OSError:
            return ""


def read_key(common_dir: Path) -> str | None:
    """Return the key. Follow no link, because a link in an unpacked archive could name another repository's key."""
    for attempt in range(5):
        try:
            opened = open_folder(common_dir / KEY_FOLDER)
            try:
                descriptor = open_file_in(opened, "key")
            finally:
                os.close(opened)
            with open(descriptor, "rb") as file:
                data = file.read(_MAX_KEY_FILE_BYTES)
        except OSError:
            return None
        if _HEX_DIGEST.fullmatch(data.strip()):
            return data.strip().decode("ascii")
        if data:
            return None
        time.sleep(0.01 * (attempt + 1))  # another process is just writing the file
    return None


def _create_key(file: Path) -> str:
    key = os.urandom(16).hex()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(key.encode("ascii") + b"\n")
    return key
