"""What a client gets in place of a result: a code, one sentence and data to act on; never a traceback."""

from __future__ import annotations

import logging

import msgspec

from protocol.errors import ErrorCode
from sidecar.mcp import lines
from sidecar.mcp.versions import ProtocolError
from sidecar.runtime.errors import SidecarError
from sidecar.text import fence
from sidecar.wire.messages import Id

log = logging.getLogger(__name__)


def duplicate(id: Id) -> bytes:
    return lines.failure(id, ErrorCode.INVALID_REQUEST, "This id is in use.")


def cancelled(id: Id) -> bytes:
    return b""  # MCP forbids an answer


def failure(id: Id, method: str, error: BaseException) -> bytes:
    """Return the response for an exception; a defect is logged and its text not shown."""
    if isinstance(error, ProtocolError | SidecarError):  # clean the message, because it may contain stored text
        safe_data = fence.clean_values(msgspec.to_builtins(error.data))
        return lines.failure(id, int(error.code), fence.clean(error.message), safe_data)
    log.error("The request %s failed.", method, exc_info=(type(error), error, error.__traceback__))
    return lines.failure(id, ErrorCode.INTERNAL_ERROR, "The sidecar failed on this; its log says more.")
