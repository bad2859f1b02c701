"""Walk down folders without following links, so that nobody can replace a folder between check and use.

An open folder is a descriptor, on Windows a path whose parts are checked: Windows has no `openat`, but lets only
administrators and developers make links.
"""

from __future__ import annotations

import os
import stat
import sys

if sys.platform == "win32":
    import errno

    OpenFolder = str

    def open_folder(path: str | os.PathLike[str], parent: OpenFolder | None = None) -> OpenFolder:
        full_path = os.path.join(parent, path) if parent is not None else os.fspath(path)
        status = os.lstat(full_path)
        if status.st_reparse_tag in (stat.IO_REPARSE_TAG_SYMLINK, stat.IO_REPARSE_TAG_MOUNT_POINT):
            raise OSError(errno.ELOOP, "a link", full_path)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), full_path)
        return full_path

    def close_folder(folder: OpenFolder) -> None:
        """Do nothing: a path needs no closing."""

    def stat_in(folder: OpenFolder, name: str) -> os.stat_result:
        return os.lstat(os.path.join(folder, name))

    def open_file_in(folder: OpenFolder, name: str) -> int:
        if stat.S_ISLNK(stat_in(folder, name).st_mode):
            raise OSError(errno.ELOOP, "a link", name)
        return os.open(os.path.join(folder, name), os.O_RDONLY | os.O_BINARY)

else:
    OpenFolder = int

    _FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
    _FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY

    def open_folder(path: str | os.PathLike[str], parent: OpenFolder | None = None) -> OpenFolder:
        """Open a folder, which the caller closes. Raises OSError, with ELOOP or ENOTDIR for a link."""
        return os.open(path, _FOLDER_FLAGS, dir_fd=parent)

    def close_folder(folder: OpenFolder) -> None:
        os.close(folder)

    def stat_in(folder: OpenFolder, name: str) -> os.stat_result:
        """Return the stat result of a file, or of a link itself."""
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def open_file_in(folder: OpenFolder, name: str) -> int:
        """Open a file for reading without waiting for a pipe or device. Raises OSError, with ELOOP for a link."""
        return os.open(name, _FILE_FLAGS, dir_fd=folder)
