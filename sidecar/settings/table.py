"""The table of all settings, derived from the structs in `model.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec.structs import fields

from sidecar.settings.model import Settings

ENVIRONMENT_PREFIX = "MEMORY_SIDECAR_"

ValueKind = Literal["flag", "number", "path", "text", "list"]


class Setting(NamedTuple):
    """One setting."""

    key: str  # dotted, as in TOML and JSON
    variable: str  # the environment variable
    type: Any  # what `convert` checks a value against
    kind: ValueKind
    accepts: str  # the accepted values in words
    default: Any
    # How a workspace's own file may change the value: "never"; to "less" or "more" than it is; "add" items to it. A
    # tuple holds the choices, the strictest first: then the file may set the present choice or a stricter one.
    repository_may: str | tuple[list[str], ...]
    secret: bool = False  # never shown

    @property
    def user_only(self) -> bool:
        return self.repository_may == "never"

    @property
    def description(self) -> str:
        return _descriptions()[self.group][self.field]

    @property
    def group(self) -> str:
        return self.key.partition(".")[0]

    @property
    def field(self) -> str:
        return self.key.partition(".")[2]


@cache
def _descriptions() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("descriptions.toml").read_text("utf-8"))


@cache
def describe() -> Mapping[str, Setting]:
    """Return all settings by dotted key, in the order of the groups."""
    rows = {}
    for group in fields(Settings):
        for field in fields(group.type):
            meta = next(meta for meta in field.type.__metadata__ if meta.extra)
            key = f"{group.encode_name}.{field.encode_name}"
            kind, accepts = _kind_and_words(field.type)
            rows[key] = Setting(
                key=key,
                variable=f"{ENVIRONMENT_PREFIX}{group.name}_{field.name}".upper(),
                type=field.type,
                kind=kind,
                accepts=accepts,
                default=field.default,
                repository_may=meta.extra["repository_may"],
                secret=meta.extra["secret"],
            )
    return MappingProxyType(rows)


def convert(setting: Setting, value: object) -> Any:
    """Return the value as the setting's type, without coercion: the text `"7"` is not a number. Raises `ValueError`."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"expected {setting.accepts}, got {value}")
    try:
        return msgspec.convert(value, setting.type, strict=True, dec_hook=_absolute_path)
    except (msgspec.ValidationError, RecursionError):
        shown = "something else" if setting.secret else _short_value(value)
        raise ValueError(f"expected {setting.accepts}, got {shown}") from None


def restrict(setting: Setting, value: Any, current: Any) -> Any:
    """Return the new value if a workspace's own file may set it in place of `current`. Raises `ValueError` if not."""
    match setting.repository_may:
        case "less":
            # If the program chooses the value (None), only the lowest value is surely not more.
            if value > (1 if current is None else current):
                raise ValueError("only switch it off" if isinstance(value, bool) else "only lower it")
        case "more":
            if value < current:
                raise ValueError("only raise it")
        case "add":
            if any(pattern.startswith("!") for pattern in value):
                raise ValueError("add patterns, but none with `!`, which would cancel others")
            return convert(setting, list(dict.fromkeys((*current, *value))))
        case tuple(order):
            ranks = {choice: rank for rank, choices in enumerate(order) for choice in choices}
            if ranks[value] > ranks[current]:
                allowed = (f'"{choice}"' for choice, rank in ranks.items() if rank <= ranks[current])
                raise ValueError(f"only choose {' or '.join(allowed)}")
        case _:
            raise ValueError("not set it")
    return value


def assemble(values: Mapping[str, Any]) -> Settings:
    """Return the tree with these converted values; a key without one keeps its default."""
    groups: dict[str, Any] = {}
    for group in fields(Settings):
        keys = {field.name: f"{group.encode_name}.{field.encode_name}" for field in fields(group.type)}
        groups[group.name] = group.type(**{name: values[key] for name, key in keys.items() if key in values})
    return Settings(**groups)


def value_of(settings: Settings, setting: Setting) -> Any:
    group = _field_value(settings, setting.group)
    return _field_value(group, setting.field)


def _field_value(struct: msgspec.Struct, name: str) -> Any:
    return next(getattr(struct, field.name) for field in fields(struct) if field.encode_name == name)


def json_value(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _absolute_path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and "\0" not in value and Path(value).is_absolute():
        return Path(value)
    raise ValueError("not an absolute path")


def _short_value(value: object) -> str:
    """Return a bad value as text for a one-line message."""
    if value is None:
        return "nothing"
    try:
        text = repr(value)
    except RecursionError:
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _kind_and_words(kind: Any) -> tuple[ValueKind, str]:
    """Return what kind of values a type accepts, in code and in words."""
    metas = []
    while get_origin(kind) is Annotated:
        metas += [meta for meta in kind.__metadata__ if isinstance(meta, msgspec.Meta)]
        kind = get_args(kind)[0]
    title = next((meta.title for meta in metas if meta.title is not None), None)
    if title is not None:
        return "text", title
    if get_origin(kind) is Literal:
        return "text", "one of " + ", ".join(f'"{choice}"' for choice in get_args(kind))
    if get_origin(kind) is tuple:
        item_type = get_args(kind)[0]
        one_of = _kind_and_words(item_type)[1] if get_origin(item_type) is Literal else "texts"
        return "list", f"a list of {one_of.removeprefix('one of ')}"
    if type(None) in get_args(kind) or get_origin(kind) is Union:
        return _kind_and_words(next(part for part in get_args(kind) if part is not type(None)))
    low = next((meta.ge for meta in metas if meta.ge is not None), None)
    high = next((meta.le for meta in metas if meta.le is not None), None)
    max_chars = next((meta.max_length for meta in metas if meta.max_length is not None), None)
    if kind is bool:
        return "flag", "true or false"
    if kind in (int, float):
        return "number", f"a {'whole ' if kind is int else ''}number from {low} to {high}"
    return ("path", "an absolute path") if kind is Path else ("text", f"a text of 1 to {max_chars} characters")
