"""Make the errors that explain why a file cannot be remembered and how to proceed."""

from __future__ import annotations

import errno
from collections.abc import Callable

from sidecar.checkout.ignore import IgnoreReason
from sidecar.runtime.errors import FileReason, FileUnavailable


def _refusal(reason: FileReason, message: str, hint: str) -> Callable[[str], FileUnavailable]:
    return lambda path: FileUnavailable(message.format(path=path), reason=reason, hint=hint)


special = _refusal("special", "{path!r} is a pipe, socket or device, not a file.", "Name a regular file.")
binary = _refusal("binary", "The file {path!r} is binary.", "Only text files have a memory.")
directory = _refusal("directory", "{path!r} is a folder.", "Name a file in it.")
generated = _refusal("generated", "The file {path!r} is generated or minified.", "Ask for the file it is made from.")
changing = _refusal(
    "unreadable",
    "The file {path!r} changes faster than it can be read.",
    "Ask again when whatever writes it has finished.",
)
_missing = _refusal("missing", "There is no file {path!r}.", "Check the path; it may have been renamed.")
_looping = _refusal("unreadable", "{path!r} is a link that leads to itself.", "Name the file itself.")
_BY_NUMBER = {
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG), _missing),
    **dict.fromkeys((errno.ENXIO, errno.ENODEV), special),
    errno.ELOOP: _looping,
}
_REASON_OF_IGNORED = {
    "junk": "Files of tools, caches and dependencies have no memory.",
    "secret": "Files that hold secrets are never remembered; read it directly if you must.",
    "rule": "An ignore rule of git or of the settings matches it; read it directly.",
}


def too_large(path: str, size: int, limit: int) -> FileUnavailable:
    """Return the refusal of a file above the limit; both sizes are in bytes."""
    message = f"The file {path!r} has {size:,} bytes; the limit is {limit:,}."
    hint = "Read the part you need, or raise the limit in the settings."
    return FileUnavailable(message, reason="tooLarge", hint=hint)


def unavailable(path: str, error: OSError | ValueError) -> FileUnavailable:
    number = error.errno if isinstance(error, OSError) else None
    if number in _BY_NUMBER:
        return _BY_NUMBER[number](path)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    message = f"The file {path!r} cannot be read: {reason}."
    return FileUnavailable(message, reason="unreadable", hint="Check its permissions.")


def ignored(path: str, reason: IgnoreReason) -> FileUnavailable:
    if reason == "generated":
        return generated(path)
    return FileUnavailable(f"The file {path!r} is ignored.", reason="ignored", hint=_REASON_OF_IGNORED[reason])
