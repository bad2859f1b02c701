"""Read the files of an import safely: follow no links, limit sizes, and accept only text."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from sidecar.interchange.jsonl import MAX_LINE_BYTES, is_export
from sidecar.interchange.parsed import ImportSource, Omission, malformed
from sidecar.interchange.values import decode_json
from sidecar.runtime.errors import FileUnavailable
from sidecar.system.files import open_regular

MAX_IMPORT_BYTES = 64_000_000
"""The most bytes of all files of one import. Our own exports may have any size, because they are read line by line."""

MAX_IMPORTED_FILES = 5_000  # of a folder
MAX_DEPTH = 12  # levels of folders below the named folder
_FILE_ENDINGS = (".md", ".mdc", ".json", ".jsonl", ".markdown", ".cursorrules", ".windsurfrules")
_TOOL_FOLDERS = (".opencode", ".serena", ".claude", ".cursor", ".github", "file-history")
_GITHUB_ENDING = "instructions.md"  # ending of the files read in `.github`, which also holds forms and templates


def read_sources(path: Path, check: Callable[[], None]) -> tuple[list[ImportSource], list[Omission]]:
    """Return the texts of a file or folder, and the files of a folder that cannot be read.

    Raises FileUnavailable, InvalidField.
    """
    if not path.is_dir():
        return [_source(path, f"{_prefix(path.parent)}{path.name}", MAX_IMPORT_BYTES)], []
    sources: list[ImportSource] = []
    skipped: list[Omission] = []
    bytes_left, count = MAX_IMPORT_BYTES, 0
    for file, name in _walk(path):
        check()
        count += 1
        if count > MAX_IMPORTED_FILES:
            raise malformed(str(path), f"the folder has more than {MAX_IMPORTED_FILES:,} files.", "Import parts of it.")
        try:
            source = _source(file, name, bytes_left, follow=False)
        except FileUnavailable as error:
            if error.data.reason == "tooLarge":
                raise
            skipped.append(Omission(name, file.name, error.message))
            continue
        bytes_left -= len(source.text)
        sources.append(source)
    if not sources and not skipped:
        raise malformed(str(path), "the folder has no Markdown or JSON files.", "Name the file to import.")
    return sources, skipped


def source_from_text(name: str | None, text: str) -> ImportSource:
    """Return, as a file, a text that was given instead of one.

    If its name has no ending, it is JSON or else Markdown.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    file_name = name or "text"
    if "." not in file_name.rpartition("/")[2]:
        file_name += ".json" if _is_json(plain) else ".md"
    return ImportSource(file_name, plain, None)


def is_own_export(path: Path) -> bool:
    if path.is_dir():
        return False
    with _open(path, follow=True) as file:
        return is_export(file.read(400).decode("utf-8", "replace"))


def export_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of an export. A line that is too long is cut, so that the reader refuses it."""
    with _open(path, follow=True) as file:
        while line := file.readline(MAX_LINE_BYTES + 2):
            yield line


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield, in order, the files that may hold memories. Their paths begin with the folder's name."""
    folders = [(folder, _prefix(folder), 0)]
    while folders:
        directory, prefix, depth = folders.pop()
        below: list[tuple[Path, str, int]] = []
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(directory, error) from error
        for entry in entries:
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                hidden = entry.name.startswith(".") and entry.name not in _TOOL_FOLDERS
                if not hidden and entry.name != "node_modules" and depth < MAX_DEPTH:
                    below.append((directory / entry.name, f"{name}/", depth + 1))
            elif entry.name.lower().endswith(_GITHUB_ENDING if ".github/" in name else _FILE_ENDINGS):
                yield directory / entry.name, name
        folders += below[::-1]


def _prefix(folder: Path) -> str:
    """Return the end of a folder's path that begins with a tool's folder: names of folders tell the format."""
    parts = [part for part in folder.absolute().parts[-3:] if part not in ("/", "..")]
    index_of_folder = next((index for index, part in enumerate(parts) if part in _TOOL_FOLDERS), None)
    return "" if index_of_folder is None else "/".join(parts[index_of_folder:]) + "/"


def _source(path: Path, name: str, bytes_left: int, *, follow: bool = True) -> ImportSource:
    with _open(path, follow=follow) as file:
        modified_ns = os.fstat(file.fileno()).st_mtime_ns
        data = file.read(bytes_left + 1)
    if len(data) > bytes_left:
        raise FileUnavailable(
            f"{name} is too large: an import reads at most {MAX_IMPORT_BYTES // 1_000_000} MB.",
            reason="tooLarge",
            hint="Import its parts one after the other.",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileUnavailable(
            f"{name} is not UTF-8 text (byte {error.start}).", reason="binary", hint="Save it as UTF-8."
        ) from None
    if "\0" in text:
        raise FileUnavailable(f"{name} is not text: it holds a zero byte.", reason="binary")
    return ImportSource(name, text.replace("\r\n", "\n"), modified_ns // 1_000_000)


def _open(path: Path, *, follow: bool) -> BinaryIO:
    """Open a regular file, never a pipe or device. Open a link only with `follow`."""
    try:
        return open(open_regular(path, follow=follow), "rb")
    except FileNotFoundError:
        raise FileUnavailable(f"{path} does not exist.", reason="missing", hint="Check the path.") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FileUnavailable(f"{path.name} is a link.", reason="special", hint="Name its target.") from None
        if error.errno is None:
            raise FileUnavailable(f"{path.name} is {error.strerror}.", reason="special") from None
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> FileUnavailable:
    return FileUnavailable(f"{path} cannot be read: {error.strerror or error}.", reason="unreadable")


def _is_json(text: str) -> bool:
    """Return whether the text is a JSON object or list, or has one in each line."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    first = next((line for line in text.split("\n") if line.strip()), "")
    return any(decode_json(candidate) is not None for candidate in (first, text))
