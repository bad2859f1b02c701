"""Map a client's path or URI of a file to the file's relative path in the workspace.

A symlink inside the workspace is resolved, so that a file has one memory. Paths that lead out of the workspace are
refused.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from sidecar.runtime.errors import OutsideWorkspace
from sidecar.system.file_uris import path_of_uri
from sidecar.text.lazy_patterns import lazy

# The limit of Linux and macOS.
MAX_NAME_BYTES = 255
# PATH_MAX of Linux.
MAX_PATH_BYTES = 4096
# A message shows at most this much of a refused path.
_MAX_SHOWN_CHARS = 200

_SCHEME = lazy(r"([A-Za-z][A-Za-z0-9+.-]+):(?=//)|(file):(?=/)", re.IGNORECASE)


def relative_path(root: str, spelling: str) -> str:
    """Return the POSIX path of a path or `file://` URI, relative to the real path `root`.

    The root itself is ".". In a URI, `?` and `#` belong to the path, because clients forget to encode them. Raises
    OutsideWorkspace.
    """
    return _resolve_inside(root, spelling, _path_of(spelling))


def folder_of(uri: str) -> Path | None:
    """Return the folder, existing or not, that a client's `file://` URI names. Return None for any other URI."""
    if not uri.startswith("file:"):
        return None
    try:
        host, path = urlsplit(uri).netloc, path_of_uri(uri)
    except ValueError:
        return None
    if path and host.lower() not in ("", "localhost"):
        path = f"//{host}{path}"  # a share, which does not exist here
    return Path(path) if path and "\0" not in path else None


def entry_path(root: str, spelling: str) -> str:
    """Return the relative path like `relative_path`, but without resolving a symlink in its last part."""
    folder, name = os.path.split(_path_of(spelling).rstrip("/"))
    if name in ("", ".", ".."):
        return relative_path(root, spelling)
    inner = _resolve_inside(root, spelling, folder)
    return name if inner == "." else f"{inner}/{name}"


def _path_of(spelling: str) -> str:
    path = path_from_uri(spelling) if _SCHEME.match(spelling) else spelling
    if not path:
        raise OutsideWorkspace("An empty path names no file.")
    _check_characters(spelling, path)
    return path


def _resolve_inside(root: str, spelling: str, path: str) -> str:
    try:
        real = os.path.realpath(os.path.join(root, path))
    except (OSError, ValueError) as error:
        raise _outside(spelling, f"cannot be resolved ({error.__class__.__name__})") from error
    if real == root:
        return "."
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not real.startswith(prefix):
        leads = os.path.normpath(os.path.join(root, path)).startswith(prefix)
        raise _outside(
            spelling, "is a link that leads out of the workspace" if leads else "is outside of the workspace"
        )
    relative = real[len(prefix) :]
    _check_characters(spelling, relative)
    return relative.replace(os.sep, "/")


def path_from_uri(uri: str) -> str:
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        raise _outside(uri, "is not a file of this machine", hint="Only file:// URIs and paths can be used.")
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        if authority.lower() not in ("", "localhost"):
            raise _outside(uri, "is on another machine", hint="Use a file:/// URI without a host.")
        rest = slash + path
    try:
        return os.fsdecode(unquote_to_bytes(rest.encode("utf-8", "surrogateescape")))
    except UnicodeEncodeError as error:
        raise _outside(uri, "holds characters that no path can have") from error


def _check_characters(spelling: str, path: str) -> None:
    if "\0" in path:
        raise _outside(spelling, "holds a NUL character")
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _outside(spelling, "is not valid Unicode") from error
    if len(encoded) > MAX_PATH_BYTES or any(len(name) > MAX_NAME_BYTES for name in encoded.split(b"/")):
        raise _outside(spelling, "is longer than any file's name")


def _outside(spelling: str, reason: str, *, hint: str | None = None) -> OutsideWorkspace:
    # Escape control characters, because logs and terminals show the message.
    shown = spelling.encode("unicode_escape").decode("ascii") if not spelling.isprintable() else spelling
    if len(shown) > _MAX_SHOWN_CHARS:
        shown = shown[:_MAX_SHOWN_CHARS] + "..."
    return OutsideWorkspace(
        f"The path {shown!r} {reason}; nothing was read.",
        hint=hint or "Give a path inside an open workspace, relative to its folder or absolute.",
    )
