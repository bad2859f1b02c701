"""What both sides of a socket agree on: its folder and name, which users may connect, and the greeting."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Final

import msgspec
import xxhash
from msgspec.structs import replace

import sidecar
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, HookSettings, LogSettings, MaintenanceSettings, WatchSettings
from sidecar.settings.user_folders import user_folder
from sidecar.system.files import owns
from sidecar.system.processes import is_alive

GREET: Final = "greet"

# Linux allows 107 bytes, macOS 103.
MAX_PATH_BYTES: Final = 100
_PROBE_SECONDS: Final = 0.05
# An option of macOS at level 0, whose value begins with version and user id.
_LOCAL_PEERCRED: Final = 1


class Greeting(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What answers depend on: version, stores, folder and settings.

    A server answers only a process that sends the same.
    """

    version: str
    home: str
    folder: str
    settings: str

    @classmethod
    def of_workspace(cls, data_home: Path, folder: Path, settings: Settings) -> Greeting:
        """Describe a workspace with the settings that may change an answer."""
        relevant = replace(
            settings,
            files=replace(settings.files, warm_up=True, warm_up_workers=FileSettings().warm_up_workers),
            hooks=HookSettings(),
            log=LogSettings(),
            maintenance=MaintenanceSettings(),
            watch=WatchSettings(),
        )
        digest = xxhash.xxh3_128_hexdigest(msgspec.json.encode(relevant, enc_hook=str))
        return cls(version=sidecar.__version__, home=str(data_home), folder=str(folder), settings=digest)

    def prefix(self) -> str:
        """Return the prefix of the names of this workspace's sockets."""
        return xxhash.xxh3_64_hexdigest(f"{self.home}\0{self.folder}".encode("utf-8", "surrogateescape"))


def socket_folder(*, make: bool) -> Path | None:
    """Return the folder of all sockets; None if no private one can be had."""
    folder = user_folder("runtime")
    try:
        if make:
            folder.parent.mkdir(0o700, parents=True, exist_ok=True)
            folder.mkdir(0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(status.st_mode) and owns(status) and not status.st_mode & 0o077
    return folder if private else None


def process_of(path: Path) -> int | None:
    number = path.name.partition("-")[2].partition(".")[0]
    return int(number) if number.isdecimal() else None


def running_servers() -> list[int]:
    folder = socket_folder(make=False)
    numbers = {process_of(path) for path in folder.iterdir()} if folder is not None else set()
    return sorted(number for number in numbers if number is not None and is_alive(number))


def remove_abandoned() -> None:
    """Remove the sockets of servers that were killed."""
    folder = socket_folder(make=False)
    for path in () if folder is None else list(folder.iterdir()):
        process = process_of(path)
        if process is None or is_alive(process):
            continue
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
            probe.settimeout(_PROBE_SECONDS)
            try:
                probe.connect(str(path))  # succeeds if the process runs in another container
            except ConnectionRefusedError:
                path.unlink()


def is_own(connection: socket.socket) -> bool:
    """Return whether the process at the other end belongs to this user."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            user = struct.unpack("3i", credentials)[1]
        else:
            user = struct.unpack("2I", connection.getsockopt(0, _LOCAL_PEERCRED, 128)[:8])[1]
    except (OSError, struct.error):  # the system does not tell
        return False
    return bool(user == os.geteuid())
