"""Test vectors, valid and invalid, derived from the structs, for authors of clients to check against.

A vector is `{method, part, valid, value, why, path?}`: `part` is `params` or `result`, `path` the JSON path that an
error about an invalid value must name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from protocol.memories import ANY_AGENT
from protocol.methods import METHODS

Vector = dict[str, Any]


def vectors() -> list[Vector]:
    """Return every vector of every method, in the order of the table."""
    collected: list[Vector] = []
    for method in METHODS.values():
        parts = {"params": method.params, **({"result": method.result} if method.result else {})}
        for part, struct in parts.items():
            for vector in _vectors_of(struct):
                # A client need not refuse anything that the sidecar sends.
                if vector["valid"] or (method.sender == "client" and part == "params"):
                    collected.append({"method": method.name, "part": part, **vector})
    return collected


def _vectors_of(struct: type[msgspec.Struct]) -> Iterator[Vector]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    minimal, full = _sample(info, full=False), _sample(info, full=True)
    yield {"valid": True, "value": minimal, "why": "required fields only"}
    if full != minimal:
        yield {"valid": True, "value": full, "why": "every field"}
    unknown = {**minimal, "noSuchField": 1}
    if info.forbid_unknown_fields:
        yield {"valid": False, "value": unknown, "why": "an unknown field", "path": "$"}
    else:
        yield {"valid": True, "value": unknown, "why": "a field of a later version"}
    for field in info.fields:
        name = field.encode_name
        if field.required:
            yield {
                "valid": False,
                "value": {k: v for k, v in minimal.items() if k != name},
                "why": f"{name} is missing",
                "path": "$",
            }
        for bad, why in _wrong(field.type):
            yield {"valid": False, "value": {**minimal, name: bad}, "why": f"{name} is {why}", "path": f"$.{name}"}


def _arms(kind: inspect.Type) -> list[inspect.Type]:
    if isinstance(kind, inspect.UnionType):
        return [arm for member in kind.types for arm in _arms(member)]
    return [kind]


def _sample(kind: inspect.Type, *, full: bool) -> Any:
    if isinstance(kind, inspect.Metadata):
        return _sample(kind.type, full=full)
    match kind:
        case inspect.UnionType():
            return _sample(_arms(kind)[0], full=full)
        case inspect.StructType():
            return {
                field.encode_name: _sample(field.type, full=full and not _recursive(field.type, kind))
                for field in kind.fields
                if field.required or full
            }
        case inspect.LiteralType():
            return sorted(str(value) for value in kind.values)[0]
        case inspect.StrType():
            return "text"[: kind.max_length] if kind.max_length else "text"
        case inspect.IntType():
            return max(1, kind.ge or 0)
        case inspect.FloatType():
            return 0.5
        case inspect.BoolType():
            return True
        case inspect.AnyType():
            return "text"
        case inspect.DictType():
            return {"key": _sample(kind.value_type, full=full)} if full else {}
        case inspect.ListType():
            return [_sample(kind.item_type, full=full)] if full else []
        case _:
            raise TypeError(f"no sample for {kind}")


def _recursive(kind: inspect.Type, parent: inspect.StructType) -> bool:
    return isinstance(kind, inspect.ListType) and kind.item_type == parent


def _wrong(kind: inspect.Type) -> Iterator[tuple[Any, str]]:
    """Yield values that a field of this kind must refuse, each with the reason in words."""
    arms = [arm.type if isinstance(arm, inspect.Metadata) else arm for arm in _arms(kind)]
    accepts = {type(arm) for arm in arms}
    if inspect.AnyType in accepts:
        return
    if inspect.NoneType not in accepts:
        yield None, "null"
    if not accepts & {inspect.StrType, inspect.LiteralType}:
        yield "7", "a string"
    if not accepts & {inspect.IntType, inspect.FloatType}:
        yield 7, "a number"
    if not accepts & {inspect.DictType, inspect.StructType}:
        yield {}, "an object"
    for arm in arms:
        match arm:
            case inspect.LiteralType():
                yield "no such word", "not one of the words allowed"
            case inspect.IntType():
                if inspect.FloatType not in accepts:
                    yield 1.5, "a fraction"
                if arm.ge is not None:
                    yield arm.ge - 1, "too small"
                if arm.le is not None:
                    yield arm.le + 1, "too large"
            case inspect.StrType() if arm.min_length:
                yield "", "empty"
                if arm.pattern is not None and re.search(arm.pattern, ANY_AGENT) is None:
                    yield ANY_AGENT, "the name that stands for any agent"
            case _:
                pass
