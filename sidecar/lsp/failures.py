"""Turn exceptions into errors for the client: a code, one sentence, and data to act on; never a traceback."""

from __future__ import annotations

import logging
import re

from protocol.errors import ErrorCode
from sidecar.runtime.errors import Cancelled, InvalidField, SidecarError
from sidecar.wire.messages import Id, error_response

log = logging.getLogger(__name__)

_MAX_QUOTED = 200  # characters of a client's text in an error
_SNAKE = re.compile(r"_([a-z0-9])")


def invalid_lsp_params(error: Exception) -> InvalidField:
    """Turn cattrs's complaint about the parameters of an LSP method into an error with the field's JSON path."""
    import cattrs

    first = str(cattrs.transform_error(error, path="$")[0])
    text, _, path = first.partition(" @ ")
    path = _SNAKE.sub(lambda match: match[1].upper(), path) or "$"
    return InvalidField(f"{text[:1].upper()}{text[1:]} at {path}.", path=path)


def brief(value: object) -> str:
    """Shorten a client's text for an error."""
    text = repr(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."


def duplicate(id: Id) -> bytes:
    reason = f"A request with the id {brief(id)} is still in flight."
    return error_response(id, ErrorCode.INVALID_REQUEST, reason)


def cancelled(id: Id) -> bytes:
    return error_response(id, ErrorCode.REQUEST_CANCELLED, Cancelled().message)


def failure(id: Id, method: str, error: BaseException) -> bytes:
    """Return the response for an exception; a defect is logged and its text not shown."""
    if isinstance(error, SidecarError):
        from sidecar.text.secrets import redact  # `initialize` is answered before this is imported

        return error_response(id, error.code, redact(error.message)[0], error.data)
    log.error("%s failed with %s.", method, type(error).__name__, exc_info=(type(error), error, error.__traceback__))
    return error_response(id, ErrorCode.INTERNAL_ERROR, "The sidecar failed on this request; its log says more.")
