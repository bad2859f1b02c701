"""Name, read and list the files of one workspace folder, safely.

`files` reads every file through a `Tree`, for outlines as for the references of memories. MEMORY.md and settings have
readers of their own.
"""

from __future__ import annotations

import errno
import os
import stat as stat_module
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import xxhash

from sidecar.checkout import refusal
from sidecar.checkout.content import ContentKind, classify
from sidecar.checkout.ignore import IgnoreReasons, Ignores, is_binary_name
from sidecar.checkout.paths import entry_path, relative_path
from sidecar.checkout.walk import size_and_time, walk
from sidecar.runtime.errors import OutsideWorkspace
from sidecar.system.files import open_file_in, open_folder

# A file that changes while it is read is read again, this many times in all.
_READ_ATTEMPTS = 8
# The first attempts wait until a later change would show in the file's times.
_STRICT_ATTEMPTS = 3
_MAX_CACHED_KINDS = 1_000
# No normalised path has these parts.
_UNNORMALISED_PARTS = frozenset(("", ".", ".."))
# The kernel stamps files by a clock whose tick is up to 10 ms (CONFIG_HZ=100), so two writes in one tick look alike.
_TICK_NS = 12_000_000


class FileStat(msgspec.Struct, frozen=True):
    """A state of a file.

    `mtime_ns` is the later of the changes of content and inode, because `cp -p` sets the former back.
    """

    path: str
    size: int
    mtime_ns: int


class FileBytes(FileStat, frozen=True):
    """The bytes of one consistent read and their hash, with the file's state at that moment."""

    data: bytes
    hash: str


def content_hash(data: bytes) -> str:
    """Return the xxh3-128 of the bytes as 32 hex digits: it identifies them, but does not protect against forgery."""
    return xxhash.xxh3_128_hexdigest(data)


