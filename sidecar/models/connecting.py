"""One HTTP connection of a client of ours: by the environment's proxy or straight, and cut when it takes too long."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, urlsplit


def connection(
    url: SplitResult, path: str, headers: Mapping[str, str], seconds: float
) -> tuple[http.client.HTTPConnection, str, Mapping[str, str]]:
    """A connection to the host of `url`; what to ask it for to get `path`, and with which headers."""
    from urllib.request import getproxies, proxy_bypass

    scheme, host = url.scheme, url.hostname or ""
    secure = scheme == "https"
    # To this machine without a proxy: a key that may be sent in the open there would leave it.
    proxy = "" if is_local(host) or proxy_bypass(host) else getproxies().get(scheme, "")
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    if not proxy:
        return kind(host, url.port, timeout=seconds), path, headers
    by = urlsplit(proxy if "//" in proxy else f"//{proxy}")
    connection = kind(by.hostname or "", by.port or 8080, timeout=seconds)
    if secure:
        connection.set_tunnel(host, url.port or 443)
        return connection, path, headers
    return connection, f"{scheme}://{url.netloc}{path}", headers


def cut_after(seconds: float, connected: socket.socket, late: threading.Event) -> threading.Timer:
    """Ends a connection in so many seconds. A socket's own time-out begins anew with each byte."""

    def cut() -> None:
        late.set()
        with suppress(OSError):
            # Of the plain socket: an encrypted one would first forget its state under a reader.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    return timer


def is_local(host: str) -> bool:
    """Whether a host is this machine, so that nothing that is sent to it leaves it."""
    import ipaddress

    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, even one that begins like an address
        return False


def retry_after(headers: http.client.HTTPMessage) -> float | None:
    """Seconds that an endpoint asks to wait, as a number or as a time; None when it says nothing of use."""
    given = headers.get("Retry-After", "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:6])
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def reason(error: Exception) -> str:
    """What went wrong, in a few words that hold nothing of what was sent."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
