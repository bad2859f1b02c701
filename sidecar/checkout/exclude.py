"""Keep our files out of git by lines in `info/exclude`, which git does not share."""

from __future__ import annotations

import logging
from pathlib import Path

from sidecar.checkout.repository import find_repository

log = logging.getLogger(__name__)

_MAX_EXCLUDE_FILE_BYTES = 1_000_000
_ESCAPES_OF_PATTERN = str.maketrans({char: f"\\{char}" for char in "\\*?[]!# "})


def exclude(folder: Path, path: str, pattern: str = "") -> bool:
    """Exclude `path` from git by a line in git's syntax (`pattern`). Return whether the line was added."""
    target = _ignore_line(folder, path, pattern)
    if target is None:
        return False
    list_file, line = target
    try:
        if list_file.is_symlink() or list_file.parent.is_symlink():
            return False
        list_file.parent.mkdir(exist_ok=True)
        content = list_file.read_bytes() if list_file.exists() else b""
        if len(content) > _MAX_EXCLUDE_FILE_BYTES or line in content.splitlines():
            return False
        ending = b"" if not content or content.endswith(b"\n") else b"\n"
        with list_file.open("ab") as file:
            file.write(ending + line + b"\n")
    except OSError as error:
        log.info("The file %s cannot be kept out of git: %s.", path, error)
        return False
    return True


def is_excluded(folder: Path, path: str, pattern: str = "") -> Path | None:
    """Return the repository's exclude file if it holds the line that `exclude` adds."""
    target = _ignore_line(folder, path, pattern)
    try:
        return target[0] if target is not None and target[1] in target[0].read_bytes().splitlines() else None
    except OSError:
        return None


def remove_exclusion(folder: Path, path: str, pattern: str = "") -> None:
    """Remove the line that `exclude` adds. Raises OSError."""
    target = _ignore_line(folder, path, pattern)
    if target is not None and is_excluded(folder, path, pattern) and not target[0].is_symlink():
        list_file, line = target
        lines = list_file.read_bytes().splitlines(keepends=True)
        list_file.write_bytes(b"".join(entry for entry in lines if entry.rstrip(b"\r\n") != line))


def _ignore_line(folder: Path, path: str, pattern: str) -> tuple[Path, bytes] | None:
    """Return the repository's exclude file and the line for `path`; None outside a repository."""
    repository = find_repository(folder.resolve())
    if repository is None:
        return None
    inner = folder.resolve().relative_to(repository.top).as_posix()
    line = "/" + (path if inner == "." else f"{inner}/{path}").translate(_ESCAPES_OF_PATTERN) + pattern
    return repository.common_dir / "info" / "exclude", line.encode()