class Tree:
    """One workspace folder. Thread-safe.

    Methods take relative POSIX paths, as `relative` and `walk` return them. `extra_ignores` are patterns in gitignore
    syntax that take precedence over every `.gitignore`.
    """

    def __init__(self, root: Path, *, max_file_bytes: int = 1_000_000, extra_ignores: Sequence[str] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self._root = str(self.root)
        self._kinds: dict[tuple[str, str], ContentKind] = {}  # keyed by path and hash
        self.max_file_bytes = max_file_bytes  # larger files are ignored
        self.extra_ignores = list(extra_ignores)
        self.ignores = Ignores(self.root, extra_ignores)

    def relative(self, spelling: str) -> str:
        """Return the relative path of a URI or path, resolving symlinks. Raises OutsideWorkspace; see `paths.py`."""
        return relative_path(self._root, spelling)

    def entry(self, spelling: str) -> str:
        """Return the relative path like `relative`, but name a symlink itself. Raises OutsideWorkspace."""
        return entry_path(self._root, spelling)

    def relative_paths(self, spellings: Iterable[str]) -> list[str]:
        """Return the `relative` and the `entry` of each path once; leave out paths outside the workspace."""
        paths: dict[str, None] = {}
        for spelling in spellings:
            for name in (self.relative, self.entry):
                with suppress(OutsideWorkspace):
                    paths[name(spelling)] = None
        return list(paths)

    def stat(self, path: str) -> FileStat:
        """Return the state of a regular file, ignored or not. Raises FileUnavailable, OutsideWorkspace."""
        path, folder, _, status = self._locate(path)
        os.close(folder)
        return _file_stat(path, status)

    def read(self, path: str, ignore_reasons: IgnoreReasons | None = None, *, generated: bool = False) -> FileBytes:
        """Return the bytes and state of a text file that is not ignored, nor generated unless `generated`.

        Raises FileUnavailable, OutsideWorkspace. `ignore_reasons` are the current rules, for many reads in a row.

        No symlink is followed out of the workspace, and no FIFO or device blocks. If the file changes during the read,
        it is read again. Right after a change, wait for the next clock tick, so that a later change shows in the
        `FileStat`.

        A log that is written all the time never holds still: its bytes are those of one moment of the call, and its
        `mtime_ns` is made one less, so that the file counts as changed at the next look.
        """
        located = self._locate(path)
        path = located[0]
        try:
            if (reason := (ignore_reasons or self.ignores).reason(path, is_directory=False)) is not None:
                raise refusal.ignored(path, reason)
        except BaseException:
            os.close(located[1])
            raise
        for attempt in range(_READ_ATTEMPTS):
            read = self._read_once(
                located if not attempt else self._locate(path), await_tick=attempt < _STRICT_ATTEMPTS
            )
            if read is not None:
                break
            time.sleep(0.002 * 2 ** min(attempt, 4))
        else:
            raise refusal.changing(path)
        kind = self._kinds.get((path, read.hash))
        if kind is None:
            if len(self._kinds) >= _MAX_CACHED_KINDS:
                self._kinds.clear()
            kind = self._kinds[path, read.hash] = classify(path, read.data)
        if kind == "binary":
            raise refusal.binary(path)
        if kind == "generated" and not generated:
            raise refusal.generated(path)
        return read

    def ignored(self, path: str) -> bool:
        """Return whether a file or folder, or one above it, is ignored; see `ignore.py`."""
        return self.ignores.reason(path) is not None

    def exists(self, path: str, ignore_reasons: IgnoreReasons | None = None) -> bool:
        """Return whether a path, through symlinks inside the workspace, leads to a regular file that is not ignored."""
        try:
            status = os.lstat(f"{self._root}/{path}")
            path = self.relative(path)
            if not stat_module.S_ISREG(status.st_mode):
                status = os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError, OutsideWorkspace):
            return False
        is_file = stat_module.S_ISREG(status.st_mode)
        return is_file and (ignore_reasons or self.ignores).reason(path, is_directory=False) is None

    def all_exist(self, paths: Iterable[str]) -> bool:
        ignore_reasons = IgnoreReasons(self.ignores)
        return all(self.exists(path, ignore_reasons) for path in paths)

    def walk_includes(self, path: str) -> bool:
        """Return whether a walk yields a regular file at this path, whatever its size and nested repositories."""
        name = path.rsplit("/", 1)[-1]
        return not is_binary_name(name) and self.ignores.reason(path, is_directory=False) is None

    def walk(self, *, check: Callable[[], None] | None = None) -> Iterator[FileStat]:
        """Yield the files described in `walk.py`, sorted by path; `check` is called often and may raise to stop."""
        folders = walk(self._root, self.ignores, max_file_bytes=self.max_file_bytes, check=check)
        files = [file for _, found in folders for file in found.items()]
        yield from (FileStat(path, *size_and_time(mark)) for path, mark in sorted(files))

    def _locate(self, path: str, *, again: bool = True) -> tuple[str, int, str, os.stat_result]:
        """Return a file's path, open folder (for the caller to close), name and stat result. Follow no symlink."""
        parts = path.split("/")
        if "\0" in path or not _UNNORMALISED_PARTS.isdisjoint(parts):
            return self._locate_resolved(path)
        try:
            folder = open_folder(self._root)
            try:
                for part in parts[:-1]:
                    inner = open_folder(part, folder)
                    os.close(folder)
                    folder = inner
                status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
                if stat_module.S_ISLNK(status.st_mode):
                    raise OSError(errno.ELOOP, "symlink")
                self._check(path, status)
            except BaseException:
                os.close(folder)
                raise
        except (OSError, ValueError) as error:
            if again and isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENOTDIR):
                return self._locate_resolved(path)
            raise refusal.unavailable(path, error) from error
        return path, folder, parts[-1], status

    def _locate_resolved(self, path: str) -> tuple[str, int, str, os.stat_result]:
        resolved = self.relative(path)
        if resolved == ".":
            raise refusal.directory(path)
        return self._locate(resolved, again=False)

    def _check(self, path: str, status: os.stat_result) -> None:
        if stat_module.S_ISDIR(status.st_mode):
            raise refusal.directory(path)
        if not stat_module.S_ISREG(status.st_mode):
            raise refusal.special(path)
        if status.st_size > self.max_file_bytes:
            raise refusal.too_large(path, status.st_size, self.max_file_bytes)

    def _read_once(self, located: tuple[str, int, str, os.stat_result], *, await_tick: bool) -> FileBytes | None:
        """Read a file that `_locate` returned and close its folder; return None if the file changed meanwhile.

        With `await_tick`, wait until any later change would show in the file's state; without, two equal readings
        suffice.
        """
        path, folder, name, _ = located
        try:
            descriptor = open_file_in(folder, name)
        except OSError as error:
            if error.errno == errno.ELOOP:
                return None  # a symlink has just replaced the file
            raise refusal.unavailable(path, error) from error
        finally:
            os.close(folder)
        try:
            before = os.fstat(descriptor)
            self._check(path, before)
            data = os.pread(descriptor, before.st_size + 1, 0)  # one byte more, so that a grown file shows
            after = os.fstat(descriptor)
            again = data if await_tick else os.pread(descriptor, len(data) + 1, 0)
        except OSError as error:
            raise refusal.unavailable(path, error) from error
        finally:
            os.close(descriptor)
        if state_of(before) != state_of(after) or len(data) != before.st_size or again != data:
            return None
        mtime_ns = max(before.st_mtime_ns, before.st_ctime_ns)
        age = time.time_ns() - mtime_ns
        if await_tick and 0 <= age < _TICK_NS:
            time.sleep((_TICK_NS - age) / 1e9)
            _, folder, _, later = self._locate(path)
            os.close(folder)
            if state_of(later) != state_of(before):
                return None
        return FileBytes(path, before.st_size, mtime_ns if await_tick else mtime_ns - 1, data, content_hash(data))


def state_of(status: os.stat_result) -> tuple[int, ...]:
    """Return the fields that differ between two states of a file."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _file_stat(path: str, status: os.stat_result) -> FileStat:
    return FileStat(path, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns))
