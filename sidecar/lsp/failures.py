"""Exceptions to what a client is told: a code, one sentence, and data to act on. Never a traceback."""

from __future__ import annotations

import logging
import re
from typing import Any

import cattrs
import msgspec

from protocol.errors import ErrorCode
from sidecar.errors import InvalidField, SidecarError
from sidecar.lsp.wire.messages import Id, error_response

logger = logging.getLogger(__name__)

_AT = re.compile(r"^(?P<text>.*?)(?: - at `(?P<path>\$[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"(?:unknown|missing required) field `(?P<name>[^`]+)`")
_SNAKE = re.compile(r"_([a-z0-9])")


def invalid_params(error: Exception) -> InvalidField:
    """What msgspec says of parameters that do not fit, with the JSON path of the field."""
    if isinstance(error, RecursionError):
        return InvalidField("The params are nested too deeply.", path="$")
    found = _AT.match(str(error))
    text, path = (found["text"], found["path"] or "$") if found else (str(error), "$")
    field = _FIELD.search(text)
    if field is not None:
        path = f"{path}.{field['name']}"
    return InvalidField(f"{text} at {path}.", path=path)


def invalid_lsp_params(error: Exception) -> InvalidField:
    """The same for parameters of LSP's own methods, which cattrs checks."""
    first = str(cattrs.transform_error(error, path="$")[0])
    text, _, path = first.partition(" @ ")
    path = _SNAKE.sub(lambda found: found[1].upper(), path) or "$"
    return InvalidField(f"{text[:1].upper()}{text[1:]} at {path}.", path=path)


def failure_frame(id: Id | None, method: str, error: BaseException) -> bytes:
    """The response for an exception. What is no `SidecarError` is a defect: logged here, told to nobody."""
    if isinstance(error, SidecarError):
        return error_response(id, error.code, error.message, error.data)
    logger.error(
        "%s failed with %s.", method, type(error).__name__, exc_info=(type(error), error, error.__traceback__)
    )
    return error_response(
        id, ErrorCode.INTERNAL_ERROR, "The sidecar failed on this request; its log says more."
    )


def decode_params(raw: msgspec.Raw, kind: type[Any]) -> Any:
    """Parameters of one of our methods. Raises `InvalidField`."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise invalid_params(error) from None
