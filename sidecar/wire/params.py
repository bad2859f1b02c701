"""Decode parameters from raw JSON to a struct, and report mistakes with the JSON path of the field."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import inspect

from sidecar.runtime.errors import InvalidField

_AT = re.compile(r"^(?P<text>.*?)(?: - at `(?P<path>\$[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"(?:unknown|missing required) field `(?P<name>[^`]+)`")
_STEP = re.compile(r"\.(\w+)|\[[^\]]*\]")
_PATH: Final = "path"
# Names that agents use for a path, besides `path`.
_PATH_ALIASES: Final = ("filePath", "file_path", "file")


def invalid_params(error: Exception, kind: type[Any] | None = None) -> InvalidField:
    """Turn msgspec's error into one with the JSON path of the field, and name the values of `kind` allowed there."""
    if isinstance(error, RecursionError):
        return InvalidField("The params are nested too deeply.", path="$")
    match = _AT.match(str(error))
    text, path = (match["text"], match["path"] or "$") if match else (str(error), "$")
    field = _FIELD.search(text)
    hint = None
    if field is not None:
        if kind is not None and path == "$" and "unknown" in text:
            hint = f"There are {', '.join(kind.__struct_encode_fields__)}." if _fields(kind) else "There is none."
        path = f"{path}.{field['name']}"
    elif kind is not None and text.startswith("Invalid enum value"):
        hint = _values(kind, path)
    return InvalidField(f"{text} at {path}.", path=path, hint=hint)


def decode_params(raw: msgspec.Raw, kind: type[Any]) -> Any:
    """Decode the parameters of one of our methods. Raises `InvalidField`."""
    try:
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.ValidationError as error:
            lenient = _decode_leniently(raw, kind, error)
            if lenient is None:
                raise
            return lenient
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise invalid_params(error, kind) from None


def _decode_leniently(raw: msgspec.Raw, kind: type[Any], error: msgspec.ValidationError) -> Any:
    """Decode again with an alias of `path` renamed, or without an optional field that is null.

    Returns None if neither was the mistake; raises msgspec's error for another one.
    """
    fields = msgspec.json.decode(raw)
    if not isinstance(fields, dict):
        return None
    names = [name for name in _PATH_ALIASES if name in fields] if _PATH in _fields(kind) else []
    if len(names) == 1 and _PATH not in fields:
        fields = {_PATH: fields.pop(names[0]), **fields}
    elif not _drop_null(fields, kind, error):
        return None
    while True:
        try:
            return msgspec.json.decode(msgspec.json.encode(fields), type=kind)
        except msgspec.ValidationError as error_now:
            if not _drop_null(fields, kind, error_now):
                raise


def _drop_null(fields: dict[str, Any], kind: type[Any], error: msgspec.ValidationError) -> bool:
    """Drop the refused field if it is optional and null, and return whether it was; else null has a meaning."""
    match = _AT.match(str(error))
    name = (match["path"] or "").removeprefix("$.") if match else ""
    optional = {field.encode_name for field in msgspec.structs.fields(kind) if not field.required}
    if name not in optional or fields.get(name, ...) is not None:
        return False
    del fields[name]
    return True


def _fields(kind: type[Any]) -> tuple[str, ...]:
    names: tuple[str, ...] = getattr(kind, "__struct_encode_fields__", ())
    return names


def _values(kind: type[Any], path: str) -> str | None:
    """List the values allowed at a path of the parameters, if there are only a few."""
    node: Any = inspect.type_info(kind)
    for step in _STEP.finditer(path):
        fields = {field.encode_name: field.type for field in getattr(node, "fields", ())}
        node = fields.get(step[1]) if step[1] else getattr(node, "item_type", None)
        if isinstance(node, inspect.UnionType):
            node = next((field for field in node.types if not isinstance(field, inspect.NoneType)), None)
    values = getattr(node, "values", None)
    return f"One of {', '.join(map(str, values))}." if values else None
