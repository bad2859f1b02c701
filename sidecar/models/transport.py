"""Requests to an HTTP API that the user has configured: JSON in, bytes out, with limits on time, size and attempts.

Redirects are not followed, so that the key reaches no other host. Error messages quote neither request nor answer.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from sidecar.models.embedding import ModelUnavailable
from sidecar.models.http_request import HttpReply, HttpRequest, NoAnswer, TooLong, is_local, retry_after, send_request

MAX_SEND_ATTEMPTS = 3
# If the endpoint asks to wait longer before another attempt, there is none.
MAX_RETRY_AFTER_SECONDS = 30.0
MAX_RESPONSE_BYTES = 32 * 2**20
# Each further wait is twice as long.
_FIRST_WAIT_SECONDS = 0.5
_RETRIED_STATUSES = frozenset((408, 425, 429, 500, 502, 503, 504))

log = logging.getLogger(__name__)


class _TemporaryFault(Exception):
    """Raised for a fault that may pass; `after` is the wait in seconds that the endpoint asks for."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.after = after


class Transport:
    def __init__(
        self,
        base_url: str,
        key: str | None,
        seconds: float,
        *,
        attempts: int = MAX_SEND_ATTEMPTS,
        max_bytes: int = MAX_RESPONSE_BYTES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`seconds` limits one whole attempt, `max_bytes` an answer.

        Raises ModelUnavailable for a URL that is unusable or to which the key would be sent unencrypted.
        """
        self._url = _check_url(base_url, key)
        self._seconds = seconds
        self._attempts = attempts
        self._max_bytes = max_bytes
        self._sleep = sleep
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    @property
    def host(self) -> str:
        return self._url.netloc

    def post(self, path: str, body: bytes) -> bytes:
        """Return the body of a 200 answer. Raises ModelUnavailable after all attempts."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._attempt(path, body)
            except _TemporaryFault as fault:
                wait = fault.after
                if wait is None:
                    wait = _FIRST_WAIT_SECONDS * 2 ** (attempt - 1) * random.uniform(1.0, 1.5)  # noqa: S311
                if attempt >= self._attempts or wait > MAX_RETRY_AFTER_SECONDS:
                    raise ModelUnavailable(f"The endpoint {self.host} {fault.message}.") from fault
                log.info("The endpoint %s %s; next attempt in %.1f s.", self.host, fault.message, wait)
            self._sleep(wait)

    def _attempt(self, path: str, body: bytes) -> bytes:
        where = f"{self._url.path.rstrip('/')}/{path}"
        request = HttpRequest("POST", self._headers, self._seconds, self._max_bytes, body)
        try:
            reply = send_request(self._url, where, request)
        except NoAnswer as fault:
            raise _TemporaryFault(str(fault)) from fault
        except TooLong as fault:
            raise ModelUnavailable(f"The endpoint {self.host} {fault}.") from fault
        if reply.status != 200:
            raise self._error_of(reply)
        return reply.body

    def _error_of(self, reply: HttpReply) -> Exception:
        status = reply.status
        if status in _RETRIED_STATUSES:
            return _TemporaryFault(f"answered with status {status}", retry_after(reply.headers))
        hints = {
            401: "Check the key (MEMORY_SIDECAR_EMBEDDINGS_KEY).",
            403: "Check the key (MEMORY_SIDECAR_EMBEDDINGS_KEY).",
            404: "Check the base URL and the model's name.",
        }
        hint = "Redirects are not followed: name the final URL." if 300 <= status < 400 else hints.get(status)
        return ModelUnavailable(f"The endpoint {self.host} answered with status {status}.", hint)


def _check_url(base_url: str, key: str | None) -> SplitResult:
    try:
        url = urlsplit(base_url)
        usable = url.scheme in ("http", "https") and url.hostname and (url.port or 1) and "@" not in url.netloc
    except ValueError:
        usable = False
    if not usable:
        raise ModelUnavailable("The endpoint is not an http or https address without a user name.")
    if key and url.scheme == "http" and not is_local(url.hostname or ""):
        raise ModelUnavailable(
            "The endpoint is not encrypted, so the key would be sent unencrypted.", "Use https, or no key."
        )
    if key and not (key.isascii() and key.isprintable()):
        raise ModelUnavailable("The key holds characters that no key has.")
    return url
