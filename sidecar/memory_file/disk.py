"""Read and write a generated file safely in a workspace that may be hostile.

No link out of the workspace is followed, only plain files are replaced, and a file written a moment ago is not read
until it is complete.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sidecar.system.processes import is_alive
from sidecar.text.lazy_patterns import lazy

MAX_FILE_BYTES = 1_000_000
# Matches the names of files that are being written.
TEMPORARY_PATTERN = ".*.tmp"
# Another machine's temporary file is removed at this age.
STALE_SECONDS = 3600.0
_WRITER_OF_TEMPORARY = lazy(r"\.md-(?:(\d+)-)?\w+\.tmp$")
# Name, time of change (ns), size and inode of a file.
FileStamp = tuple[str, int, int, int]
# Stamps that differ once one of the files was written.
FileStamps = tuple[FileStamp, ...]
# A file, or a change of a folder, is complete at this age.
COMPLETE_AFTER_SECONDS = 0.2
# No request waits longer for a complete file; it is checked again later.
MAX_WAIT_SECONDS = 2.0


class UnusableFile(Exception):
    """Raised for a file that can be neither read nor written now; the text tells a person why."""


def resolve_inside(root: Path, relative: str) -> Path:
    """Return the path `relative` below the real path `root`. Raises `UnusableFile` if a link leads out of `root`."""
    path = root / relative
    if not Path(os.path.realpath(path.parent)).is_relative_to(root):
        raise UnusableFile(f"{relative} leads out of the workspace through a symbolic link")
    if path.is_symlink():
        raise UnusableFile(f"{relative} is a symbolic link: replace it by a plain file")
    return path


def read_text(path: Path) -> str | None:
    """Return a file's text, or None if it does not exist. Raises `UnusableFile` unless it is small and UTF-8."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise UnusableFile(f"{path.name} is not a plain file")
        if status.st_size > MAX_FILE_BYTES:
            raise UnusableFile(f"{path.name} is larger than {MAX_FILE_BYTES:,} bytes: move text out of it")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UnusableFile(f"{path.name} is not UTF-8 text: save it as UTF-8") from None
    except OSError as error:
        raise UnusableFile(f"{path.name} cannot be read ({error.strerror})") from error


def write(root: Path, path: Path, text: str, expected: str | None) -> bool:
    """Atomically replace the text `expected` by `text`, keeping the mode; return False if the file has changed.

    Creates folders below `root`, which must exist. Raises `UnusableFile` if the file cannot be written.
    """
    try:
        for folder in reversed([parent for parent in path.parents if root in parent.parents]):
            folder.mkdir(exist_ok=True)
        prefix = f".{path.name}-{os.getpid()}-"
        descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fchmod(file.fileno(), stat.S_IMODE(path.lstat().st_mode) if path.exists() else 0o644)
                os.fsync(file.fileno())
            if read_text(path) != expected:
                return False
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UnusableFile(f"{path.name} cannot be written ({error.strerror})") from error
    return True


def remove_stale(folder: Path) -> None:
    """Remove temporary files of processes that were killed while writing; those of another machine after an hour."""
    oldest = time.time() - STALE_SECONDS
    for temporary in folder.glob(TEMPORARY_PATTERN):
        writer = _WRITER_OF_TEMPORARY.search(temporary.name)
        if writer is None:
            continue
        with contextlib.suppress(OSError):  # another process may also remove it
            if not is_alive(int(writer[1] or 0)) or temporary.lstat().st_mtime < oldest:
                temporary.unlink()


def remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UnusableFile(f"{path.name} cannot be removed ({error.strerror})") from error


def stamps_of(path: Path, ending: str | None = None) -> FileStamps:
    """Return a stamp that changes whenever a file is written; with `ending`, any such file of a folder."""
    try:
        if ending is None:
            return (_stamp_of(path.name, path.lstat()),)
        with os.scandir(path) as entries:
            pages = [entry for entry in entries if entry.name.endswith(ending)]
            return tuple(sorted(_stamp_of(e.name, e.stat(follow_symlinks=False)) for e in pages))
    except OSError:
        return ()


def _stamp_of(name: str, status: os.stat_result) -> FileStamp:
    return name, status.st_mtime_ns, status.st_size, status.st_ino


def names(folder: Path, ending: str) -> list[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if entry.name.endswith(ending) and not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)
        )
    return []


# Tests replace it.
pause: Callable[[float], None] = time.sleep


def changed_since(path: Path, earlier: FileStamps) -> bool:
    """Wait until a file or folder has not changed for a moment; return whether its stamp differs from `earlier`.

    Raises `UnusableFile` if it keeps changing.
    """
    until = time.monotonic() + MAX_WAIT_SECONDS
    latest, changed = stamps_of(path), False
    while True:
        changed = changed or latest != earlier
        age = time.time() - max((mtime_ns / 1e9 for _, mtime_ns, _, _ in latest), default=0.0)
        if abs(age) >= COMPLETE_AFTER_SECONDS:  # by another machine's clock, the time may be in the future
            return changed
        if time.monotonic() >= until:
            raise UnusableFile(f"{path.name} is being written; it will be read when that is done")
        pause(COMPLETE_AFTER_SECONDS - max(0.0, age))
        before, latest = latest, stamps_of(path)
        if latest == before:
            return changed
