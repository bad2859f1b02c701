"""Distinguish file names from other words: `src/x.py:12` is one, `and/or`, `text/html` and `Node.js` are not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.text.lazy_patterns import lazy, patterns
from sidecar.text.word_lists import word_lists

_PATTERNS: Final = patterns(Path(__file__), "paths")
_LISTS: Final = word_lists("names.toml")["paths"]
_SOURCE: Final = _LISTS["source"]
_EXTENSIONS: Final = _SOURCE | _LISTS["other"]
_BARE_EXTENSIONS: Final = _EXTENSIONS - _LISTS["not_bare"]
FILE_NAMES: Final = _LISTS["file_names"]
_BARE_FILES: Final = FILE_NAMES - _LISTS["not_bare_files"]
_PLACEHOLDER: Final = lazy(r"(?:^|/)path/(?:to|of|here)(?:/|$)|\.\.\.|^(?:your|my|some)[-_]", re.IGNORECASE)
_NOT_IN_PATH: Final = lazy(r"[*?{}$<>%|\"'`;=,!^]|//|\\\\|^-|^\\|\\$")
_LINE_NUMBERS: Final = lazy(r"(?::\d+(?:[:-]\d+){0,2}|#L\d+(?:-L?\d+)?|\(\d+(?:,\d+)?\))\Z")
_ANCHOR: Final = lazy(r"(\.[A-Za-z]\w{0,9})#[\w.-]*\Z")
_NUMBER: Final = lazy(r"[\d.,%:xX-]*\Z")
_SYMBOL: Final = lazy(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_~]\w*)*")
_EXTENSION: Final = lazy(r"\.([A-Za-z][A-Za-z0-9]{0,9})\Z")
_MAX_PATH_CHARS: Final = 400


class NamedPath(NamedTuple):
    """A path with `/` between its parts."""

    path: str
    symbol: str | None  # in the file: `C.m`
    sure: bool  # False: it counts only if the file exists


def path_of(word: str, *, quoted: bool = False) -> NamedPath | None:
    """Return the path that a word names, or None. In backticks (`quoted`), more names without a folder count."""
    if len(word) > _MAX_PATH_CHARS or len(word) < 3 or "://" in word:
        return None
    path, symbol = _split_symbol(word)
    path = _ANCHOR.sub(r"\1", _LINE_NUMBERS.sub("", path))
    if "\\" in path:
        if re.match(r"[A-Za-z]:\\", path):
            return None  # a drive letter, which no path in a workspace has
        if not _NOT_IN_PATH.search(path):
            path = path.replace("\\", "/")
    if _NOT_IN_PATH.search(path) or ":" in path or "@" in path[1:] or len(path) < 2 or path.startswith("~"):
        return None
    sure = _is_sure_path(path, quoted=quoted)
    if sure is None:
        return None
    while path.startswith("./"):
        path = path[2:]
    return NamedPath(path, symbol, sure) if path.strip("./") else None


def _split_symbol(word: str) -> tuple[str, str | None]:
    """Split `a.py::C::m[x]` into `a.py`, `C.m`."""
    path, mark, rest = word.partition("::")
    if not mark:
        path, mark, rest = word.partition(":")
        extension = _EXTENSION.search(path)
        if not mark or extension is None or extension[1].lower() not in _SOURCE:
            return word, None
    if _EXTENSION.search(path) is None:
        return word, None
    symbol = _SYMBOL.match(rest)
    if symbol is None:
        return (path if mark == "::" else word), None
    return path, symbol[0].replace("::", ".").replace("#", ".")


def _is_sure_path(path: str, *, quoted: bool) -> bool | None:
    """Return True for a sure path, False for a path that counts only if the file exists, None for anything else."""
    parts = path.removeprefix("./").rstrip("/").split("/")
    name = parts[-1]
    lower = name.lower()
    match = _EXTENSION.search(name)
    extension = match[1].lower() if match else None
    if _PLACEHOLDER.search(path):
        return None
    if len(parts) == 1:
        if path.endswith("/"):
            return True if quoted and lower in _LISTS["tops"] else (False if re.match(r"[\w.-]+/\Z", path) else None)
        return _is_sure_name(name, lower, extension, quoted=quoted)
    if all(_NUMBER.match(part) for part in parts) or not all(re.search(r"\w", p) or p == ".." for p in parts):
        return None
    if path.startswith(("/", "@")):
        return False
    if _PATTERNS["host"].fullmatch(parts[0]) and parts[0].lower() not in FILE_NAMES and not parts[0].startswith("."):
        return None
    if extension in _EXTENSIONS or lower in FILE_NAMES or _PATTERNS["dotfile"].fullmatch(lower):
        return extension is None or not all(map(_PATTERNS["product"].fullmatch, (name, parts[0])))
    if path.startswith(("./", "../")):
        return True
    if parts[0] in _LISTS["mime"] and len(parts) == 2:
        return False
    deep = len(parts) > 2 or path.endswith("/") or quoted
    return parts[0] in _LISTS["tops"] and deep and all(re.fullmatch(r"[\w.@()\[\]+-]+", part) for part in parts)


def _is_sure_name(name: str, lower: str, extension: str | None, *, quoted: bool) -> bool | None:
    """Do the same as `_is_sure_path` for a name without a folder."""
    if _PATTERNS["dotfile"].fullmatch(lower):
        return True
    if lower in _BARE_FILES:
        return bool(name[0].isupper() or "." in name or quoted)
    if lower in FILE_NAMES:
        return False
    if extension is None or name.startswith("."):
        return None
    stem = name[: -len(extension) - 1]
    if not re.search(r"[A-Za-z]", stem):
        return False if extension in _SOURCE else None
    if _PATTERNS["object"].fullmatch(name) or (_PATTERNS["host"].fullmatch(name) and extension not in _SOURCE):
        return None
    if _PATTERNS["product"].fullmatch(name):
        return False
    if extension in _BARE_EXTENSIONS:
        return True
    if extension in _LISTS["bare_with_stem"] and re.fullmatch(r"[a-z0-9_-]{3,}", stem):
        return extension in ("c", "h", "log", "lock") or False
    return False if extension in _EXTENSIONS else None
