"""Parameters from raw JSON to a struct; what does not fit is told with the JSON path of the field."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from sidecar.errors import InvalidField

_AT = re.compile(r"^(?P<text>.*?)(?: - at `(?P<path>\$[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"(?:unknown|missing required) field `(?P<name>[^`]+)`")
_STEP = re.compile(r"\.(\w+)|\[[^\]]*\]")
_PATH: Final = "path"
_PATH_SPELT_SO: Final = ("filePath", "file_path", "file")
"""What agents call a path, besides `path`."""


def invalid_params(error: Exception, kind: type[Any] | None = None) -> InvalidField:
    """What msgspec says of parameters that do not fit, with the JSON path of the field.

    With the struct that they were to be, also what would have fitted.
    """
    if isinstance(error, RecursionError):
        return InvalidField("The params are nested too deeply.", path="$")
    found = _AT.match(str(error))
    text, path = (found["text"], found["path"] or "$") if found else (str(error), "$")
    field = _FIELD.search(text)
    hint = None
    if field is not None:
        if kind is not None and path == "$" and "unknown" in text:
            hint = (
                f"There are {', '.join(kind.__struct_encode_fields__)}."
                if _fields(kind)
                else "There is none."
            )
        path = f"{path}.{field['name']}"
    elif kind is not None and text.startswith("Invalid enum value"):
        hint = _values(kind, path)
    return InvalidField(f"{text} at {path}.", path=path, hint=hint)


def decode_params(raw: msgspec.Raw, kind: type[Any]) -> Any:
    """Parameters of one of our methods. Raises `InvalidField`."""
    try:
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.ValidationError:
            respelt = _respelt(raw, kind)
            if respelt is None:
                raise
            return msgspec.json.decode(respelt, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise invalid_params(error, kind) from None


def _respelt(raw: msgspec.Raw, kind: type[Any]) -> bytes | None:
    """The same with the path under the name that the method knows; None where there is nothing to be respelt.

    Raises what msgspec does.
    """
    if _PATH not in _fields(kind):
        return None
    given = msgspec.json.decode(raw)
    names = [name for name in _PATH_SPELT_SO if name in given] if isinstance(given, dict) else []
    if len(names) != 1 or _PATH in given:
        return None
    return msgspec.json.encode({_PATH: given.pop(names[0]), **given})


def _fields(kind: type[Any]) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(kind, "__struct_encode_fields__", ())
    return found


def _values(kind: type[Any], path: str) -> str | None:
    """What may stand at a place of the parameters, where that is one of a few texts."""
    from msgspec import inspect

    here: Any = inspect.type_info(kind)
    for step in _STEP.finditer(path):
        fields = {each.encode_name: each.type for each in getattr(here, "fields", ())}
        here = fields.get(step[1]) if step[1] else getattr(here, "item_type", None)
        if isinstance(here, inspect.UnionType):
            here = next((each for each in here.types if not isinstance(each, inspect.NoneType)), None)
    values = getattr(here, "values", None)
    return f"One of {', '.join(map(str, values))}." if values else None
