"""Unix sockets, and the user of the process at the other end.

Python has none on Windows, so each process opens the stores itself there.
"""

from __future__ import annotations

import socket
import struct
import sys

if sys.platform == "win32":
    AVAILABLE = False

    def unix_socket() -> socket.socket:
        raise OSError("Python has no Unix sockets on Windows.")

else:
    AVAILABLE = True

    def unix_socket() -> socket.socket:
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


_LOCAL_PEERCRED = 1  # of macOS, at level 0: the result begins with version and uid


def peer_user(connection: socket.socket) -> int | None:
    """Return the user id of the process at the other end, or None if the system does not tell."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", credentials)[1])
        return int(struct.unpack("2I", connection.getsockopt(0, _LOCAL_PEERCRED, 128)[:8])[1])
    except (OSError, struct.error):
        return None
