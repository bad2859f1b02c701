"""One HTTP request, through the environment's proxy or directly, with limits on time and size.

Error messages quote neither request nor answer.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:  # these load OpenSSL, which waits for the first request
    import http.client

_CHUNK_BYTES = 65_536


class NoAnswer(Exception):
    """Raised if no complete answer came. The message continues a sentence that begins with the host's name."""


class TooLong(Exception):
    """Raised if the answer is too large. The message continues a sentence that begins with the host's name."""


@dataclass(frozen=True)
class HttpRequest:
    """A request to send."""

    method: str
    headers: Mapping[str, str]
    seconds: float  # limit for the whole exchange
    max_bytes: int  # limit for the answer's body
    body: bytes | None = None


@dataclass(frozen=True)
class HttpReply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes = b""


def send_request(url: SplitResult, path: str, request: HttpRequest) -> HttpReply:
    """Request `path` from the host of `url`, following no redirect. Raises NoAnswer and TooLong."""
    import http.client

    connected, target, headers = prepare_connection(url, path, request.headers, request.seconds)
    deadline_passed = threading.Event()
    timer = None
    try:
        connected.connect()
        timer = _cut_after(request.seconds, connected.sock, deadline_passed)
        connected.request(request.method, target, request.body, dict(headers))
        response = connected.getresponse()
        body = _read_body(response, deadline_passed, request.max_bytes) if response.status == 200 else b""
        return HttpReply(response.status, response.headers, body)
    except (OSError, http.client.HTTPException) as error:
        timed_out = deadline_passed.is_set() or isinstance(error, TimeoutError)
        what = "did not answer in time" if timed_out else f"cannot be reached ({_describe(error)})"
        raise NoAnswer(what) from error
    finally:
        if timer is not None:
            timer.cancel()
        connected.close()


def _read_body(response: http.client.HTTPResponse, deadline_passed: threading.Event, max_bytes: int) -> bytes:
    parts, size = [], 0
    while part := response.read1(_CHUNK_BYTES):
        parts.append(part)
        size += len(part)
        if size > max_bytes:
            raise TooLong(f"answered with more than {max_bytes:,} bytes")
    # `read1` does not distinguish a truncated answer from a complete one.
    if deadline_passed.is_set():
        raise NoAnswer("did not answer in time")
    if response.length:
        raise NoAnswer("ended its answer too early")
    return b"".join(parts)


def is_local(host: str) -> bool:
    """Return whether a host is this machine, so that nothing sent to it leaves the machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name, even if it begins like an address
        return False


def retry_after(headers: http.client.HTTPMessage) -> float | None:
    """Return the seconds that `Retry-After` asks to wait, whether it gives a number or a time; None if unusable."""
    from email.utils import parsedate_to_datetime

    header = headers.get("Retry-After", "").strip()
    if header.isascii() and header.isdigit():
        return float(header[:6])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def prepare_connection(
    url: SplitResult, path: str, headers: Mapping[str, str], seconds: float
) -> tuple[http.client.HTTPConnection, str, Mapping[str, str]]:
    """Return an unopened connection to the host of `url`, the target to request for `path`, and the headers."""
    import http.client
    from urllib.request import getproxies, proxy_bypass

    scheme, host = url.scheme, url.hostname or ""
    secure = scheme == "https"
    # Use no proxy to reach this machine, so that a key that is sent unencrypted does not leave the machine.
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


def _cut_after(seconds: float, connected: socket.socket, deadline_passed: threading.Event) -> threading.Timer:
    """Close a connection after `seconds`; a socket's own time-out would begin again with each byte."""

    def cut() -> None:
        deadline_passed.set()
        with suppress(OSError):
            # Shut down the plain socket: an encrypted one would drop its state while another thread reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    return timer


def _describe(error: Exception) -> str:
    """Describe an error in a few words that quote nothing that was sent."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
