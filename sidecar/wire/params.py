"""Parameters from raw JSON to a struct; what does not fit is told with the JSON path of the field."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from sidecar.errors import InvalidField

_AT = re.compile(r"^(?P<text>.*?)(?: - at `(?P<path>\$[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"(?:unknown|missing required) field `(?P<name>[^`]+)`")


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


def decode_params(raw: msgspec.Raw, kind: type[Any]) -> Any:
    """Parameters of one of our methods. Raises `InvalidField`."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise invalid_params(error) from None
