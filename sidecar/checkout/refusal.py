"""Errors that say why a file has no memory, and what to do about it."""

from __future__ import annotations

import errno

from sidecar.checkout.ignore import Verdict
from sidecar.runtime.errors import FileUnavailable


def special(path: str) -> FileUnavailable:
    return FileUnavailable(
        f"{path!r} is a pipe, socket or device, not a file.", reason="special", hint="Name a regular file."
    )


def too_large(path: str, size: int, limit: int) -> FileUnavailable:
    """Return the refusal of a file above the limit; both sizes are in bytes."""
    return FileUnavailable(
        f"The file {path!r} has {size:,} bytes; the limit is {limit:,}.",
        reason="tooLarge",
        hint="Read the part you need, or raise the limit in the settings.",
    )


def binary(path: str) -> FileUnavailable:
    return FileUnavailable(f"The file {path!r} is binary.", reason="binary", hint="Only text files have a memory.")


def restless(path: str) -> FileUnavailable:
    """Return the refusal of a file that changed during every attempt to read it."""
    return FileUnavailable(
        f"The file {path!r} changes faster than it can be read.",
        reason="unreadable",
        hint="Ask again when whatever writes it has finished.",
    )


def directory(path: str) -> FileUnavailable:
    return FileUnavailable(f"{path!r} is a folder.", reason="directory", hint="Name a file in it.")


def unavailable(path: str, error: OSError | ValueError) -> FileUnavailable:
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return FileUnavailable(
            f"There is no file {path!r}.", reason="missing", hint="Check the path; it may have been renamed."
        )
    if number in (errno.ENXIO, errno.ENODEV):
        return special(path)
    if number == errno.ELOOP:
        return FileUnavailable(
            f"{path!r} is a link that leads to itself.", reason="unreadable", hint="Name the file itself."
        )
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FileUnavailable(
        f"The file {path!r} cannot be read: {why}.", reason="unreadable", hint="Check its permissions."
    )


def generated(path: str) -> FileUnavailable:
    return FileUnavailable(
        f"The file {path!r} is generated or minified.", reason="generated", hint="Ask for the file it is made from."
    )


def ignored(path: str, verdict: Verdict) -> FileUnavailable:
    if verdict == "generated":
        return generated(path)
    hints: dict[str, str] = {
        "junk": "Files of tools, caches and dependencies have no memory.",
        "secret": "Files that hold secrets are never kept; read it directly if you must.",
        "rule": "An ignore rule of git or of the settings matches it; read it directly.",
    }
    return FileUnavailable(f"The file {path!r} is ignored.", reason="ignored", hint=hints[verdict])
