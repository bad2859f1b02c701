"""The id that a repository keeps in its git common dir, so that it survives moves and renames.

`<common dir>/memory-sidecar/id` holds one line of 32 hex digits. All worktrees share the common dir and so the
id; a clone starts without the file, and gets the same id again through the same `origin`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
import tempfile
import time
from pathlib import Path

from sidecar.patterns import lazy

log = logging.getLogger(__name__)

FOLDER = "memory-sidecar"
_ID = lazy(rb"[0-9a-f]{32}")
_MAX_ID_BYTES = 256


def digest(*parts: str, size: int = 16) -> str:
    """Hex digest of `size` bytes over the parts; the bounds between parts count."""
    hasher = hashlib.blake2b(digest_size=size)
    for part in parts:
        data = os.fsencode(part)
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def kept_id(common_dir: Path, origin: str | None, *, keep: bool = True) -> str:
    """The repository's id: 32 hex digits. With `keep` it is kept from now on, else nothing is written.

    Made from `origin` when there is one, else from what tells the repository from others (`_own`), so that processes
    that open it at once agree before it is kept. Once kept, it depends on neither. Of several processes that keep one
    at once, one wins and all answer the winner's. Where it cannot be kept (a read-only or full disk), the answer is
    the same as before it is kept.

    A copied repository without an origin keeps the id of its source: a copy and a move look the same.
    """
    folder = common_dir / FOLDER
    made = _made_from(origin) or _own(common_dir)
    try:
        if not os.path.lexists(folder):
            if not keep:
                return made
            folder.mkdir(mode=0o700, exist_ok=True)
        # A symlink planted here would have us write elsewhere.
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise NotADirectoryError(f"{folder} is no directory")
        found, damaged = _read(folder / "id")
        if found is not None:
            return found
        if damaged is not None:
            # Derived, not random: several processes that mend it at once must agree.
            made = _made_from(origin) or digest("damaged", damaged.hex(), str(common_dir))
            if keep:
                log.warning("the workspace id in %s was damaged and has been replaced", folder)
        return _keep(folder, made, replace=damaged is not None) if keep else made
    except OSError as error:
        log.info("the workspace id cannot be kept in %s: %s", folder, error)
        return made


def _made_from(origin: str | None) -> str | None:
    return None if origin is None else digest("origin", origin)


def _own(common_dir: Path) -> str:
    """Of a repository without an origin, and of no other one that was or will be in the same place.

    `git init` writes `description` once and never touches it again. Other programs may leave it out; then the folder
    itself has to do.
    """
    try:
        mark = f"description {(common_dir / 'description').lstat().st_mtime_ns}"
    except OSError:
        try:
            mark = f"folder {common_dir.lstat().st_ino}"
        except OSError:
            mark = ""
    return digest("repository", str(common_dir), mark)


def _read(file: Path) -> tuple[str | None, bytes | None]:
    """(id, None), (None, damaged bytes) or, when there is no file, (None, None)."""
    for attempt in range(5):
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None, None
        try:
            data = os.read(descriptor, _MAX_ID_BYTES)
        finally:
            os.close(descriptor)
        if _ID.fullmatch(data.strip()):
            return data.strip().decode("ascii"), None
        # Empty for a moment where hard links are missing and another process is just writing it.
        time.sleep(0.01 * (attempt + 1))
    return None, data


def _keep(folder: Path, made: str, *, replace: bool = False) -> str:
    """Write the id whole or not at all; answers what is kept afterwards, which may be another process's."""
    target = folder / "id"
    descriptor, name = tempfile.mkstemp(prefix=".id-", dir=folder)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(made.encode("ascii") + b"\n")
            file.flush()
            os.fchmod(file.fileno(), 0o600)
            os.fsync(file.fileno())
        if replace:
            temporary.replace(target)
        else:
            _publish(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    found, _ = _read(target)
    return found or made


def _publish(temporary: Path, target: Path) -> None:
    """Give `target` the content of `temporary` unless it exists already."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        try:
            with target.open("xb") as file:
                file.write(temporary.read_bytes())
        except FileExistsError:
            return
