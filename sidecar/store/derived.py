"""Named values that are made of a memory store and can be made again, such as the snapshot of its index.

They are files in the database's own folder, so that a database that is set aside takes them along. Each is sealed,
written beside its place and renamed, and read as absent when it is damaged. They may hold words of memories: `drop`
removes all of them, half-written ones too, before a purge is acknowledged.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

from sidecar.store.codec import seal, unseal
from sidecar.store.faults import Undecodable, unreachable
from sidecar.store.location import PRIVATE_FILE

_ENDING = ".derived"
_MAKING = ".making"

_log = logging.getLogger(__name__)


def path(folder: Path, name: str) -> Path:
    """Where the value of this name lies."""
    return folder / f"{name}{_ENDING}"


def read(folder: Path, name: str) -> bytes | None:
    """The value of this name; None when there is none or it is damaged."""
    place = path(folder, name)
    try:
        return unseal(place.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, Undecodable) as error:
        _log.warning("%s cannot be used and counts as absent: %s.", place, error)
        return None


def write(folder: Path, name: str, value: bytes) -> None:
    """Put a value in place of the earlier one, whole or not at all; the caller holds the folder's lock.

    It does not wait for the disk: what a power cut leaves half written does not pass its checksum. Raises
    `StoreUnavailable`.
    """
    making = folder / f"{name}{_MAKING}"
    try:
        making.unlink(missing_ok=True)
        descriptor = os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(seal(value))
        os.replace(making, path(folder, name))
    except OSError as error:
        with contextlib.suppress(OSError):
            making.unlink(missing_ok=True)
        raise unreachable(error, folder) from error


def drop(folder: Path) -> None:
    """Remove every value; the caller holds the folder's lock. Raises `StoreUnavailable`."""
    try:
        for ending in (_ENDING, _MAKING):
            for place in folder.glob(f"*{ending}"):
                place.unlink(missing_ok=True)
    except OSError as error:
        raise unreachable(error, folder) from error


def size(folder: Path) -> int:
    """Bytes on disk of all values."""
    total = 0
    for place in folder.glob(f"*{_ENDING}"):
        with contextlib.suppress(FileNotFoundError):
            total += place.stat().st_size
    return total
