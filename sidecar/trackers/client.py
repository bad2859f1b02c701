"""Send GET requests to a forge, with limits on time and size; the token goes to no other host.

A redirect is followed only within the same API. Error messages contain neither the token nor the answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from sidecar.models.http_request import HttpRequest, NoAnswer, TooLong, retry_after, send_request
from sidecar.trackers.forge import Forge
from sidecar.trackers.parsing import Unusable

if TYPE_CHECKING:
    import http.client

MAX_ANSWER_BYTES: Final = 4 * 2**20
_MAX_REDIRECTS: Final = 2
_REDIRECT_STATUSES: Final = frozenset((301, 302, 307, 308))
_USER_AGENT: Final = "memory-sidecar"
# One part in this many of an hour's requests is left to other programs with the same token.
_RESERVED_SHARE: Final = 10


class Unreachable(Exception):
    """No complete answer came. The message continues a sentence that begins with the host's name."""


@dataclass(frozen=True)
class ForgeAnswer:
    """A response. `body` is empty unless the status is 200. For `wait` seconds, no request must be sent."""

    status: int
    body: bytes = b""
    etag: str | None = None
    wait: float | None = None


class ForgeClient:
    """Sends requests to one forge, each within `seconds`. Thread-safe."""

    def __init__(self, forge: Forge, seconds: float = 10.0) -> None:
        self._forge = forge
        self._seconds = seconds
        self._api = urlsplit(forge.api)

    def get(self, path: str, etag: str | None = None) -> ForgeAnswer:
        """Return the answer to `path`; its status is 304 if `etag` still holds. Raises Unreachable and Unusable."""
        url = urlsplit(self._forge.api + path)
        for _ in range(_MAX_REDIRECTS + 1):
            answer, location = self._send(url, etag)
            if location is None:
                return answer
            url = self._redirect_target(url, location)
        raise Unusable("redirects too often")

    def _send(self, url: SplitResult, etag: str | None) -> tuple[ForgeAnswer, str | None]:
        headers = {**self._forge.headers(), "User-Agent": _USER_AGENT}
        if etag is not None:
            headers["If-None-Match"] = etag
        where = f"{url.path}?{url.query}" if url.query else url.path
        try:
            reply = send_request(url, where, HttpRequest("GET", headers, self._seconds, MAX_ANSWER_BYTES))
        except NoAnswer as fault:
            raise Unreachable(str(fault)) from fault
        except TooLong as fault:
            raise Unusable(str(fault)) from fault
        if reply.status in _REDIRECT_STATUSES:
            return ForgeAnswer(reply.status), reply.headers.get("Location", "")
        wait = seconds_to_wait(reply.status, reply.headers)
        etag = reply.headers.get("ETag", "")
        valid = etag and len(etag) <= 200 and etag.isascii() and etag.isprintable()
        return ForgeAnswer(reply.status, reply.body, etag if valid else None, wait), None

    def _redirect_target(self, url: SplitResult, location: str) -> SplitResult:
        """Return the target of a redirect within the same API. Raises Unusable for any other target."""
        try:
            target, api = urlsplit(urljoin(url.geturl(), location)), self._api
            same = (target.scheme, target.hostname, target.port) == (api.scheme, api.hostname, api.port)
        except ValueError:
            same = False
        if not location or not same or "@" in target.netloc or not target.path.startswith(f"{self._api.path}/"):
            raise Unusable("redirects to another host")
        return target


def seconds_to_wait(status: int, headers: http.client.HTTPMessage | Mapping[str, str]) -> float | None:
    """Return for how many seconds the forge's headers forbid requests; None if they do not."""
    seconds = None if isinstance(headers, Mapping) else retry_after(headers)
    if status in (403, 429, 503) and seconds is not None:
        return seconds
    for prefix in ("RateLimit-", "X-RateLimit-"):
        limit, remaining, reset = (_number(headers.get(prefix + name)) for name in ("Limit", "Remaining", "Reset"))
        if remaining is not None and reset is not None and remaining <= (limit or 0) // _RESERVED_SHARE:
            return max(1.0, reset - time.time())
    return 60.0 if status == 429 else None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 12 else None
